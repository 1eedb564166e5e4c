// The pages in several tabs of one browser, in its back/forward cache, and while they wait.

import { MESSAGES, PASSWORD, account, expect, held, logIn, loginTab, makeIdle, session, signedIn, somebody, test, unfold } from "../support.mjs";

/** Opens a page of one account, and then replaces its session by that of another account without notifying the tab. */
async function overtaken(page, address) {
  const first = await signedIn(page);
  await page.goto(address);
  await expect(page.locator("#content")).toBeVisible();
  // The page makes no further calls by itself.
  await page.waitForLoadState("networkidle");
  const second = await account(page.request, { ...somebody(), name: "Eva Pérez" });
  // Not through the client, so that nothing notifies the tab.
  await signedIn(page, second);
  return { first, second };
}

/** The page says that another account is signed in, shows nothing of the old one, and links to the next page. */
async function leadsOn(page, { first, second }, address) {
  await expect(page.getByText("En otra pestaña has iniciado sesión con otra cuenta.")).toBeVisible();
  await expect(page.locator("#content")).toBeHidden();
  await expect(page.locator("#notice")).toBeFocused();
  expect(await session(page)).toMatchObject({ email: second.email, name: second.name, accept_news: 0 });
  await page.getByRole("link", { name: "Seguir con esa cuenta" }).click();
  await expect(page).toHaveURL(address);
  await expect(page.locator("#content")).toBeVisible();
  await expect(page.getByText(first.email)).toBeHidden();
}

const ACTIONS = {
  "deletion": ["/eliminar-cuenta", async (page, { first }) => {
    await page.getByLabel("Email de tu cuenta").fill(first.email);
    await page.getByRole("button", { name: "Eliminar para siempre" }).click();
  }],
  "settings": ["/perfil", async (page) => {
    await page.getByLabel("Nombre completo").fill("Nombre de Ana");
    await page.getByLabel("Quiero recibir el boletín").check();
    await page.getByRole("button", { name: "Guardar cambios" }).click();
  }],
  "export": ["/perfil", (page) => page.getByRole("button", { name: "Descargar mis datos" }).click()],
  "verification": ["/seguridad", (page) => page.getByRole("button", { name: "Verificar mi email" }).click()],
  "logout": ["/perfil", (page) => page.getByRole("button", { name: "Cerrar sesión" }).click()],
};

for (const [name, [address, act]] of Object.entries(ACTIONS)) {
  test(`the ${name} of a page changes nothing of another account that is signed in by now`, { tag: "@firefox" }, async ({ page }) => {
    const people = await overtaken(page, address);
    const called = [];
    page.on("request", (request) => called.push(new URL(request.url()).pathname));
    await act(page, people);
    await leadsOn(page, people, address);
    expect(called.filter((path) => /(deleteAccount|sendUserConfig|exportAccount|sendVerification|logout)\.php$/.test(path))).toEqual([]);
  });
}

test("the end of sessions on a page ends none of another account that is signed in by now", async ({ page, browser }) => {
  const first = await signedIn(page);
  const phone = await browser.newPage();
  await signedIn(phone, first);
  await page.goto("/sesiones");
  const others = page.getByRole("button", { name: "Cerrar las demás sesiones" });
  await expect(others).toBeVisible();
  const second = await account(page.request);
  await signedIn(phone, second);
  await signedIn(page, second);
  await others.click();
  await leadsOn(page, { first, second }, "/sesiones");
  expect(await session(phone)).toMatchObject({ email: second.email });
  await phone.close();
});

test("a page says at once that another tab has signed in another account, or has signed out", async ({ page }) => {
  const other = await loginTab(page);
  const first = await signedIn(page);
  const second = await account(page.request);
  await page.goto("/seguridad");
  await unfold(page, "Cambiar contraseña");
  await page.getByLabel("Contraseña nueva", { exact: true }).fill(PASSWORD);
  await logIn(other, second);
  await expect(other).toHaveURL("/");
  await leadsOn(page, { first, second }, "/seguridad");
  await expect(page.getByLabel("Contraseña nueva", { exact: true })).toHaveValue("");

  await other.getByRole("button", { name: "Cerrar sesión" }).click();
  await expect(page.getByText("Has cerrado la sesión en otra pestaña.")).toBeVisible();
  await expect(page.locator("#content")).toBeHidden();
  await page.locator("#notice").getByRole("link", { name: "Iniciar sesión" }).click();
  await expect(page).toHaveURL("/login?volver=%2Fseguridad");
});

