// The bytes, headers and links of every page, and the frame that all pages share.

import { gzipSync } from "node:zlib";
import { PAGES, PROTECTED, expect, signedIn, test } from "../support.mjs";

/** The most bytes that a page may transfer, not counting avatars. CloudFront compresses files of 1,000 bytes and more. */
const TRANSFERRED = 34_500;
const COMPRESSED_FROM = 1_000;
/** The most bytes that a page may transfer with avatars. The picker loads its pictures when it is unfolded. */
const WITH_AVATARS = 45_000;
/** The bytes before compression. */
const WEIGHT = 80_300;
/** The bytes that the motif adds on wide screens. */
const MOTIF = { transferred: 600, whole: 1_500 };

/** The bytes of the files that a page has loaded so far, before compression and as they are transferred. */
async function weight(loaded) {
  // The local stack's replacement of Google's script is not a file of the pages.
  const files = new Map(loaded.map((response) => [response.url(), response]));
  const counted = [...files.values()].filter((response) => !response.url().includes("/_local/"));
  const [avatars, others] = [true, false].map((avatar) => counted.filter((response) => response.url().includes("/avatars/") === avatar));
  const total = async (responses, size) => {
    const bodies = await Promise.all(responses.map((response) => response.body().catch(() => Buffer.alloc(0))));
    return bodies.reduce((sum, body) => sum + size(body), 0);
  };
  const whole = ({ length }) => length;
  const transferred = await total(others, (body) => (body.length < COMPRESSED_FROM ? body : gzipSync(body)).length);
  return { transferred, whole: await total(others, whole), withAvatars: transferred + (await total(avatars, whole)) };
}

/** Checks the weight on the phone that the page was opened on, and then on a desktop, where some pages show the motif too. */
async function expectLight(page, loaded) {
  const onPhone = await weight(loaded);
  const motif = (await page.locator("main.beside").count()) ? page.waitForResponse("**/motif.svg") : undefined;
  await page.setViewportSize({ width: 1280, height: 800 });
  await motif;
  const onDesktop = await weight(loaded);
  expect(onPhone.transferred, "transferred bytes on a phone").toBeLessThan(TRANSFERRED);
  expect(onDesktop.transferred, "transferred bytes on a desktop").toBeLessThan(TRANSFERRED + (motif ? MOTIF.transferred : 0));
  expect(onDesktop.withAvatars, "transferred bytes with avatars").toBeLessThan(WITH_AVATARS);
  expect(onPhone.whole, "bytes before compression on a phone").toBeLessThan(WEIGHT);
  expect(onDesktop.whole, "bytes before compression on a desktop").toBeLessThan(WEIGHT + (motif ? MOTIF.whole : 0));
}

/** Opens a page and waits until it shows its content. */
async function open(page, address) {
  if (PROTECTED.includes(address)) await signedIn(page);
  const answer = await page.goto(address);
  await expect(page.getByRole("heading", { level: 1, name: PAGES[address] })).toBeVisible();
  await page.waitForLoadState("networkidle");
  return answer;
}

for (const address of Object.keys(PAGES)) {
  test(`${address} transfers few bytes and has the security headers`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    const loaded = [];
    page.on("response", (response) => loaded.push(response));
    const answer = await open(page, address);
    expect(answer.status()).toBe(address === "/no-existe" ? 404 : 200);

    await expectLight(page, loaded);

    expect(answer.headers()).toMatchObject({
      "content-security-policy": expect.stringContaining("default-src 'none'"),
      "cross-origin-opener-policy": "same-origin-allow-popups",
      "referrer-policy": "strict-origin",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
  });
}

test("the home page with the offer of a passkey transfers few bytes", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.addInitScript(() => {
    sessionStorage.setItem("offer", "1");
    PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable = async () => true;
    PublicKeyCredential.getClientCapabilities = async () => ({});
  });
  const loaded = [];
  page.on("response", (response) => loaded.push(response));
  await open(page, "/");
  await expect(page.getByText("Entra sin contraseña")).toBeVisible();
  await expectLight(page, loaded);
});

test.describe("a stack that is its own captcha provider", () => {
  test.use({ baseURL: process.env.ALTCHA_URL });

  test("has a login that transfers few bytes", async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    const loaded = [];
    page.on("response", (response) => loaded.push(response));
    const proof = page.waitForResponse("**/proof.js");
    await open(page, "/login");
    await proof;
    await expectLight(page, loaded);
  });
});

test("all pages have the same frame except for the links of signed-in users", async ({ request }) => {
  const frames = { open: new Set(), closed: new Set() };
  for (const address of Object.keys(PAGES)) {
    const html = await (await request.get(address)).text();
    const frame = html
      .replace(/<main[\s\S]*<\/main>/, "")
      .replace(/ aria-current="(page|true)"/, "")
      .replace(/<link rel="stylesheet" href="\/assets\/(account|home|legal|lists|pages|profile|security).css">\n/g, "")
      .replace(/<link rel="modulepreload".*>\n/g, "")
      .replace(/<title>.*<\/title>|<meta name="(description|robots)".*>\n?|<script.*<\/script>\n?/g, "");
    frames[PROTECTED.includes(address) ? "closed" : "open"].add(frame);
  }
  expect([frames.open.size, frames.closed.size]).toEqual([1, 1]);
  const [[open], [closed]] = [frames.open, frames.closed];
  const withoutMenu = (frame) => frame.replace(/<nav[\s\S]*<\/nav>/, "");
  expect(withoutMenu(open)).toBe(withoutMenu(closed));
});

