// The oldest browsers that the client's README names. Each lacks functions that today's have, so they are removed before a page loads.

import { readFileSync, readdirSync } from "node:fs";
import { account, expect, logIn, session, test } from "../support.mjs";

/** What Chrome 109, Firefox 115 or Safari 16.4 lacks, of all that a script could use. The compiler refuses newer syntax (`target` in tsconfig.json). */
const MISSING = [
  "URL.canParse", "URL.parse", "AbortSignal.any", "Promise.withResolvers", "Promise.try", "Array.fromAsync", "Object.groupBy", "Map.groupBy",
  "PublicKeyCredential.parseCreationOptionsFromJSON", "PublicKeyCredential.parseRequestOptionsFromJSON", "PublicKeyCredential.prototype.toJSON",
  "PublicKeyCredential.signalUnknownCredential", "PublicKeyCredential.signalAllAcceptedCredentials", "PublicKeyCredential.signalCurrentUserDetails",
  "PublicKeyCredential.getClientCapabilities", "AuthenticatorAttestationResponse.prototype.getTransports",
  "Array.prototype.toSorted", "Array.prototype.toReversed", "Array.prototype.toSpliced", "Array.prototype.with",
  "String.prototype.isWellFormed", "Set.prototype.union", "Set.prototype.difference", "Set.prototype.intersection", "Response.json",
  "Set.prototype.symmetricDifference", "Set.prototype.isSubsetOf", "Set.prototype.isSupersetOf", "Set.prototype.isDisjointFrom", "String.prototype.toWellFormed",
  ...["map", "filter", "take", "drop", "flatMap", "reduce", "toArray", "forEach", "some", "every", "find"].map((name) => `Iterator.prototype.${name}`),
  "Iterator", "Uint8Array.fromBase64", "Uint8Array.fromHex", "Uint8Array.prototype.toBase64", "Uint8Array.prototype.toHex", "RegExp.escape", "Error.isError",
  "ArrayBuffer.prototype.transfer", "ArrayBuffer.prototype.resize", "Intl.Segmenter", "Intl.DurationFormat", "URLPattern", "DisposableStack",
  "Headers.prototype.getSetCookie", "ReadableStream.from", "ReadableStream.prototype.values", "Response.prototype.bytes", "Blob.prototype.bytes",
  "requestIdleCallback", "cookieStore", "ClipboardItem", "CloseWatcher", "HTMLElement.prototype.hidePopover", "HTMLElement.prototype.togglePopover",
  "HTMLDialogElement.prototype.requestClose", "Element.prototype.moveBefore", "Element.prototype.checkVisibility", "Element.prototype.setHTMLUnsafe",
  "Document.prototype.startViewTransition", "HTMLElement.prototype.showPopover", "scheduler", "navigation",
];

/** Whether a page has the function or object of this name. */
const has = (name) => name.split(".").reduce((object, part) => object?.[part], globalThis) !== undefined;

const old = (page, names = MISSING) => page.addInitScript((names) => {
  for (const name of names) {
    const parts = name.split(".");
    const last = parts.pop();
    const place = parts.reduce((object, part) => object?.[part], globalThis);
    if (place) delete place[last];
  }
}, names);

test("a user of an old browser logs in, saves, downloads and logs out", async ({ page }) => {
  await old(page);
  const person = await account(page.request);
  await page.goto("/login");
  expect(await page.evaluate(`${JSON.stringify(MISSING)}.filter(${has})`)).toEqual([]);
  await logIn(page, person);
  await expect(page.getByRole("heading", { name: `Hola, ${person.name}` })).toBeVisible();
  await page.goto("/perfil");
  await page.getByLabel("Nombre completo").fill("Ana María");
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await expect(page.getByText("Nombre guardado.")).toBeVisible();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Descargar mis datos" }).click();
  await downloading;
  await page.goto("/llaves");
  await page.getByLabel("Nombre de la llave nueva").fill("Móvil");
  await page.getByRole("button", { name: "Crear llave de acceso" }).click();
  await expect(page.getByText("Este navegador no puede usar llaves de acceso aquí.")).toBeVisible();
  await page.getByRole("button", { name: "Cerrar sesión" }).click();
  await expect(page.getByText("Has cerrado la sesión.")).toBeVisible();
  expect(await session(page)).toBeUndefined();
});

test("a client with an address works in an old browser, and one with a wrong address says what to write", async ({ page }) => {
  await old(page);
  await page.goto("/terminos");
  const told = await page.evaluate(async () => {
    const { createAccountClient } = await import("/client/index.js");
    const { code } = await createAccountClient({ baseUrl: location.origin }).session();
    try {
      createAccountClient({ baseUrl: "api.example.com" });
    } catch (error) {
      return [code, error.name, error.message];
    }
  });
  expect(told).toEqual(["no-session", "TypeError", expect.stringContaining("https://api.example.com")]);
});

test("README and the client's README name the same oldest browsers", () => {
  const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  for (const path of ["README.md", "web/client/README.md"]) expect(read(path), path).toContain("Chrome and Edge 109, Firefox 115, and Safari 16.4");
});

test("without :has() and the unprefixed mask, the chosen picture has its tick and the drawing has its shape", async ({ page }) => {
  await page.route("**/*.css", async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    await route.fulfill({ response, body: text.replaceAll(":has(", ":lacking(").replaceAll(/(?<![-\w])mask:/g, "lacking:") });
  });
  const shape = () => page.locator(".beside").evaluate((main) => getComputedStyle(main, "::before").maskImage);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/login");
  expect(await shape()).toContain("motif.svg");
  const person = await account(page.request);
  await logIn(page, person);
  await expect(page.getByRole("heading", { name: `Hola, ${person.name}` })).toBeVisible();
  await page.goto("/perfil#imagen");
  const tick = (name) => page.getByRole("img", { name }).evaluate((image) => getComputedStyle(image.nextElementSibling, "::after").content);
  expect([await tick("Sin imagen"), await tick("Melena rubia")]).toEqual([expect.stringContaining("✓"), "none"]);
});

test("no style needs more than the oldest browsers have: no rule is inside another, and a sign has a value without its spoken text", () => {
  const folder = new URL("../../../web/assets/", import.meta.url);
  const sheets = readdirSync(folder).filter((name) => name.endsWith(".css"));
  expect(sheets.length).toBeGreaterThan(4);
  for (const name of sheets) {
    const text = readFileSync(new URL(name, folder), "utf8");
    expect(text.match(/&/g), name).toBeNull();
    for (const [, plain, sign] of text.matchAll(/(?:content: ("[^"]+");\s*)?content: ("[^"]+") \/ "";/g)) expect(plain, `${name} ${sign}`).toBe(sign);
  }
});
