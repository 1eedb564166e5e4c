// The states of the pages: each has a heading, a title that mentions errors, its stored pictures unless another state looks
// alike, and no faults that axe finds.

import { STATES } from "./states/index.mjs";
import { PICTURED, VARIANTS, astray, isPictured, looksAsBefore, show, stored } from "./pictures.mjs";
import { ana, expect, faults, register, session, signedIn, somebody, test } from "../support.mjs";

/** Waits for the parts of a page that appear after it has loaded: Google's button, and the answers about the account. */
async function complete(page) {
  const google = page.locator("#google-section");
  if (await google.count()) await expect(google).toBeVisible();
  const missing = page.locator("#next-waiting:visible, #content :text-is('Comprobando…'):visible");
  await expect(missing).toHaveCount(0);
}

for (const [name, { at, heading, text, bad = false, user, stack, script, still, before, reach, part }] of Object.entries(STATES)) {
  test.describe(`the state ${name}`, () => {
    test.use({
      ...(stack && { baseURL: process.env[`${stack}_URL`], elsewhere: ["challenges.cloudflare.com"] }),
      ...(script === false && { javaScriptEnabled: false }),
      timezoneId: "Europe/Madrid",
    });

    test("has a heading, a title that mentions errors, its pictures and no faults", async ({ page }) => {
      if (user) await ana(page);
      if (still) await page.clock.install({ time: "2026-01-15T10:00:00Z" });
      await before?.(page);
      await page.goto(at);
      if (still) await page.clock.pauseAt("2026-01-15T11:00:00Z");
      if (reach) {
        await expect(page.locator("main button:disabled:visible")).toHaveCount(0);
        await reach(page);
      }
      // Playwright finds no text in a <noscript>.
      const seen = script === false ? page.locator("noscript .notice") : page.getByText(text);
      await expect(seen.filter({ visible: true }).first()).toBeVisible();
      if (script !== false) await complete(page);
      await expect(page.getByRole("heading", { level: 1 }).filter({ visible: true })).toHaveText([heading]);
      await expect.poll(async () => (await page.title()).startsWith("Error: ")).toBe(bad);
      await page.mouse.move(0, 0);
      for (const variant of isPictured(name) ? PICTURED : []) {
        await show(page, variant, part);
        await looksAsBefore(page, `${name}-${variant.name}.png`);
      }
      // axe needs scripts and a running clock.
      if (script === false) return;
      if (still) await page.clock.resume();
      for (const variant of VARIANTS) {
        await show(page, variant, part);
        expect.soft(await faults(page), variant.name).toEqual([]);
      }
    });
  });
}

test("each picture of a page belongs to a state", () => {
  test.skip(process.env.SCREENSHOTS === "write", "new pictures are being written");
  expect(astray(Object.keys(STATES))).toEqual([]);
  const wanted = Object.keys(STATES).filter(isPictured).flatMap((name) => PICTURED.map((variant) => `${name}-${variant.name}.png`));
  expect(stored()).toEqual(wanted.sort());
});

test("an empty live region stays in the accessibility tree, and errors at fields do not speak over each other", async ({ page }) => {
  await page.goto("/registro");
  expect(await page.locator("#notice").evaluate((node) => [node.textContent, getComputedStyle(node).display])).toEqual(["", "block"]);
  await page.getByRole("button", { name: "Crear cuenta" }).click();
  await expect(page.getByText("Escribe tu nombre completo.")).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("the header knows who is signed in, also on pages for everybody", async ({ page }) => {
  const menu = page.getByRole("navigation", { name: "Principal" });
  await page.goto("/terminos");
  await expect(menu.getByRole("link", { name: "Crear cuenta" })).toBeVisible();
  await signedIn(page);
  for (const address of ["/terminos", "/privacidad", "/no-existe"]) {
    await page.goto(address);
    await expect(menu.getByRole("link", { name: "Perfil" })).toBeVisible();
    await expect(menu.getByRole("link", { name: "Crear cuenta" })).toBeHidden();
  }
  await page.goto("/perfil");
  await expect(menu.getByRole("link", { name: "Perfil" })).toHaveAttribute("aria-current", "page");
  await page.goto("/login?volver=%2Fsesiones");
  await expect(page).toHaveURL("/sesiones");
});

test("the email is carried from page to page, but not in URLs, until the user is signed in", async ({ page }) => {
  const person = somebody();
  const email = page.getByLabel("Email", { exact: true });
  await page.goto("/login");
  await email.fill(person.email);
  await page.getByRole("link", { name: "¿Has olvidado tu contraseña?" }).click();
  await expect(page).toHaveURL("/recuperar");
  await expect(email).toHaveValue(person.email);
  await page.getByRole("link", { name: "Crear cuenta" }).click();
  await expect(page).toHaveURL("/registro");
  await expect(email).toHaveValue(person.email);
  await register(page, person);
  await expect(page.getByText("Cuenta creada. Ya has iniciado sesión.")).toBeVisible();
  await expect.poll(() => page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("a section of the profile keeps what another browser has changed in the others", async ({ page, browser }) => {
  const person = await signedIn(page);
  await page.goto("/perfil");
  await expect(page.getByLabel("Nombre completo")).toHaveValue(person.name);
  const phone = await browser.newPage();
  await signedIn(phone, person);
  await phone.goto("/perfil");
  await phone.getByLabel("Quiero recibir el boletín").check();
  await phone.getByRole("button", { name: "Guardar", exact: true }).click();
  await expect(phone.getByText("Te has apuntado al boletín.")).toBeVisible();
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await expect(page.getByText("Nombre guardado.")).toBeVisible();
  expect(await session(page)).toMatchObject({ accept_news: 1 });
  await phone.close();
});

test("browsers and password managers find their files", async ({ request }) => {
  const change = await request.get("/.well-known/change-password", { maxRedirects: 0 });
  expect([change.status(), change.headers().location]).toEqual([302, "/seguridad#contrasena"]);
  const passkeys = await request.get("/.well-known/passkey-endpoints", { maxRedirects: 0 });
  const page = new URL("/llaves", passkeys.url()).href;
  expect([passkeys.status(), passkeys.headers()["content-type"], await passkeys.json()]).toEqual([200, "application/json", { enroll: page, manage: page }]);
  for (const [path, type] of [["/favicon.ico", "image/x-icon"], ["/assets/apple-touch-icon.png", "image/png"], ["/manifest.webmanifest", "application/manifest+json"]]) {
    const answer = await request.get(path);
    expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, type]);
  }
});

test("the motif is only beside the card on wide screens, and never in print or forced colours", async ({ page }) => {
  await page.goto("/login");
  const drawn = () => page.locator("main").evaluate((main) => getComputedStyle(main, "::before").content === '""'
    && getComputedStyle(main, "::before").display !== "none");
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await drawn()).toBe(true);
  await page.setViewportSize({ width: 844, height: 390 });
  expect(await drawn()).toBe(false);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ media: "print" });
  expect(await drawn()).toBe(false);
  await page.emulateMedia({ media: "screen", forcedColors: "active" });
  expect(await drawn()).toBe(false);
});
