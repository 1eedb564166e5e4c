// The dialog that asks for a proof of presence: who sees what, what goes on behind it, and that nobody is held or stranded in it.

import { account, device, expect, held, logIn, loginTab, makeStale, session, signedIn, somebody, test, withoutSession } from "../support.mjs";

const NEW = "Ana sin guardar";

/** The dialog and what is in it. */
function dialogOf(page) {
  const dialog = page.getByRole("dialog", { name: "Confirma que eres tú" });
  return {
    dialog,
    password: dialog.getByLabel("Contraseña", { exact: true }),
    confirm: dialog.getByRole("button", { name: "Confirmar", exact: true }),
    passkey: dialog.getByRole("button", { name: "Usar una llave de acceso" }),
    google: dialog.getByRole("button", { name: "Continuar con Google" }),
    cancel: dialog.getByRole("button", { name: "Cancelar" }),
    anew: dialog.getByRole("link", { name: "Inicia sesión de nuevo" }),
  };
}

const exporting = (page) => page.getByRole("button", { name: /^(Descargar mis datos|Descargando…)$/ });
const told = (page, text) => page.getByRole("status").filter({ hasText: text });
const calls = (page, path) => {
  const seen = [];
  page.on("request", (request) => { if (request.url().endsWith(path)) seen.push(request.url()); });
  return seen;
};

/** What the service says that the account has. */
const says = (page, has) => page.route("**/sessions.php", async (route) => {
  const response = await route.fetch();
  await route.fulfill({ response, json: { ...(await response.json()), ...has } });
});

/** Opens the profile, types a name that is not saved, and asks for something that needs a proof. */
async function asked(page) {
  await page.goto("/perfil");
  await expect(page.getByLabel("Nombre completo")).not.toHaveValue("");
  await page.getByLabel("Nombre completo").fill(NEW);
  await makeStale(page);
  await exporting(page).click();
  const parts = dialogOf(page);
  await expect(parts.dialog).toBeVisible();
  return parts;
}

/** Logs in with Google in its window. */
async function choose(page, button, { email, name }) {
  const opened = page.context().waitForEvent("page");
  await button.click();
  const chooser = await opened;
  await chooser.getByLabel("Email").fill(email);
  await chooser.getByLabel("Name").fill(name);
  await chooser.getByRole("button", { name: "Use another account" }).click();
}

test("the password lets the refused call go on, and the page behind keeps what is typed and gets the focus back", { tag: "@firefox" }, async ({ page }) => {
  const person = await signedIn(page);
  const { dialog, password, passkey, confirm } = await asked(page);
  await expect(dialog).toHaveAccessibleDescription(/^Hace un rato que entraste\./);
  await expect(password).toBeFocused();
  await expect(passkey, "the account has none").toBeHidden();
  await confirm.click();
  await expect(password).toHaveAccessibleDescription("Escribe tu contraseña. Nunca te pediremos tu contraseña por correo ni por teléfono.");
  await password.fill("Equivocada1");
  await password.press("Enter");
  await expect(password).toHaveAccessibleDescription(/^La contraseña no es correcta\. Revísala e inténtalo de nuevo\./);
  await expect(password).toBeFocused();
  expect(await page.title()).toMatch(/^Error: /);
  await password.fill(person.password);
  await password.press("Enter");
  await expect(told(page, "Datos descargados.")).toBeVisible();
  await expect(dialog).toHaveCount(0);
  // Firefox's own list of downloads may have the keyboard now.
  expect(await exporting(page).evaluate((button) => button === document.activeElement)).toBe(true);
  await expect(page.getByLabel("Nombre completo")).toHaveValue(NEW);
  expect(await page.title()).not.toMatch(/^Error/);
  await exporting(page).click();
  await expect(exporting(page)).toHaveText("Descargar mis datos");
  await expect(dialog, "the proof is recent").toHaveCount(0);
});

test("whoever cancels has changed nothing, is told so without an error, and can try again", { tag: "@firefox" }, async ({ page }) => {
  const person = await signedIn(page);
  const { dialog, password, google, cancel } = await asked(page);
  await expect(google, "the account is not linked").toHaveCount(0);
  const sent = calls(page, "confirm.php");
  for (const leave of [() => page.keyboard.press("Escape"), () => cancel.click()]) {
    await expect(dialog).toBeVisible();
    await leave();
    await expect(dialog).toHaveCount(0);
    await expect(told(page, "Falta confirmar que eres tú.")).toHaveClass(/\binfo\b/);
    await expect(exporting(page)).toBeFocused();
    await expect(page.getByLabel("Nombre completo")).toHaveValue(NEW);
    await exporting(page).click();
  }
  expect(sent).toEqual([]);
  await password.fill(person.password);
  await password.press("Enter");
  await expect(told(page, "Datos descargados.")).toBeVisible();
});