test("every link of a page leads to a page, and to a part that exists there", async ({ request }) => {
  const pages = Object.keys(PAGES).filter((address) => address !== "/no-existe");
  const html = new Map(await Promise.all(pages.map(async (address) => [address.split("?")[0], await (await request.get(address)).text()])));
  const links = [...html.values()].flatMap((text) => [...text.matchAll(/<a [^>]*href="(\/[^"#?]*)?(?:\?[^"#]*)?(?:#([^"]*))?"/g)].map(([, path, part]) => [path, part, text]));
  expect(links.length).toBeGreaterThan(50);
  for (const [path, part, text] of links) {
    const target = path ? html.get(path) : text;
    expect(target, path).toBeDefined();
    if (part) expect(target, `${path}#${part}`).toContain(`id="${part}"`);
  }
});

test("each page preloads the modules that its scripts import, so that none is discovered only when another one has arrived", async ({ request, baseURL }) => {
  const imports = new Map();
  /** The modules that a module imports, not counting those that it loads later. */
  const importsOf = async (path) => {
    if (!imports.has(path)) {
      const text = await (await request.get(path)).text();
      const found = [...text.matchAll(/^(?:import|export)\s(?:[^;"(]*\sfrom\s)?"(\.[^"]+)"/gm)];
      imports.set(path, found.map(([, module]) => new URL(module, baseURL + path).pathname));
    }
    return imports.get(path);
  };
  for (const address of Object.keys(PAGES)) {
    const html = await (await request.get(address)).text();
    const scripts = [...html.matchAll(/<script type="module" src="([^"]+)">/g)].map(([, src]) => src);
    const needed = new Set(scripts);
    // A set that grows meanwhile is walked to its end.
    for (const path of needed) (await importsOf(path)).forEach((module) => needed.add(module));
    const links = [...needed].filter((path) => !scripts.includes(path)).map((path) => `<link rel="modulepreload" href="${path}">`);
    expect(html.match(/<link rel="modulepreload".*>/g), `the lines after the scripts of ${address}`).toEqual(links.sort());
  }
  expect(imports.get("/assets/site.js")).toEqual(["/client/index.js"]);
});

const SECTIONS = {
  "/perfil": ["Tus datos", "Imagen", "Boletín", "Descargar tus datos", "Eliminar cuenta"],
  "/seguridad": ["Email", "Contraseña", "Llaves de acceso", "Google", "Sesiones", "Actividad de los últimos 90 días", "¿Ves algo que no has hecho tú?"],
};

test("the sections of pages and the pictures to choose from have names of their own, and a page has one main action", async ({ page }) => {
  await signedIn(page);
  const regions = page.getByRole("main").getByRole("region");
  for (const [address, sections] of Object.entries(SECTIONS)) {
    await page.goto(address);
    await expect(regions).toHaveCount(sections.length);
    for (const [index, name] of sections.entries()) await expect(regions.nth(index)).toHaveAccessibleName(name);
    await expect(page.locator("main .button:not(.plain, .text):visible")).toHaveCount(1);
  }
  await page.goto("/perfil#imagen");
  const avatars = page.getByRole("group", { name: "Elige tu imagen" }).getByRole("radio");
  await expect(avatars).toHaveCount(11);
  const names = await page.locator("fieldset img").evaluateAll((images) => images.map(({ alt }) => alt));
  for (const [index, name] of names.entries()) await expect(avatars.nth(index)).toHaveAccessibleName(name);
  expect(new Set(names).size).toBe(11);
});

test("no page has a button to press before its script has come, when a press would be lost", async ({ page }) => {
  await page.route("**/*.js", () => {});
  for (const address of Object.keys(PAGES)) {
    await page.goto(address, { waitUntil: "commit" });
    await expect(page.getByRole("contentinfo")).toBeVisible();
    await expect(page.locator("button:enabled").filter({ visible: true }), address).toHaveCount(0);
  }
});

test("the pictures to choose from are loaded when they are unfolded, and the saved one is shown folded too", async ({ page }) => {
  const loaded = new Set();
  page.on("response", (response) => { if (response.url().includes("/avatars/")) loaded.add(response.url()); });
  await open(page, "/perfil");
  const summary = page.getByText("Cambiar la imagen");
  await expect(summary).toBeVisible();
  await page.waitForLoadState("networkidle");
  expect([...loaded].filter((url) => !url.endsWith("default.jpeg"))).toEqual([]);
  await summary.click();
  await expect.poll(() => loaded.size).toBe(11);
  await page.getByRole("radio", { name: "Trenzas castañas" }).check();
  await page.getByRole("button", { name: "Usar esta imagen" }).click();
  await expect(page.getByText("Imagen guardada.")).toBeVisible();
  await expect(page.getByAltText("Tu imagen", { exact: true })).toHaveAttribute("src", "/assets/avatars/09.jpeg");
  await page.reload();
  await expect(page.getByAltText("Tu imagen", { exact: true })).toHaveAttribute("src", "/assets/avatars/09.jpeg");
  await expect(page.getByRole("radio", { name: "Trenzas castañas" })).toBeHidden();
});

test("each of the eleven avatars is a small JPEG", async ({ request }) => {
  for (const name of ["default", ...Array.from({ length: 10 }, (_, index) => String(index + 1).padStart(2, "0"))]) {
    const answer = await request.get(`/assets/avatars/${name}.jpeg`);
    expect(answer.headers()["content-type"]).toBe("image/jpeg");
    const bytes = await answer.body();
    expect([...bytes.subarray(0, 2)]).toEqual([0xff, 0xd8]);
    expect(bytes.length).toBeLessThanOrEqual(12_000);
  }
});
