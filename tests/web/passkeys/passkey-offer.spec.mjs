// The passkey after a login with the password: one that the browser creates without a question, or the offer of one.

import { account, device, expect, logIn, test, withoutSignals, withoutSilence, withoutSession } from "../support.mjs";

/**
 * A browser that creates a passkey without a question if `agrees`, or refuses to. Chromium's own decision depends on its password
 * manager, which tests have none of.
 */
const withSilence = (page, agrees) => page.addInitScript((agrees) => {
  const { create } = CredentialsContainer.prototype;
  CredentialsContainer.prototype.create = async function asked({ mediation, ...options }) {
    if (mediation === "conditional" && !agrees) throw new DOMException("no", "NotAllowedError");
    return create.call(this, options);
  };
}, agrees);

/** Waits until the start page has all its answers. If the session ended before, the page would go on to the login page. */
async function atHome(page) {
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("heading", { level: 1, name: /^Hola, ./ })).toBeVisible();
  await expect(page.locator("#next-waiting")).toBeHidden();
  await page.waitForLoadState("networkidle");
}

/** Waits for the notice of a new passkey. */
const mailedNotice = (request, email) => expect(async () => {
  const mails = await (await request.get(`/_local/mail?to=${encodeURIComponent(email)}`)).json();
  expect(mails.map(({ subject }) => subject)).toContain("Tu cuenta tiene una llave de acceso nueva");
}).toPass();

const keys = (page) => page.locator("#passkeys").getByRole("listitem");

test("after a login with the password the browser creates a passkey without a question, and once it is removed no other", async ({ page }) => {
  await withSilence(page, true);
  const person = await account(page.request);
  const phone = await device(page);
  const offer = page.getByRole("region", { name: "Entra sin contraseña" });
  const again = async () => {
    await withoutSession(page);
    await page.goto("/login");
    await logIn(page, person);
    await atHome(page);
  };
  await again();
  await expect.poll(() => page.evaluate(() => localStorage.getItem("passkey-offer"))).toBe("never");
  expect(await phone.credentials()).toHaveLength(1);
  await expect(offer).toBeHidden();
  await page.goto("/llaves");
  await expect(keys(page)).toHaveText(/^Chrom\w+ en Linux.*Aún sin usar/);
  await mailedNotice(page.request, person.email);

  await withoutSession(page);
  await page.goto("/login?volver=%2Fllaves");
  await expect(page).toHaveURL("/llaves");
  await expect(keys(page)).toHaveText(/Último uso: /);
  await page.getByRole("button", { name: /^Eliminar la llave Chrom/ }).click();
  await page.getByRole("button", { name: /^Sí, eliminar la llave Chrom/ }).click();
  await expect(keys(page)).toHaveCount(0);
  await again();
  await page.waitForLoadState("networkidle");
  expect(await phone.credentials()).toHaveLength(0);
  await expect(offer).toBeHidden();
});

test("a passkey is offered if the browser refuses to create one without a question", async ({ page }) => {
  await withSilence(page, false);
  const person = await account(page.request);
  await device(page);
  await page.goto("/login");
  await logIn(page, person);
  await expect(page.getByRole("region", { name: "Entra sin contraseña" })).toBeVisible();
});

test("a passkey is offered after a login with the password, and never again after a no", async ({ page }) => {
  await withoutSilence(page);
  await withoutSignals(page);
  const person = await account(page.request);
  await device(page);
  const offer = page.getByRole("region", { name: "Entra sin contraseña" });
  const again = async () => {
    await withoutSession(page);
    await page.goto("/login");
    await logIn(page, person);
    await expect(page.getByRole("heading", { name: /^Hola/ })).toBeVisible();
  };
  await again();
  await expect(offer).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Tu cuenta" })).toBeVisible();
  await expect(offer).toBeHidden();
  await page.evaluate(() => localStorage.setItem("passkey-offer", String(Date.now() - 31 * 24 * 60 * 60 * 1000)));
  await again();
  await offer.getByRole("button", { name: "No, gracias" }).click();
  await expect(offer).toBeHidden();
  await page.evaluate(() => sessionStorage.setItem("offer", "1"));
  const asked = page.waitForRequest((request) => request.url().endsWith("passkeys.php"), { timeout: 2_000 }).catch(() => "none");
  await page.reload();
  await expect(page.getByRole("heading", { name: "Tu cuenta" })).toBeVisible();
  expect(await asked).toBe("none");
  await expect(offer).toBeHidden();
});

test("for a month after an offer, a login with the password makes no other offer", async ({ page }) => {
  await withoutSilence(page);
  await withoutSignals(page);
  const person = await account(page.request);
  await device(page);
  const offer = page.getByRole("region", { name: "Entra sin contraseña" });
  let asked = 0;
  page.on("request", (request) => { asked += Number(request.url().endsWith("/passkeys.php")); });
  const again = async () => {
    await withoutSession(page);
    await page.goto("/login");
    await logIn(page, person);
    // The page clears its note to offer a passkey at the moment when it decides.
    await page.waitForFunction(() => location.pathname === "/" && sessionStorage.getItem("offer") === null);
  };
  await again();
  await expect(offer).toBeVisible();
  expect(asked).toBe(1);
  for (const days of [0, 29]) {
    await page.evaluate((days) => localStorage.setItem("passkey-offer", String(Date.now() - days * 24 * 60 * 60 * 1000)), days);
    await again();
    await page.waitForLoadState("networkidle");
    expect(asked).toBe(1);
    await expect(offer).toBeHidden();
  }
});