test("a form whose call is refused keeps its values when its user cancels", async ({ page }) => {
  await signedIn(page);
  await device(page);
  await page.goto("/llaves");
  const name = page.getByLabel("Nombre de la llave nueva");
  await name.fill("Portátil");
  await makeStale(page);
  await page.getByRole("button", { name: "Crear llave de acceso" }).click();
  const { cancel } = dialogOf(page);
  await cancel.click();
  await expect(page.locator("#create .notice")).toContainText("Falta confirmar que eres tú.");
  await expect(name).toHaveValue("Portátil");
});

test("a new passkey needs a proof, and a passkey is one", async ({ page }) => {
  const person = await signedIn(page);
  const phone = await device(page);
  await page.goto("/llaves");
  await page.getByLabel("Nombre de la llave nueva").fill("Portátil");
  await makeStale(page);
  await page.getByRole("button", { name: "Crear llave de acceso" }).click();
  const first = dialogOf(page);
  await first.password.fill(person.password);
  await first.confirm.click();
  await expect(told(page, "Llave de acceso creada")).toBeVisible();

  const { dialog, passkey } = await asked(page);
  await phone.verifies(false);
  await passkey.click();
  await expect(dialog.getByRole("status")).toHaveText(/No se ha completado la operación/);
  await expect(dialog.getByRole("status")).toHaveClass(/\binfo\b/);
  await phone.verifies(true);
  await passkey.press("Enter");
  await expect(told(page, "Datos descargados.")).toBeVisible();
});

test("a passkey of another account is no proof, and the dialog says so", async ({ page }) => {
  await signedIn(page);
  await device(page);
  const create = async () => {
    await page.goto("/llaves");
    await page.getByLabel("Nombre de la llave nueva").fill("Portátil");
    await page.getByRole("button", { name: "Crear llave de acceso" }).click();
    await expect(told(page, "Llave de acceso creada")).toBeVisible();
  };
  await create();
  await withoutSession(page);
  await signedIn(page);
  await page.route("**/passkeys.php", (route) => route.fulfill({ status: 503, json: { message: "Service Unavailable" } }));
  const { dialog, passkey } = await asked(page);
  await passkey.click();
  await expect(dialog.getByRole("status")).toHaveText("Esa llave de acceso no es de esta cuenta o ya no sirve. Prueba con otra. Si la eliminaste y tu dispositivo la sigue ofreciendo, bórrala en sus ajustes de contraseñas.");
  await expect(passkey, "what the service does not tell counts as there").toBeEnabled();
});

test("whoever has only Google proves it with Google's button, and with no other account of Google", async ({ page }) => {
  const person = somebody();
  await page.goto("/login");
  await choose(page, page.getByRole("button", { name: "Iniciar sesión con Google" }), person);
  await expect(page).toHaveURL("/");
  const { dialog, password, passkey, google } = await asked(page);
  await expect(password).toHaveCount(0);
  await expect(passkey).toBeHidden();
  await expect(dialog.getByRole("heading")).toBeFocused();
  await choose(page, google, somebody());
  await expect(dialog.getByRole("status")).toHaveText("Esa no es la cuenta de Google con la que entras aquí. Elige la tuya.");
  await choose(page, google, person);
  await expect(told(page, "Datos descargados.")).toBeVisible();
});

test("whoever can give no proof in the dialog logs in again, and what is typed is kept", async ({ page }) => {
  const person = await signedIn(page);
  await page.route("**/_local/google/client.js", (route) => route.abort());
  await says(page, { has_password: false, google_linked: true });
  const { dialog, google, anew } = await asked(page);
  await expect(dialog.getByRole("status")).toHaveText("Aquí no puedes confirmarlo ahora. Inicia sesión de nuevo.");
  await expect(google).toHaveCount(0);
  await anew.click();
  await expect(told(page, "Confirma que eres tú.")).toBeVisible();
  await logIn(page, person);
  await expect(page).toHaveURL("/perfil");
  await expect(page.getByLabel("Nombre completo")).toHaveValue(NEW);
  await exporting(page).click();
  await expect(told(page, "Datos descargados.")).toBeVisible();
});

test("a service that does not say what the account has does not keep the dialog from opening", async ({ page }) => {
  const person = await signedIn(page);
  await page.goto("/sesiones");
  const phone = await page.context().browser().newPage();
  await signedIn(phone, person);
  await page.reload();
  const close = page.getByRole("button", { name: "Cerrar las demás sesiones" });
  await expect(close).toBeVisible();
  await makeStale(page);
  for (const path of ["sessions.php", "passkeys.php"]) await page.route(`**/${path}`, () => {});
  await close.click();
  const { password, passkey, confirm } = dialogOf(page);
  await expect(passkey).toBeVisible();
  await page.unrouteAll();
  await password.fill(person.password);
  await confirm.click();
  await expect(told(page, "Sesión cerrada")).toBeVisible();
  expect(await session(phone)).toBeUndefined();
  await phone.close();
});

