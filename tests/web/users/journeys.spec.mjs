// The journeys of users through all pages.

import { readFile } from "node:fs/promises";
import { MESSAGES, account, expect, logIn, register, mailedLink, resetLink, session, signedIn, somebody, test, unfold, withoutSession } from "../support.mjs";

/** Brings the page to the front and sends it the event, because a headless browser does not. */
async function toFront(page) {
  await page.bringToFront();
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
}

test("a user registers, logs in, changes the profile, logs out and deletes the account", { tag: "@firefox" }, async ({ page }) => {
  const person = somebody();
  await page.goto("/");
  await expect(page).toHaveURL("/login?volver=%2F");

  await page.getByRole("navigation").getByRole("link", { name: "Crear cuenta" }).click();
  await register(page, person);
  await expect(page.getByText("Cuenta creada. Ya has iniciado sesión.")).toBeVisible();
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("heading", { name: `Hola, ${person.name}` })).toBeVisible();
  await expect(page.getByText(person.email)).toBeVisible();

  await page.getByRole("link", { name: "Editar perfil" }).click();
  await page.getByLabel("Nombre completo").fill("Ana María García");
  await unfold(page, "Cambiar la imagen");
  await page.getByRole("radio", { name: "Cabeza rapada y gafas" }).check();
  await page.getByLabel("Quiero recibir el boletín").check();
  // Each section saves only its own values.
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await expect(page.getByText("Nombre guardado.")).toBeVisible();
  expect(await session(page)).toMatchObject({ name: "Ana María García", accept_news: 0, url_image: expect.stringContaining("default.jpeg") });
  await page.getByRole("button", { name: "Usar esta imagen" }).click();
  await expect(page.getByText("Imagen guardada.")).toBeVisible();
  await page.getByRole("button", { name: "Guardar", exact: true }).click();
  await expect(page.getByText("Te has apuntado al boletín.")).toBeVisible();
  const user = await session(page);
  expect(user).toMatchObject({ name: "Ana María García", accept_news: 1 });
  expect(user.url_image).toMatch(/\/assets\/avatars\/07\.jpeg$/);

  await page.getByRole("link", { name: "Inicio" }).click();
  await expect(page.getByRole("heading", { name: "Hola, Ana María García" })).toBeVisible();
  await expect(page.locator("#portrait")).toHaveAttribute("src", "/assets/avatars/07.jpeg");

  await page.getByRole("button", { name: "Cerrar sesión" }).click();
  await expect(page.getByText("Has cerrado la sesión.")).toBeVisible();
  expect(await session(page)).toBeUndefined();

  await logIn(page, person);
  await page.getByRole("link", { name: "Perfil", exact: true }).click();
  await page.getByRole("link", { name: "Eliminar mi cuenta" }).click();
  const remove = page.getByRole("button", { name: "Eliminar para siempre" });
  await page.getByLabel("Email de tu cuenta").fill("otra@example.com");
  await remove.click();
  await expect(page.getByText("Escribe el email de tu cuenta para confirmar.")).toBeVisible();
  expect(await session(page)).toBeDefined();
  await page.getByLabel("Email de tu cuenta").fill(person.email);
  await remove.click();
  await expect(page.getByText("Hemos eliminado tu cuenta y todos tus datos.")).toBeVisible();
  await logIn(page, person);
  await expect(page.getByText(MESSAGES["wrong-credentials"])).toBeVisible();
});

test("a registration whose answer was lost leads in when it is sent again, but not with another password", async ({ page }) => {
  for (const changed of [false, true]) {
    const person = somebody();
    await withoutSession(page);
    await page.goto("/registro");
    await page.route("**/sendRegister.php", async (route) => {
      await route.fetch();
      await route.abort();
    }, { times: 1 });
    await register(page, person);
    await expect(page.getByText(MESSAGES.network)).toBeVisible();
    await register(page, changed ? { ...person, password: "Distinta123" } : person);
    const told = changed ? MESSAGES["email-taken"].split(". ")[0] : "Cuenta creada. Ya has iniciado sesión.";
    await expect(page.getByText(told)).toBeVisible();
    await page.waitForLoadState("networkidle");
    expect(await session(page)).toEqual(changed ? undefined : expect.objectContaining({ email: person.email }));
  }
});

