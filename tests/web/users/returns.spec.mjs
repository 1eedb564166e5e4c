// What a page shows after the session, the account or the browser's cookies have changed without it, and what stays of what was typed.

import { HEADER, PROTECTED, account, expect, held, logIn, loginTab, makeIdle, resetLink, session, signedIn, somebody, test, withoutSession } from "../support.mjs";

/** The user comes back to the page. A headless browser sends no event. */
const comeBack = (page, event = "visibilitychange") => page.evaluate((name) => (name === "focus" ? window : document).dispatchEvent(new Event(name)), event);
const notice = (page) => page.locator("#notice");
const name = (page) => page.getByLabel("Nombre completo");

for (const address of PROTECTED) {
  test(`${address} shows nothing of an account any more when its user comes back after the session has ended elsewhere`, async ({ page }) => {
    const { email } = await signedIn(page);
    await page.goto(address);
    await expect(page.locator("#content")).toBeVisible();
    await makeIdle(page, 2 * 60 * 60);
    await comeBack(page, address === "/" ? "focus" : "visibilitychange");
    await expect(page).toHaveURL(`/login?volver=${encodeURIComponent(address)}`);
    await expect(page.getByText(email)).toHaveCount(0);
  });
}

test("what is typed stays when its user comes back after the session has ended elsewhere", async ({ page }) => {
  const person = await signedIn(page);
  await page.goto("/perfil");
  await name(page).fill("Ana sin guardar");
  await makeIdle(page, 2 * 60 * 60);
  await comeBack(page);
  await expect(notice(page)).toContainText("Tus cambios están guardados en este navegador.");
  await logIn(page, person);
  await expect(name(page)).toHaveValue("Ana sin guardar");
});

test("a logout in another tab is no error, and the menu is the one for guests", async ({ page }) => {
  await signedIn(page);
  await page.goto("/sesiones");
  await expect(page.locator("#content")).toBeVisible();
  const other = await page.context().newPage();
  await other.goto("/perfil");
  await other.getByRole("button", { name: "Cerrar sesión" }).click();
  await expect(other.getByText("Has cerrado la sesión.")).toBeVisible();
  await expect(notice(page)).toContainText("Has cerrado la sesión en otra pestaña.");
  await expect(notice(page)).toHaveClass(/\binfo\b/);
  expect(await page.title()).not.toMatch(/^Error/);
  await expect(page.getByRole("navigation").getByRole("link", { name: "Perfil" })).toBeHidden();
  await expect(page.getByRole("navigation").getByRole("link", { name: "Crear cuenta" })).toBeVisible();
});

test("the home page shows what another tab has changed", async ({ page }) => {
  const person = await signedIn(page);
  await page.goto("/");
  await expect(page.getByRole("heading", { name: `Hola, ${person.name}` })).toBeVisible();
  const other = await page.context().newPage();
  await other.goto("/perfil");
  await name(other).fill("Ana María");
  await other.getByRole("button", { name: "Guardar cambios" }).click();
  await expect(page.getByRole("heading", { name: "Hola, Ana María" })).toBeVisible();
});

test("a login page leads on when its user comes back signed in", async ({ page }) => {
  const person = await account(page.request);
  const other = await loginTab(page);
  await page.goto("/login?volver=%2Fsesiones");
  await expect(page.getByRole("button", { name: "Entrar", exact: true })).toBeEnabled();
  await logIn(other, person);
  await expect(other).toHaveURL("/");
  await comeBack(page);
  await expect(page).toHaveURL("/sesiones");
});

test("whoever sets the password of another account than the signed-in one is told so, and can go on with either", async ({ page }) => {
  const ana = await account(page.request);
  await page.request.post("/app/auth/sendResetLink.php", { form: { email: ana.email }, headers: HEADER });
  const link = await resetLink(page.request, ana.email);
  const eva = await signedIn(page, await account(page.request, { ...somebody(), name: "Eva Pérez" }));
  await page.goto(link);
  await page.getByLabel("Contraseña nueva", { exact: true }).fill("Nueva1234");
  await page.getByLabel("Repite la contraseña nueva", { exact: true }).fill("Nueva1234");
  await page.getByRole("button", { name: "Guardar contraseña" }).click();
  await expect(notice(page)).toContainText(`Contraseña cambiada. En este navegador está abierta la sesión de ${eva.email}.`);
  await expect(page.getByRole("link", { name: "Seguir con esa sesión" })).toHaveAttribute("href", "/");
  await logIn(page, { ...ana, password: "Nueva1234" });
  await expect(page.getByRole("heading", { name: `Hola, ${ana.name}` })).toBeVisible();
  expect(await session(page)).toMatchObject({ email: ana.email });
});