test("a page says that the connection is lost, and says again what it said before as soon as it is there", async ({ page }) => {
  const other = await page.context().newPage();
  await signedIn(page);
  for (const tab of [page, other]) await tab.goto("/sesiones");
  const notice = page.locator("#notice");
  const fire = (name) => page.evaluate((name) => dispatchEvent(new Event(name)), name);
  await fire("offline");
  await expect(notice).toContainText("Sin conexión.");
  await expect(notice, "nothing has failed").toHaveClass(/\binfo\b/);
  await fire("online");
  await expect(notice).toBeEmpty();
  await other.getByRole("button", { name: "Cerrar sesión" }).click();
  await expect(notice).toContainText("Has cerrado la sesión en otra pestaña.");
  await fire("offline");
  await expect(notice).toContainText("Sin conexión.");
  await fire("online");
  await notice.getByRole("link", { name: "Iniciar sesión" }).click();
  await expect(page).toHaveURL("/login?volver=%2Fsesiones");
});

test("a login of the same account in another tab disturbs nobody", { tag: "@firefox" }, async ({ page }) => {
  const other = await loginTab(page);
  const person = await signedIn(page);
  await page.goto("/perfil");
  await page.getByLabel("Nombre completo").fill("Sin guardar");
  await logIn(other, person);
  await expect(other).toHaveURL("/");
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await expect(page.getByText("Nombre guardado.")).toBeVisible();
});

test("no page of the back/forward cache shows a password after the logout", { tag: "@whole" }, async ({ page }) => {
  const person = await account(page.request);
  const restored = [];
  await page.exposeFunction("restored", (path) => restored.push(path));
  await page.addInitScript(() => addEventListener("pageshow", ({ persisted }) => { if (persisted) globalThis.restored(location.pathname); }));
  await page.goto("/login");
  await logIn(page, person);
  await expect(page).toHaveURL("/");
  await page.getByRole("button", { name: "Cerrar sesión" }).click();
  await expect(page.getByText("Has cerrado la sesión.")).toBeVisible();
  await page.evaluate(() => history.go(-2));
  await expect.poll(() => restored).toEqual(["/login"]);
  await expect(page.getByLabel("Email", { exact: true })).toHaveValue(person.email);
  await expect(page.getByLabel("Contraseña", { exact: true })).toHaveValue("");
  // The page that was left while its form was being sent can be used again.
  await page.getByLabel("Contraseña", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Entrar" }).click();
  await expect(page).toHaveURL("/");
});

test("a login page of the back/forward cache leads whoever is signed in to the start page", { tag: "@whole" }, async ({ page }) => {
  const person = await account(page.request);
  const restored = [];
  await page.exposeFunction("restored", (path) => restored.push(path));
  await page.addInitScript(() => addEventListener("pageshow", ({ persisted }) => { if (persisted) globalThis.restored(location.pathname); }));
  await page.goto("/login");
  await logIn(page, person);
  await expect(page).toHaveURL("/");
  await page.evaluate(() => history.back());
  await expect.poll(() => restored).toContain("/login");
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("heading", { name: `Hola, ${person.name}` })).toBeVisible();
});

test("a form sends nothing between its success and the next page", async ({ page }) => {
  const person = somebody();
  let [sent, release] = [0, () => {}];
  await page.route("**/sendRegister.php", (route) => {
    sent += 1;
    return route.continue();
  });
  await page.route("**/?bienvenida=1", async (route) => {
    await new Promise((resolve) => { release = resolve; });
    await route.continue();
  });
  await page.goto("/registro");
  await page.getByLabel("Nombre completo").fill(person.name);
  await page.getByLabel("Email", { exact: true }).fill(person.email);
  await page.getByLabel("Contraseña", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Repite la contraseña", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Acepto los términos").check();
  const asked = page.waitForRequest("**/?bienvenida=1");
  let again = 0;
  page.on("console", (message) => { if (message.text() === "again") again += 1; });
  // The page itself clicks again and again, because Playwright waits for a navigation that has begun.
  await page.evaluate(() => document.querySelector("form").addEventListener("submit", () => setInterval(() => {
    document.querySelector("form button[type=submit]").click();
    document.querySelector("form").requestSubmit();
    console.log("again");
  }, 20), { once: true }));
  await page.getByRole("button", { name: "Crear cuenta" }).click({ noWaitAfter: true });
  await asked;
  const before = again;
  await expect.poll(() => again).toBeGreaterThan(before + 3);
  release();
  await expect(page.getByText("Cuenta creada.")).toBeVisible();
  expect(sent).toBe(1);
});