test("the link in the mail replaces a forgotten password once", { tag: "@firefox" }, async ({ page }) => {
  const person = await account(page.request);
  await page.goto("/login");
  await page.getByRole("link", { name: "¿Has olvidado tu contraseña?" }).click();
  await page.getByLabel("Email").fill(person.email);
  await page.getByRole("button", { name: "Enviar enlace" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Revisa tu correo" })).toBeFocused();
  await expect(page.getByText(`Hemos enviado un enlace a ${person.email}`)).toBeVisible();
  await expect(page.getByRole("button", { name: /^Enviar otra vez \(\d+ s\)$/ })).toBeDisabled();

  const link = await resetLink(page.request, person.email);
  await page.goto(link);
  await expect(page).toHaveURL("/restablecer");
  await page.getByLabel("Contraseña nueva", { exact: true }).fill("Nueva1234");
  await page.getByLabel("Repite la contraseña nueva", { exact: true }).fill("Nueva1234");
  await page.getByRole("button", { name: "Guardar contraseña" }).click();
  await expect(page.getByText("Contraseña cambiada. Hemos cerrado todas las sesiones.")).toBeVisible();
  await logIn(page, { ...person, password: "Nueva1234" });
  await expect(page.getByRole("heading", { name: `Hola, ${person.name}` })).toBeVisible();

  // The service refuses the used link. From then on this browser reports the link as used before anything is typed.
  await page.evaluate(() => localStorage.clear());
  await page.goto(link);
  await page.getByLabel("Contraseña nueva", { exact: true }).fill("Otra12345");
  await page.getByLabel("Repite la contraseña nueva", { exact: true }).fill("Otra12345");
  await page.getByRole("button", { name: "Guardar contraseña" }).click();
  await expect(page.getByText("Ya se ha usado, ha caducado o hay uno más nuevo.")).toBeVisible();
  await page.goto(link);
  await expect(page.getByRole("heading", { level: 1, name: "Este enlace ya no sirve" })).toBeVisible();
  await expect(page.getByLabel("Contraseña nueva", { exact: true })).toBeHidden();
  await page.getByRole("link", { name: "Pedir otro enlace" }).click();
  await expect(page).toHaveURL("/recuperar");
});

test("the owner verifies the address with the link in a mail, by a click and once", { tag: "@firefox" }, async ({ page }) => {
  const person = await signedIn(page);
  await page.goto("/seguridad");
  await page.getByRole("button", { name: "Verificar mi email" }).click();
  await expect(page.getByText(`Hemos enviado un enlace a ${person.email}.`)).toBeVisible();
  const link = await mailedLink(page.request, person.email, "verificar");
  await page.goto(link);
  await expect(page).toHaveURL("/verificar");
  const button = page.getByRole("button", { name: "Sí, es mi email" });
  await button.click();
  await expect(page.getByText("Ya puedes cerrar esta página")).toBeVisible();
  await expect(button).toBeHidden();
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Email verificado" })).toBeVisible();
  await expect(page.getByRole("link", { name: "sesiones abiertas" })).toHaveAttribute("href", "/sesiones");
  await expect(page.getByRole("link", { name: "llaves de acceso", exact: true })).toHaveAttribute("href", "/llaves");
  await expect(page.getByText("¿No has sido tú?")).toBeVisible();
  await expect(page.getByRole("link", { name: "Elige otra contraseña y elimina las llaves de acceso" })).toHaveAttribute("href", "/recuperar");
  await page.evaluate(() => localStorage.clear());
  await page.goto(link);
  await button.click();
  await expect(page.getByText("Ya se ha usado o ha caducado.")).toBeVisible();
  await page.getByRole("link", { name: "Pedir otro enlace" }).click();
  await expect(page.getByText("Tu email ya está verificado.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Verificar mi email" })).toBeHidden();
});

test("a new password ends the other sessions and not this one", async ({ page, browser }) => {
  const person = await signedIn(page);
  const other = await browser.newPage();
  await signedIn(other, person);
  await page.goto("/seguridad");
  await unfold(page, "Cambiar contraseña");
  await page.getByLabel("Contraseña nueva", { exact: true }).fill("Nueva1234");
  await page.getByLabel("Repite la contraseña nueva", { exact: true }).fill("Nueva1234");
  await page.getByRole("button", { name: "Guardar contraseña" }).click();
  await expect(page.getByText("Contraseña guardada. Las demás sesiones se han cerrado.")).toBeVisible();
  await expect(page.getByLabel("Contraseña nueva", { exact: true })).toHaveValue("");
  expect(await session(page)).toBeDefined();
  await other.goto("/seguridad");
  await expect(other).toHaveURL("/login?volver=%2Fseguridad");
  await other.close();
});

test("a user downloads everything that is stored about them", async ({ page }) => {
  const { email } = await signedIn(page);
  await page.goto("/perfil");
  const downloading = page.waitForEvent("download");
  await page.evaluate(() => {
    globalThis.revoked = 0;
    URL.revokeObjectURL = () => { globalThis.revoked += 1; };
  });
  await page.getByRole("button", { name: "Descargar mis datos" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("mis-datos.json");
  const data = JSON.parse(await readFile(await download.path(), "utf8"));
  expect(Object.keys(data)).toEqual(["account", "sessions", "browsers", "passkeys", "activity", "entries"]);
  expect(data).toMatchObject({ account: { email }, sessions: [{ current: true }], browsers: [], passkeys: [], entries: [] });
  await expect(page.getByText("Datos descargados.")).toBeVisible();
  // A browser that asks for the file's location reads the file only after the answer.
  expect(await page.evaluate(() => globalThis.revoked)).toBe(0);
});

test("a user sees the open sessions and ends one of them, or all others", async ({ page, browser }) => {
  const person = await signedIn(page);
  const phone = await browser.newPage();
  const tablet = await browser.newPage();
  for (const other of [phone, tablet]) await signedIn(other, person);
  await page.goto("/seguridad");
  await page.getByRole("link", { name: "Ver las sesiones abiertas" }).click();
  const sessions = page.locator("main").getByRole("listitem");
  await expect(sessions).toHaveCount(3);
  await expect(sessions.filter({ hasText: "Chrome en Linux (esta sesión)" })).toHaveCount(1);
  const closers = page.getByRole("button", { name: /^Cerrar la sesión de Chrome en Linux, usada el / });
  await expect(closers).toHaveCount(2);
  await closers.first().click();
  await expect(page.getByText("Sesión cerrada")).toBeVisible();
  await expect(sessions).toHaveCount(2);
  expect([await session(phone), await session(tablet)].filter(Boolean)).toHaveLength(1);

  await page.getByRole("button", { name: "Cerrar las demás sesiones" }).click();
  await expect(sessions).toHaveCount(1);
  await expect(page.getByRole("button", { name: "Cerrar las demás sesiones" })).toBeHidden();
  expect([await session(phone), await session(tablet)].filter(Boolean)).toHaveLength(0);
  expect(await session(page)).toMatchObject({ email: person.email });
  for (const other of [phone, tablet]) await other.close();
});

test("a session that another tab has closed is not an error, and whoever has none is led to the login", async ({ page, browser }) => {
  const person = await signedIn(page);
  const phone = await browser.newPage();
  await signedIn(phone, person);
  const tab = await page.context().newPage();
  for (const each of [page, tab]) {
    await each.goto("/sesiones");
    await expect(each.getByRole("listitem")).toHaveCount(2);
  }
  for (const each of [page, tab]) await each.getByRole("button", { name: /^Cerrar la sesión de/ }).click();
  await expect(page.getByText("Sesión cerrada")).toBeVisible();
  await expect(tab.getByText("Esa sesión ya estaba cerrada")).toBeVisible();
  await signedIn(phone, person);
  for (const each of [page, phone]) {
    await each.goto("/sesiones");
    await expect(each.getByRole("listitem")).toHaveCount(2);
  }
  await phone.getByRole("button", { name: "Cerrar las demás sesiones" }).click();
  await expect(phone.getByText("Sesión cerrada")).toBeVisible();
  await page.getByRole("button", { name: "Cerrar las demás sesiones" }).click();
  await expect(page).toHaveURL("/login?volver=%2Fsesiones");
  await phone.close();
});

test("a user can choose another account in Google's window", async ({ page, context }) => {
  const { email } = somebody();
  await page.goto("/login?volver=%2Fperfil");
  const opened = context.waitForEvent("page");
  await page.getByRole("button", { name: "Iniciar sesión con Google" }).click();
  const chooser = await opened;
  await chooser.getByLabel("Email").fill(email);
  await chooser.getByLabel("Name").fill("Luis Pérez");
  await chooser.getByRole("button", { name: "Use another account" }).click();
  await expect(page).toHaveURL("/perfil");
  await expect(page.getByLabel("Nombre completo")).toHaveValue("Luis Pérez");
  expect(await session(page)).toMatchObject({ email });
});

test("the registration leads to Google's page and back with a session", { tag: "@firefox" }, async ({ page }) => {
  const { email } = somebody();
  await page.goto("/registro");
  await page.getByRole("button", { name: "Registrarse con Google" }).click();
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Name").fill("Luis Pérez");
  await page.getByRole("button", { name: "Use another account" }).click();
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("heading", { name: "Hola, Luis Pérez" })).toBeVisible();
});

test("a signed-in user does not see the button for Google's page, because that login could not end the session", async ({ page, context }) => {
  const person = await signedIn(page);
  const google = page.getByRole("button", { name: "Registrarse con Google" });
  const asked = page.waitForResponse("**/app/auth/session.php");
  await page.goto("/registro");
  await asked;
  await expect(google).toBeHidden();

  // The user signs out and later signs in again in another tab. The page updates when it comes to the front.
  const other = await context.newPage();
  await other.goto("/perfil");
  await other.getByRole("button", { name: "Cerrar sesión" }).click();
  await expect(other.getByText("Has cerrado la sesión.")).toBeVisible();
  await toFront(page);
  await expect(google).toBeVisible();
  await logIn(other, person);
  await expect(other).toHaveURL("/");
  await toFront(page);
  await expect(google).toBeHidden();
});

test.describe("another site, like Google's,", () => {
  test.use({ elsewhere: ["127.0.0.1"] });

  test("posts without the session cookie, so the replaced session does not end", async ({ page, context }) => {
    const person = await signedIn(page);
    const service = new URL(process.env.SERVICE_URL);
    const old = (await context.cookies()).find(({ name }) => name === "session");
    const { credential } = await (await page.request.post("/_local/google/credential", { data: { email: somebody().email } })).json();
    await context.addCookies([{ name: "g_csrf_token", value: "x", domain: service.hostname, path: "/", sameSite: "None", secure: true }]);

    await page.route("http://127.0.0.1:9000/", (route) => route.fulfill({ contentType: "text/html", body: `
      <form method="post" action="${service.origin}/app/auth/google-callback.php"><input name="credential" value="${credential}">
      <input name="g_csrf_token" value="x"><button>Continue</button></form>` }));
    await page.goto("http://127.0.0.1:9000/");
    const posted = page.waitForRequest("**/app/auth/google-callback.php");
    await page.getByRole("button", { name: "Continue" }).click();
    expect((await (await posted).allHeaders()).cookie).toBe("g_csrf_token=x");
    await expect(page.getByRole("heading", { name: "Hola," })).toBeVisible();
    expect((await session(page)).email).not.toBe(person.email);
    const look = (cookie) => fetch(`${service.origin}/app/auth/session.php`, {
      method: "POST", headers: { "X-Requested-With": "XMLHttpRequest", cookie: `session=${cookie}` },
    });
    expect((await look(old.value)).status, "the old session is live until it expires").toBe(200);
  });
});

test("a refused credential of the redirect mode is explained on the login page", async ({ page }) => {
  await page.goto("/registro");
  await page.route("**/_local/google/credential", (route) => route.fulfill({ json: { credential: "a.b.c" } }));
  await page.getByRole("button", { name: "Registrarse con Google" }).click();
  await page.getByRole("button", { name: /Ana García/ }).click();
  await expect(page).toHaveURL("/login");
  await expect(page.getByText("No se ha podido iniciar sesión con Google.")).toBeVisible();
});