test("a browser that keeps no cookie, and forbids what tabs share, is told so after a login", async ({ page }) => {
  const person = await account(page.request);
  await page.addInitScript(() => {
    globalThis.BroadcastChannel = function refused() { throw new DOMException("", "SecurityError"); };
    navigator.locks.request = () => Promise.reject(new DOMException("", "SecurityError"));
    for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(globalThis, name, { get() { throw new DOMException("", "SecurityError"); } });
  });
  await page.route("**/sendLogin.php", async (route) => {
    const response = await route.fetch();
    const headers = response.headers();
    delete headers["set-cookie"];
    await page.context().clearCookies();
    await route.fulfill({ response, headers });
  });
  await page.goto("/login");
  await logIn(page, person);
  await expect(notice(page)).toContainText("Tu navegador no ha guardado la sesión. Permite las cookies de esta web");
  await expect(page).toHaveURL("/login");
});

test("the page that changes a password keeps its part through the login, and an address of another page gets none", async ({ page }) => {
  const person = await account(page.request);
  await page.goto("/.well-known/change-password");
  await expect(page).toHaveURL("/login?volver=%2Fseguridad%23contrasena");
  await logIn(page, person);
  await expect(page).toHaveURL("/seguridad#contrasena");
  await expect(page.getByRole("heading", { name: "Contraseña" })).toBeInViewport();
  await withoutSession(page);
  await page.goto("/login?volver=%2Fperfil%23%3Cimg%3E");
  await logIn(page, person);
  await expect(page).toHaveURL("/");
});

test("an edit that is not saved stays when its page is left or loaded again, until it is saved or the user signs out", async ({ page }) => {
  const person = await signedIn(page);
  await page.goto("/perfil");
  await name(page).focus();
  await page.waitForLoadState("networkidle");
  await name(page).fill("Ana sin guardar");
  await page.goto("/llaves");
  await page.getByLabel("Nombre de la llave nueva").fill("Móvil");
  await page.goto("/perfil");
  await expect(notice(page)).toContainText("Aquí están tus cambios de antes.");
  await page.reload();
  await expect(name(page)).toHaveValue("Ana sin guardar");
  await page.goto("/llaves");
  await expect(page.getByLabel("Nombre de la llave nueva")).toHaveValue("Móvil");
  await page.goto("/perfil");
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await expect(page.getByText("Nombre guardado.")).toBeVisible();
  await page.reload();
  await expect(name(page)).toHaveValue("Ana sin guardar");
  await expect(notice(page), "what is saved is no edit").toBeEmpty();
  await name(page).fill("Otra vez");
  await page.getByRole("button", { name: "Cerrar sesión" }).click();
  await expect(page.getByText("Has cerrado la sesión.")).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.getItem("edits"))).toBeNull();
  await logIn(page, person);
  await expect(page).toHaveURL("/");
  await page.goto("/perfil");
  await expect(name(page)).toHaveValue("Ana sin guardar");
});

test("a page says that an answer is slow, and takes that back", async ({ page }) => {
  const person = await signedIn(page);
  const { seen, release } = await held(page, "sendUserConfig.php");
  await page.clock.install();
  await page.goto("/perfil");
  await expect(name(page)).toHaveValue(person.name);
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await seen();
  const slow = page.getByText("Está tardando más de lo normal.");
  await expect(slow).toBeHidden();
  await page.clock.runFor(9_000);
  await expect(slow).toBeVisible();
  release();
  await expect(page.getByText("Nombre guardado.")).toBeVisible();
  await expect(slow).toBeHidden();
});
