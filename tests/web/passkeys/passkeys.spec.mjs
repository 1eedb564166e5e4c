// Passkeys, with the virtual authenticators of Chromium.

import { account, device, expect, logIn, resetLink, session, signedIn, test, verified, withoutSignals, withoutSilence, withoutSession } from "../support.mjs";

/** Disables the browser's autofill of passkeys. */
const withoutAutofill = (page) => page.addInitScript(() => {
  PublicKeyCredential.isConditionalMediationAvailable = async () => false;
});

/** Creates a passkey on its page. */
async function create(page, name) {
  await page.goto("/llaves");
  await page.getByLabel("Nombre de la llave nueva").fill(name);
  await page.getByRole("button", { name: "Crear llave de acceso" }).click();
}

/** Creates a passkey, and ends the session. */
async function createdAndOut(page, name = "Portátil") {
  await create(page, name);
  await expect(page.getByText("Llave de acceso creada")).toBeVisible();
  await withoutSession(page);
}

/** Asks for a login with the button of the login page. */
async function useKey(page) {
  await page.goto("/login");
  await page.getByRole("button", { name: "Entrar con una llave de acceso" }).click();
}

/** Waits until the start page has all its answers. If the session ended before, the page would go on to the login page. */
async function atHome(page) {
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("heading", { level: 1, name: /^Hola, ./ })).toBeVisible();
  await expect(page.locator("#next-waiting")).toBeHidden();
  await page.waitForLoadState("networkidle");
}

const keys = (page) => page.locator("#passkeys").getByRole("listitem");

test("a user creates a passkey, logs in with it from the autofill of the email, and removes it", async ({ page }) => {
  const { email } = await signedIn(page);
  const phone = await device(page);
  await page.goto("/seguridad");
  await page.getByRole("link", { name: "Ver las llaves de acceso" }).click();
  await expect(keys(page)).toHaveCount(0);
  await createdAndOut(page, "Móvil de Ana");
  expect(await phone.credentials()).toHaveLength(1);

  await page.goto("/login?volver=%2Fllaves");
  await expect(page).toHaveURL("/llaves");
  expect(await session(page)).toMatchObject({ email });
  await expect(keys(page)).toHaveText(/Móvil de Ana.*Último uso: /);

  await page.getByRole("button", { name: "Eliminar la llave Móvil de Ana" }).click();
  await expect(page.getByText("Es tu única llave de acceso")).toBeVisible();
  await page.getByRole("button", { name: "Sí, eliminar la llave Móvil de Ana" }).click();
  await expect(page.getByText("Llave de acceso eliminada")).toBeVisible();
  await expect(keys(page)).toHaveCount(0);
});

test("a browser without the autofill of passkeys has a button for them", async ({ page }) => {
  await withoutAutofill(page);
  const { email } = await signedIn(page);
  await device(page);
  await createdAndOut(page);
  await page.goto("/login");
  await page.getByRole("button", { name: "Entrar con una llave de acceso" }).click();
  await expect(page).toHaveURL("/");
  expect(await session(page)).toMatchObject({ email });
});

test("a browser without passkeys has neither the button nor an error", async ({ page }) => {
  await page.addInitScript(() => delete globalThis.PublicKeyCredential);
  const person = await account(page.request);
  await page.goto("/login");
  await expect(page.getByRole("button", { name: "Entrar con una llave de acceso" })).toBeHidden();
  await logIn(page, person);
  await expect(page).toHaveURL("/");
});

test("a failure of the service to send passkey options is not reported, and a button offers another try", async ({ page }) => {
  await device(page);
  await page.route("**/passkeyLoginOptions.php", (route) => route.fulfill({ status: 503, json: { message: "Service Unavailable" } }), { times: 1 });
  await page.goto("/login?registro=1");
  await expect(page.getByRole("button", { name: "Entrar con una llave de acceso" })).toBeVisible();
  await expect(page.getByText("Cuenta creada. Ya puedes iniciar sesión.")).toBeVisible();
  await expect(page.locator("#notice")).toHaveClass(/\bgood\b/);
});

test("a cancelled login from the autofill is not reported, and can be repeated with a button", async ({ page }) => {
  const { email } = await signedIn(page);
  const phone = await device(page);
  await createdAndOut(page);
  await phone.verifies(false);
  await page.goto("/login");
  const button = page.getByRole("button", { name: "Entrar con una llave de acceso" });
  await expect(button).toBeVisible();
  await expect(page.locator("#notice")).toBeEmpty();
  await phone.verifies(true);
  await button.click();
  await expect(page).toHaveURL("/");
  expect(await session(page)).toMatchObject({ email });
});

