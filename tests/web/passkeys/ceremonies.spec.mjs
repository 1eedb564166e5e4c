// What happens around the ceremony of a passkey: before the press, and with the answers of password managers.

import { device, expect, session, signedIn, test, withoutSession } from "../support.mjs";

const keys = (page) => page.locator("#passkeys").getByRole("listitem");

/** Keeps what the service has been asked before the browser is asked for a passkey. */
const ceremonies = (page) => page.addInitScript(() => {
  for (const name of ["create", "get"]) {
    const own = CredentialsContainer.prototype[name];
    CredentialsContainer.prototype[name] = function asked(options) {
      performance.mark(`ceremony-${name}`);
      return own.call(this, options);
    };
  }
  addEventListener("click", () => performance.mark("press"), true);
});

/** The requests to the service between the last press and the ceremony. */
const between = (page, name) => page.evaluate((mark) => {
  const press = performance.getEntriesByName("press").at(-1).startTime;
  const ceremony = performance.getEntriesByName(mark).at(-1).startTime;
  return performance.getEntriesByType("resource").filter(({ name, startTime }) => name.includes("/app/") && startTime > press && startTime < ceremony).map(({ name }) => name);
}, `ceremony-${name}`);

test("the browser is asked for a passkey right after the press, without a request in between", async ({ page }) => {
  await page.addInitScript(() => { PublicKeyCredential.isConditionalMediationAvailable = async () => false; });
  await ceremonies(page);
  const { email } = await signedIn(page);
  await device(page);
  await page.goto("/llaves");
  const ready = page.waitForResponse("**/passkeyRegisterOptions.php");
  await page.getByLabel("Nombre de la llave nueva").fill("Móvil");
  await ready;
  await page.getByRole("button", { name: "Crear llave de acceso" }).click();
  await expect(keys(page)).toHaveCount(1);
  expect(await between(page, "create")).toEqual([]);

  await withoutSession(page);
  const offered = page.waitForResponse("**/passkeyLoginOptions.php");
  await page.goto("/login");
  await offered;
  await page.route("**/passkeyLogin.php", async (route) => {
    expect(await between(page, "get")).toEqual([]);
    await route.continue();
  });
  await page.getByRole("button", { name: "Entrar con una llave de acceso" }).click();
  await expect(page).toHaveURL("/");
  expect(await session(page)).toMatchObject({ email });
});

for (const [name, spoil] of Object.entries({
  "no toJSON": () => { delete PublicKeyCredential.prototype.toJSON; },
  "a toJSON that fails": () => { PublicKeyCredential.prototype.toJSON = () => { throw new TypeError("Illegal invocation"); }; },
})) {
  test(`a credential with ${name} is stored, and opens a session`, async ({ page }) => {
    await page.addInitScript(spoil);
    await page.addInitScript(() => { PublicKeyCredential.isConditionalMediationAvailable = async () => false; });
    const { email } = await signedIn(page);
    await device(page);
    await page.goto("/llaves");
    await page.getByLabel("Nombre de la llave nueva").fill("Móvil");
    await page.getByRole("button", { name: "Crear llave de acceso" }).click();
    await expect(page.getByText("Llave de acceso creada")).toBeVisible();
    await withoutSession(page);
    await page.goto("/login");
    await page.getByRole("button", { name: "Entrar con una llave de acceso" }).click();
    await expect(page).toHaveURL("/");
    expect(await session(page)).toMatchObject({ email });
  });
}