test("a slow answer is waited for once, and can be left", async ({ page }) => {
  const person = await signedIn(page);
  const { dialog, password, confirm } = await asked(page);
  const sent = calls(page, "confirm.php");
  const first = await held(page, "confirm.php");
  await password.fill(person.password);
  await confirm.click();
  await first.seen();
  const waiting = dialog.getByRole("button", { name: "Confirmando…" });
  await expect(waiting).toBeDisabled();
  await waiting.click({ force: true });
  await password.press("Enter");
  const cancelled = page.waitForEvent("requestfailed", (request) => request.url().endsWith("confirm.php"));
  await password.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(exporting(page)).toHaveText("Descargar mis datos");
  await cancelled;
  first.release();
  expect(sent).toHaveLength(1);

  const second = await held(page, "confirm.php");
  await makeStale(page);
  await exporting(page).click();
  await password.fill(person.password);
  await password.press("Enter");
  await second.seen();
  second.release();
  await expect(told(page, "Datos descargados.")).toBeVisible();
  expect(sent).toHaveLength(2);
});

test("a connection that fails is told in the dialog, which can be used again", async ({ page }) => {
  const person = await signedIn(page);
  const { dialog, password, confirm } = await asked(page);
  await page.route("**/confirm.php", (route) => route.abort(), { times: 1 });
  await password.fill(person.password);
  await confirm.click();
  await expect(dialog.getByRole("status")).toContainText("No se ha podido conectar.");
  await confirm.click();
  await expect(told(page, "Datos descargados.")).toBeVisible();
});

test("two sections of a page that are refused at once share one dialog", async ({ page }) => {
  const person = await signedIn(page);
  await page.goto("/perfil");
  await expect(page.getByLabel("Nombre completo")).toHaveValue(person.name);
  // By default, the service lets settings change without a proof.
  let proved = false;
  await page.route(/(exportAccount|sendUserConfig)\.php$/, (route) =>
    (proved ? route.fallback() : route.fulfill({ status: 403, json: { success: false, message: "Confirma que eres tú" } })));
  await page.route("**/confirm.php", (route) => {
    proved = true;
    return route.fallback();
  });
  await page.evaluate(() => ["#export", "#news-form button"].forEach((button) => document.querySelector(button).click()));
  const { dialog, password } = dialogOf(page);
  await password.fill(person.password);
  await password.press("Enter");
  await expect(told(page, "Datos descargados.")).toBeVisible();
  await expect(told(page, "Te has dado de baja del boletín.")).toBeVisible();
  await expect(dialog).toHaveCount(0);
});

test("tabs that ask at the same time do not wait for each other", async ({ page }) => {
  const person = await signedIn(page);
  const other = await page.context().newPage();
  const [first, second] = [await asked(page), await asked(other)];
  for (const [tab, { password }] of [[other, second], [page, first]]) {
    await tab.bringToFront();
    await password.fill(person.password);
    await password.press("Enter");
    await expect(told(tab, "Datos descargados.")).toBeVisible();
  }
});

test("a session that ended meanwhile leads to the login and back, with what was typed", { tag: "@firefox" }, async ({ page }) => {
  const person = await signedIn(page);
  const { password } = await asked(page);
  await page.context().clearCookies();
  await password.fill(person.password);
  await password.press("Enter");
  await expect(page).toHaveURL("/login?volver=%2Fperfil");
  await logIn(page, person);
  await expect(page.getByLabel("Nombre completo")).toHaveValue(NEW);
});

test("the dialog closes if another tab signs out, or signs in another account", async ({ page }) => {
  const person = await signedIn(page);
  const { dialog } = await asked(page);
  const other = await page.context().newPage();
  await other.goto("/terminos");
  await other.getByRole("button", { name: "Cerrar sesión" }).click();
  await expect(page).toHaveURL("/login?volver=%2Fperfil");

  const second = await account(page.request);
  const tab = await loginTab(page);
  await signedIn(page, person);
  await asked(page);
  await logIn(tab, second);
  await expect(page.getByText("En otra pestaña has iniciado sesión con otra cuenta.")).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await expect(page.locator("#content")).toBeHidden();
});

test("the focus stays in the dialog, and goes round in it", async ({ page }) => {
  await signedIn(page);
  await says(page, { google_linked: true });
  const { dialog, password, anew } = await asked(page);
  await expect(dialog.getByRole("button", { name: "Continuar con Google" })).toBeVisible();
  const places = [];
  for (let presses = 0; presses < 12; presses += 1) {
    places.push(await page.evaluate(() => Boolean(document.activeElement.closest("dialog") ?? document.activeElement === document.body)));
    await page.keyboard.press("Tab");
  }
  expect(places).toEqual(Array(12).fill(true));
  await anew.focus();
  await password.focus();
  await expect(password).toBeFocused();
});