test("a browser that cannot read the service's options says so, but not as an error", async ({ page }) => {
  await withoutAutofill(page);
  await page.addInitScript(() => { delete PublicKeyCredential.parseCreationOptionsFromJSON; });
  await page.goto("/login");
  await page.getByRole("button", { name: "Entrar con una llave de acceso" }).click();
  const notice = page.locator("#notice");
  await expect(notice).toContainText("Este navegador no puede usar llaves de acceso aquí. Entra de otra forma.");
  await expect(notice).toHaveClass(/\binfo\b/);
  await expect(notice).toBeFocused();
  expect(await page.title()).not.toMatch(/^Error/);
});

test("a device holds one passkey of an account, and another device gets one of its own", async ({ page }) => {
  await signedIn(page);
  await device(page);
  await create(page, "Portátil");
  await expect(page.getByText("Llave de acceso creada")).toBeVisible();
  await create(page, "Otra vez");
  await expect(page.getByText("Este dispositivo ya tiene una llave de acceso de tu cuenta.")).toBeVisible();
  await device(page, { transport: "usb" });
  await create(page, "Llave USB");
  await expect(keys(page)).toHaveCount(2);
  await expect(keys(page).filter({ hasText: "Portátil" })).toHaveText(/Aún sin usar/);
});

test("a refusal of the person or the device is reported, and the form keeps its values", async ({ page }) => {
  await signedIn(page);
  const phone = await device(page);
  await phone.verifies(false);
  await create(page, "Móvil");
  await expect(page.getByText("No se ha completado la operación con la llave de acceso")).toBeVisible();
  await expect(page.locator("#create .notice")).toHaveClass(/\binfo\b/);
  expect(await page.title()).not.toMatch(/^Error/);
  await expect(page.getByLabel("Nombre de la llave nueva")).toHaveValue("Móvil");
  await phone.verifies(true);
  await page.getByRole("button", { name: "Crear llave de acceso" }).click();
  await expect(page.getByText("Llave de acceso creada")).toBeVisible();
});

test("a removed passkey opens no session, and one that the device has lost can be replaced", async ({ page }) => {
  await withoutAutofill(page);
  await withoutSignals(page);
  await signedIn(page);
  const phone = await device(page);
  await create(page, "Móvil");
  await page.getByRole("button", { name: "Eliminar la llave Móvil" }).click();
  await page.getByRole("button", { name: "Sí, eliminar la llave Móvil" }).click();
  await expect(page.getByText("Llave de acceso eliminada. Hemos cerrado tus demás sesiones. Si tu dispositivo la sigue ofreciendo, bórrala en sus ajustes de contraseñas.")).toBeVisible();
  await withoutSession(page);
  await page.goto("/login");
  await page.getByRole("button", { name: "Entrar con una llave de acceso" }).click();
  await expect(page.getByText("Esa llave de acceso no sirve aquí. Entra de otra forma. Si la eliminaste de tu cuenta y tu dispositivo la sigue ofreciendo, bórrala")).toBeVisible();
  expect(await session(page)).toBeUndefined();
  await phone.forget();
  await signedIn(page);
  await create(page, "Móvil nuevo");
  await expect(page.getByText("Llave de acceso creada")).toBeVisible();
});

test("the password still works while a login waits in the autofill", async ({ page }) => {
  const person = await signedIn(page);
  const phone = await device(page);
  await createdAndOut(page);
  await phone.answers(false);
  await page.goto("/login");
  await logIn(page, person);
  await expect(page).toHaveURL("/");
  expect(await session(page)).toMatchObject({ email: person.email });
});

test("a removed passkey disappears from its device, and so does one that nobody has when it is used", async ({ page }) => {
  await withoutAutofill(page);
  await signedIn(page);
  const phone = await device(page);
  await create(page, "Móvil");
  await expect(keys(page)).toHaveCount(1);
  const [removed] = await phone.credentials();
  await page.getByRole("button", { name: "Eliminar la llave Móvil" }).click();
  await page.getByRole("button", { name: "Sí, eliminar la llave Móvil" }).click();
  await expect(page.getByText("Llave de acceso eliminada.")).toBeVisible();
  await expect.poll(() => phone.credentials()).toEqual([]);
  await withoutSession(page);
  await page.goto("/login");
  await phone.holds(removed);
  await page.getByRole("button", { name: "Entrar con una llave de acceso" }).click();
  await expect(page.getByText("Esa llave de acceso no sirve aquí.")).toBeVisible();
  await expect.poll(() => phone.credentials()).toEqual([]);
});

