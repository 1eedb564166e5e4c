// Google's own page, to which the registration and installed apps lead: what its user comes back to.

import { HEADER, account, expect, makeStale, session, somebody, test } from "../support.mjs";

/** Chooses an account on Google's page. */
async function choose(page, { email, name }) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Use another account" }).click();
}

const google = (page) => page.getByRole("button", { name: "Iniciar sesión con Google" });
const notice = (page) => page.locator("#notice");
const NOT_KEPT = "Tu navegador no ha guardado la sesión. Permite las cookies de esta web y entra de nuevo.";

/** How a page knows that it runs as an installed app. */
const INSTALLED = {
  "on iOS": (page) => page.addInitScript(() => Object.defineProperty(navigator, "standalone", { value: true })),
  "elsewhere": (page) => page.addInitScript(() => {
    const { matchMedia } = globalThis;
    globalThis.matchMedia = (query) => matchMedia.call(globalThis, query.replace("(display-mode: standalone)", "all"));
  }),
};

for (const [place, install] of Object.entries(INSTALLED)) {
  test(`an installed app ${place} opens no window of Google, and comes back to the page that asked for the login`, async ({ page, context }) => {
    await install(page);
    await page.goto("/sesiones");
    await expect(page).toHaveURL("/login?volver=%2Fsesiones");
    await google(page).click();
    await expect(page).toHaveURL(/\/_local\/google\/choose/);
    const person = somebody();
    await choose(page, person);
    await expect(page).toHaveURL("/sesiones");
    await expect(page.getByText("Solo tienes abierta esta sesión.")).toBeVisible();
    expect(await session(page)).toMatchObject({ email: person.email });
    expect(context.pages()).toHaveLength(1);
  });
}

test("whoever has only Google proves it in an installed app by a new login, which leaves no other session open and keeps what is typed", async ({ page }) => {
  await INSTALLED["on iOS"](page);
  const person = somebody();
  await page.goto("/login?volver=%2Fperfil");
  await google(page).click();
  await choose(page, person);
  await expect(page).toHaveURL("/perfil");
  await expect(page.getByLabel("Nombre completo")).toHaveValue(person.name);
  await page.getByLabel("Nombre completo").fill("Ana sin guardar");
  await makeStale(page);
  await page.getByRole("button", { name: "Descargar mis datos" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirma que eres tú" });
  await expect(dialog.getByRole("status")).toHaveText("Aquí no puedes confirmarlo ahora. Inicia sesión de nuevo.");
  await dialog.getByRole("link", { name: "Inicia sesión de nuevo" }).click();
  await expect(notice(page)).toContainText("Confirma que eres tú.");
  await google(page).click();
  await choose(page, person);
  await expect(page).toHaveURL("/perfil");
  await expect(page.getByLabel("Nombre completo")).toHaveValue("Ana sin guardar");
  await page.getByRole("button", { name: "Descargar mis datos" }).click();
  await expect(page.getByText("Datos descargados.")).toBeVisible();
  const { sessions } = await (await page.request.post("/app/auth/sessions.php", { headers: HEADER })).json();
  expect(sessions).toHaveLength(1);
});

test("a browser that keeps no cookie is told so after Google's page, and whoever only came back from it is not", async ({ page }) => {
  await page.route("**/google-callback.php", async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    await page.context().clearCookies();
    await route.fulfill({ status: response.status(), headers: { location: response.headers().location } });
  });
  const leave = async () => {
    await page.goto("/registro");
    await page.getByRole("button", { name: "Registrarse con Google" }).click();
    await expect(page).toHaveURL(/\/_local\/google\/choose/);
  };
  await leave();
  await choose(page, somebody());
  await expect(notice(page)).toHaveText(NOT_KEPT);
  await expect(page).toHaveURL("/login");
  await page.reload();
  await expect(page.getByRole("button", { name: "Entrar", exact: true })).toBeEnabled();
  await expect(notice(page)).toBeEmpty();

  await leave();
  await page.goBack();
  await expect(page.getByRole("button", { name: "Registrarse con Google" })).toBeVisible();
  await page.getByRole("link", { name: "Finanzas" }).click();
  await expect(page).toHaveURL("/login?volver=%2F");
  await expect(google(page)).toBeVisible();
  await expect(notice(page)).toBeEmpty();
});

test("a browser that refuses every cookie is told so when Google's page leads to the login", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "cookieEnabled", { value: false }));
  await page.goto("/login?error=google");
  await expect(notice(page)).toHaveText(NOT_KEPT);
});

test("a session that Google's page has opened needs no other one", async ({ page }) => {
  const person = await account(page.request);
  await page.goto("/registro");
  await page.getByRole("button", { name: "Registrarse con Google" }).click();
  await choose(page, person);
  await expect(page.getByRole("heading", { name: `Hola, ${person.name}` })).toBeVisible();
  await expect(page).toHaveURL("/");
  expect(await page.evaluate(() => sessionStorage.getItem("away"))).toBeNull();
});