test("edits come back after the session has expired, for the same account alone", { tag: "@firefox" }, async ({ page }) => {
  const person = await signedIn(page);
  const chooser = page.getByRole("button", { name: "Usar esta imagen" });
  const edit = async (open) => {
    await page.goto("/perfil");
    await page.getByLabel("Nombre completo").fill("Ana editada");
    await open();
    await page.getByRole("radio", { name: "Moño oscuro y gafas, fondo rosa" }).check();
    await page.getByLabel("Quiero recibir el boletín").check();
    await makeIdle(page, 2 * 60 * 60);
    await page.getByRole("button", { name: "Guardar cambios" }).click();
    await expect(page).toHaveURL("/login?volver=%2Fperfil");
  };
  /** The keys of the stored values. After a login with the password, `offer` remains, so that a passkey is offered. */
  const stored = () => page.evaluate(() => Object.keys(sessionStorage));
  await edit(() => unfold(page, "Cambiar la imagen"));
  await logIn(page, person);
  await expect(page.getByText("Aquí están tus cambios de antes.")).toBeVisible();
  await expect(page.getByLabel("Nombre completo")).toHaveValue("Ana editada");
  await expect(page.getByRole("radio", { name: "Moño oscuro y gafas, fondo rosa" })).toBeChecked();
  await expect(chooser).toBeVisible();
  await expect(page.getByLabel("Quiero recibir el boletín")).toBeChecked();
  expect(await stored()).toEqual(["offer"]);

  // The page that was left has kept the choice, so it is unfolded.
  await edit(() => expect(chooser).toBeVisible());
  const other = await account(page.request, { ...somebody(), name: "Eva Pérez" });
  await logIn(page, other);
  await expect(page.getByLabel("Nombre completo")).toHaveValue("Eva Pérez");
  expect(await stored()).toEqual(["offer"]);
});

test("an address that is typed comes back after the session has expired, and a password does not", async ({ page }) => {
  const person = await signedIn(page);
  await page.goto("/seguridad");
  await unfold(page, "Usar otro email");
  await page.getByLabel("Email nuevo").fill("nueva@example.com");
  await unfold(page, "Cambiar contraseña");
  await page.getByLabel("Contraseña nueva", { exact: true }).fill("Nueva1234");
  await page.getByLabel("Repite la contraseña nueva", { exact: true }).fill("Nueva1234");
  await makeIdle(page, 2 * 60 * 60);
  await page.getByRole("button", { name: "Guardar contraseña" }).click();
  await expect(page).toHaveURL("/login?volver=%2Fseguridad");
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain("Nueva1234");
  await logIn(page, person);
  await expect(page.getByLabel("Email nuevo")).toHaveValue("nueva@example.com");
  await expect(page.getByLabel("Contraseña nueva", { exact: true })).toHaveValue("");
});

test("a session can be closed while the page loads", async ({ page }) => {
  await signedIn(page);
  await page.route("**/session.php", () => {});
  await page.goto("/perfil");
  await page.getByRole("button", { name: "Cerrar sesión" }).click();
  await expect(page.getByText("Has cerrado la sesión.")).toBeVisible();
});

test("a session can be closed when the page shows an error", async ({ page }) => {
  await signedIn(page);
  await page.route("**/session.php", (route) => route.fulfill({ status: 503, json: { message: "Service Unavailable" } }));
  await page.goto("/perfil");
  await expect(page.getByText(MESSAGES.unavailable)).toBeVisible();
  await page.getByRole("button", { name: "Cerrar sesión" }).click();
  await expect(page.getByText("Has cerrado la sesión.")).toBeVisible();
  await page.unroute("**/session.php");
  expect(await session(page)).toBeUndefined();
});

test("a tabulator in a name is an error at the field", { tag: "@firefox" }, async ({ page }) => {
  await signedIn(page);
  await page.goto("/perfil");
  const name = page.getByLabel("Nombre completo");
  await name.fill("Ana\tGarcía");
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await expect(name).toHaveAccessibleDescription(/^El nombre tiene un tabulador/);
  await expect(name).toBeFocused();
});

test("a button says what is going on, keeps the focus while it waits, and does not take it back", async ({ page }) => {
  const person = await signedIn(page);
  const { release } = await held(page, "sendUserConfig.php");
  await page.goto("/perfil");
  await expect(page.getByLabel("Nombre completo")).toHaveValue(person.name);
  await page.getByRole("button", { name: "Guardar cambios" }).press("Enter");
  const button = page.getByRole("button", { name: "Guardando…" });
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await expect(button).toBeFocused();
  const spinner = () => button.evaluate((node) => getComputedStyle(node, "::before").animationName);
  expect(await spinner()).toBe("turn");
  await page.emulateMedia({ reducedMotion: "reduce" });
  expect(await spinner()).toBe("none");
  await page.getByLabel("Nombre completo").focus();
  release();
  await expect(page.getByText("Nombre guardado.")).toBeVisible();
  await expect(page.getByLabel("Nombre completo")).toBeFocused();
});