test("a login tells the device which passkeys the account still has", async ({ page, browser }) => {
  const person = await signedIn(page);
  const phone = await device(page);
  await create(page, "Móvil");
  await expect(keys(page)).toHaveCount(1);
  const other = await browser.newPage();
  await signedIn(other, person);
  await other.goto("/llaves");
  await other.getByRole("button", { name: "Eliminar la llave Móvil" }).click();
  await other.getByRole("button", { name: "Sí, eliminar la llave Móvil" }).click();
  await expect(other.getByText("Llave de acceso eliminada.")).toBeVisible();
  await other.close();
  expect(await phone.credentials()).toHaveLength(1);
  await phone.answers(false);
  await withoutSilence(page);
  await page.goto("/login");
  await logIn(page, person);
  await expect(page).toHaveURL("/");
  await expect.poll(() => phone.credentials()).toEqual([]);
});

test("a device that cannot store passkeys creates none, and the page says so", async ({ page }) => {
  await signedIn(page);
  const key = await device(page, { transport: "usb", hasResidentKey: false });
  await create(page, "Llave USB");
  await expect(page.getByText("No se ha completado la operación con la llave de acceso")).toBeVisible();
  expect(await key.credentials()).toHaveLength(0);
  await expect(keys(page)).toHaveCount(0);
});

test("a copy of a passkey whose counter is behind is refused, and the passkey itself still works", async ({ page }) => {
  await withoutAutofill(page);
  const { email } = await signedIn(page);
  const phone = await device(page);
  await createdAndOut(page);
  const [copy] = await phone.credentials();
  await useKey(page);
  await atHome(page);
  const [used] = await phone.credentials();
  expect(used.signCount).toBeGreaterThan(copy.signCount);
  await withoutSession(page);
  await phone.forget();
  await phone.holds({ ...copy, signCount: 0 });
  await useKey(page);
  await expect(page.getByText("Esa llave de acceso no sirve aquí")).toBeVisible();
  expect(await session(page)).toBeUndefined();
  await phone.forget();
  await phone.holds(used);
  await useKey(page);
  await expect(page).toHaveURL("/");
  expect(await session(page)).toMatchObject({ email });
});

test("a login without user verification or with a lost key is not an error, and other ways to log in remain", async ({ page }) => {
  await withoutAutofill(page);
  const person = await signedIn(page);
  const phone = await device(page);
  await createdAndOut(page);
  const [lost] = await phone.credentials();
  const ended = page.getByText("No se ha completado la operación con la llave de acceso");
  await phone.verifies(false);
  await useKey(page);
  await expect(ended).toBeVisible();
  await expect(page.locator("#notice")).toHaveClass(/\binfo\b/);
  expect(await session(page)).toBeUndefined();
  await phone.verifies(true);
  await phone.forget();
  await useKey(page);
  await expect(ended).toBeVisible();
  expect(await session(page)).toBeUndefined();
  await page.getByLabel("Email", { exact: true }).fill(person.email);
  await page.getByLabel("Contraseña", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
  await atHome(page);
  await withoutSession(page);
  await phone.holds(lost);
  await useKey(page);
  await expect(page).toHaveURL("/");
  expect(await session(page)).toMatchObject({ email: person.email });
});

test("a new password by a mailed link removes the passkeys only if its box is ticked", async ({ page }) => {
  await withoutAutofill(page);
  const person = await verified(page);
  await device(page);
  await create(page, "Portátil");
  await expect(keys(page)).toHaveCount(1);
  for (const [password, ticked] of [["Nueva1234", false], ["Otra12345", true]]) {
    await page.goto("/recuperar");
    await page.getByLabel("Email").fill(person.email);
    await page.getByRole("button", { name: "Enviar enlace" }).click();
    await expect(page.getByRole("heading", { name: "Revisa tu correo" })).toBeVisible();
    await page.goto(await resetLink(page.request, person.email));
    await page.getByLabel("Contraseña nueva", { exact: true }).fill(password);
    await page.getByLabel("Repite la contraseña nueva", { exact: true }).fill(password);
    const box = page.getByRole("checkbox", { name: "Quitar también las llaves de acceso" });
    await expect(box).not.toBeChecked();
    await expect(box).toHaveAccessibleDescription(/^Márcala si crees/);
    await box.setChecked(ticked);
    await page.getByRole("button", { name: "Guardar contraseña" }).click();
    const told = "Contraseña cambiada. Tu cuenta ya no tiene llaves de acceso.";
    await expect(page.getByText(ticked ? told : "Contraseña cambiada. Hemos cerrado todas las sesiones.")).toBeVisible();
    await logIn(page, { ...person, password });
    await atHome(page);
    await page.goto("/llaves");
    await expect(ticked ? page.getByText("Aún no tienes ninguna llave de acceso.") : keys(page)).toBeVisible();
  }
});
