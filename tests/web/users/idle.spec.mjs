// The end of a session: the warning before it, and what a page shows after it. The service ends a session that nobody uses
// after two hours, and notes a use ten minutes late at most, so the warning comes 15 minutes before, in every tab.

import { MESSAGES, expect, held, logIn, makeIdle, session, signedIn, test } from "../support.mjs";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const [UNWARNED, WARNED] = [104 * MINUTE, 106 * MINUTE];

const warning = (page) => page.getByRole("alertdialog", { name: "Tu sesión va a terminar" });
const press = (page, name) => warning(page).getByRole("button", { name }).click();
const name = (page) => page.getByLabel("Nombre completo");

/** Opens the address, and waits until the page watches the session. */
async function open(page, address = "/perfil") {
  await page.goto(address);
  await expect(page.locator("#content")).toBeVisible();
  const loaded = page.waitForResponse("**/assets/dialog.css");
  await page.clock.runFor(MINUTE);
  await loaded;
  await page.waitForLoadState("networkidle");
}

test.beforeEach(async ({ page }) => {
  await page.clock.install();
  await signedIn(page);
});

/** Opens a page whose session is about to end. */
async function warned(page) {
  await open(page);
  await page.clock.runFor(WARNED);
  await expect(warning(page)).toBeVisible();
  await expect(warning(page).getByRole("button", { name: "Seguir aquí" })).toBeFocused();
}

test("every tab warns before the session ends unused, and one press in one of them lets all go on", { tag: "@firefox" }, async ({ page }) => {
  await open(page);
  const other = await page.context().newPage();
  await open(other, "/sesiones");
  await page.clock.runFor(UNWARNED - MINUTE);
  for (const tab of [page, other]) await expect(warning(tab)).toBeHidden();
  await page.clock.runFor(3 * MINUTE);
  for (const tab of [page, other]) await expect(warning(tab)).toBeVisible();
  await expect(warning(page)).toHaveAccessibleDescription(/se cerrará en unos minutos\.$/);
  await press(page, "Seguir aquí");
  for (const tab of [page, other]) await expect(warning(tab)).toBeHidden();
  await page.clock.runFor(UNWARNED);
  for (const tab of [page, other]) await expect(warning(tab), "the use counts in all tabs").toBeHidden();
  await page.clock.runFor(2 * MINUTE);
  for (const tab of [page, other]) await expect(warning(tab)).toBeVisible();
});

test("any call to the service puts the warning off", async ({ page }) => {
  await open(page);
  await page.clock.runFor(UNWARNED - MINUTE);
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await expect(page.getByText("Nombre guardado.")).toBeVisible();
  await page.clock.runFor(UNWARNED);
  await expect(warning(page)).toBeHidden();
});

test("a warning that waits for a slow answer asks the service once, and says that it is slow", async ({ page }) => {
  await warned(page);
  let calls = 0;
  page.on("request", (request) => { calls += Number(request.url().endsWith("/session.php")); });
  const { seen, release } = await held(page, "session.php");
  await press(page, "Seguir aquí");
  await seen();
  await warning(page).getByRole("button", { name: "Un momento…" }).click({ force: true });
  await page.keyboard.press("Escape");
  await page.clock.runFor(9_000);
  await expect(warning(page).getByText("Está tardando más de lo normal.")).toBeVisible();
  release();
  await expect(warning(page)).toBeHidden();
  expect(calls).toBe(1);
});

test("a warning whose answer fails stays and says why, and a second press goes on", async ({ page }) => {
  await warned(page);
  await page.route("**/session.php", (route) => route.abort(), { times: 1 });
  await press(page, "Seguir aquí");
  await expect(warning(page).getByText(MESSAGES.network)).toBeVisible();
  await press(page, "Seguir aquí");
  await expect(warning(page)).toBeHidden();
});

test("Escape goes on too, and the focus and what is typed stay where they were", async ({ page }) => {
  await open(page);
  await name(page).fill("Ana sin guardar");
  await page.clock.runFor(WARNED);
  await expect(warning(page)).toBeVisible();
  const used = page.waitForResponse("**/session.php");
  await page.keyboard.press("Escape");
  await used;
  await expect(warning(page)).toBeHidden();
  await expect(name(page)).toBeFocused();
  await expect(name(page)).toHaveValue("Ana sin guardar");
});

test("the warning can sign out, and the other tabs say so in its place", async ({ page }) => {
  await open(page);
  const other = await page.context().newPage();
  await open(other, "/sesiones");
  await page.clock.runFor(WARNED);
  await expect(warning(other)).toBeVisible();
  await press(page, "Cerrar sesión");
  await expect(page).toHaveURL("/login");
  await expect(page.getByText("Has cerrado la sesión.")).toBeVisible();
  await expect(other.getByText("Has cerrado la sesión en otra pestaña.")).toBeVisible();
  await expect(warning(other)).toBeHidden();
  expect(await session(page)).toBeUndefined();
});

test("after the end every tab leads to the login, which says so, and what was typed is there again", async ({ page }) => {
  const person = await signedIn(page);
  await open(page);
  const other = await page.context().newPage();
  await open(other, "/sesiones");
  await name(page).fill("Ana sin guardar");
  await page.clock.runFor(WARNED);
  await expect(warning(page)).toBeVisible();
  await makeIdle(page, 2 * 60 * 60);
  await page.clock.runFor(16 * MINUTE);
  await expect(other).toHaveURL("/login?volver=%2Fsesiones");
  await expect(other.locator("#notice")).toContainText("Tu sesión ha terminado. Inicia sesión para continuar.");
  await expect(page).toHaveURL("/login?volver=%2Fperfil");
  await expect(page.locator("#notice")).toContainText("Tu sesión ha terminado. Tus cambios están guardados en este navegador.");
  await logIn(page, person);
  await expect(name(page)).toHaveValue("Ana sin guardar");
});

test("a press after the end leads to the login", async ({ page }) => {
  await warned(page);
  await makeIdle(page, 2 * 60 * 60);
  await press(page, "Seguir aquí");
  await expect(page).toHaveURL("/login?volver=%2Fperfil");
  await expect(page.locator("#notice")).toContainText("Tu sesión ha terminado.");
  await page.reload();
  await expect(page.locator("#notice"), "it is said once").toContainText("Inicia sesión para continuar.");
  await expect(page.locator("#notice")).not.toContainText("Tu sesión ha terminado.");
});

test("a device that has slept over the end leads to the login when it wakes up", async ({ page }) => {
  await open(page);
  await makeIdle(page, 2 * 60 * 60);
  await page.clock.fastForward(3 * HOUR);
  await expect(page).toHaveURL("/login?volver=%2Fperfil");
  await expect(page.locator("#notice")).toContainText("Tu sesión ha terminado.");
});

test("a session that is used elsewhere meanwhile goes on without a warning", async ({ page }) => {
  await open(page);
  const asked = page.waitForResponse("**/session.php");
  await page.clock.fastForward(3 * HOUR);
  await asked;
  await expect(warning(page)).toBeHidden();
  await page.clock.runFor(UNWARNED);
  await expect(warning(page)).toBeHidden();
  await expect(name(page)).toBeVisible();
});

test("a clock that is set forward ends nothing, and one that is set back hides no warning", async ({ page }) => {
  await open(page);
  const now = await page.evaluate(() => Date.now());
  const asked = page.waitForResponse("**/session.php");
  await page.clock.setSystemTime(now + 24 * HOUR);
  await page.clock.runFor(20_000);
  await asked;
  await expect(warning(page)).toBeHidden();
  await expect(name(page)).toBeVisible();
  await page.clock.setSystemTime(now - 24 * HOUR);
  await page.clock.runFor(WARNED);
  await expect(warning(page)).toBeVisible();
});

test("a page that the user comes back to with the back button asks again, without the old warning", { tag: "@whole" }, async ({ page }) => {
  await page.goto("/");
  await expect(page.locator("#content")).toBeVisible();
  await page.goto("/terminos");
  await warned(page);
  // Playwright's own way waits for a page that loads, but this one comes from the back/forward cache.
  await page.evaluate(() => history.back());
  await expect(page).toHaveURL("/terminos");
  const asked = page.waitForResponse("**/session.php");
  await page.evaluate(() => history.forward());
  await asked;
  await expect(name(page)).toBeVisible();
  await expect(warning(page)).toBeHidden();
});

test("without the idle time in the settings, and on pages for everybody, nothing warns", async ({ page }) => {
  const other = await page.context().newPage();
  await other.goto("/ayuda");
  await page.route("**/config.json", (route) => route.fulfill({ json: {} }));
  await open(page);
  await page.clock.runFor(WARNED);
  for (const tab of [page, other]) await expect(warning(tab)).toBeHidden();
});

test.describe("the end that no use puts off", () => {
  /** Opens the profile, with a session whose age has been this number of minutes of a life of an hour. */
  async function aged(page, minutes) {
    const person = await signedIn(page);
    await page.route("**/config.json", (route) => route.fulfill({ json: { idleSeconds: 7_200, absoluteSeconds: 3_600 } }));
    await page.route("**/sessions.php", async (route) => {
      const response = await route.fetch();
      const { sessions: [session], ...rest } = await response.json();
      session.created_at = new Date(Date.parse(session.last_seen_at) - minutes * MINUTE).toISOString();
      await route.fulfill({ response, json: { ...rest, sessions: [session] } });
    });
    // The login page notes the time.
    await page.goto("/ayuda");
    await page.evaluate((since) => localStorage.setItem("since", String(Date.now() - since)), 50 * MINUTE);
    return person;
  }

  test("is told some minutes before, and a new login leads back to the page and what is typed there", async ({ page }) => {
    const person = await aged(page, 45);
    await page.goto("/perfil");
    await name(page).fill("Ana sin guardar");
    await page.clock.runFor(MINUTE + 5_000);
    await expect(warning(page)).toHaveAccessibleDescription(/se cierra en unos minutos, aunque la uses/);
    await expect(warning(page).getByRole("button", { name: "Entrar de nuevo" })).toBeFocused();
    await press(page, "Entrar de nuevo");
    await expect(page).toHaveURL("/login?volver=%2Fperfil&reciente");
    await logIn(page, person);
    await expect(name(page)).toHaveValue("Ana sin guardar");
    await page.clock.runFor(2 * MINUTE);
    await expect(warning(page)).toBeHidden();
  });

  test("is told once on a page, and whoever does not want to log in now goes on", async ({ page }) => {
    await aged(page, 45);
    await page.goto("/perfil");
    await name(page).focus();
    await page.clock.runFor(MINUTE + 5_000);
    await press(page, "Ahora no");
    await expect(name(page)).toBeFocused();
    await page.clock.runFor(5 * MINUTE);
    await expect(warning(page)).toBeHidden();
  });

  test("is not told because of a clock that was wrong at the login", async ({ page }) => {
    await aged(page, 5);
    const asked = page.waitForResponse("**/sessions.php");
    await page.goto("/perfil");
    await expect(name(page)).toBeVisible();
    await page.clock.runFor(MINUTE + 5_000);
    await asked;
    await expect.poll(() => page.evaluate(() => Date.now() - localStorage.getItem("since"))).toBeLessThan(20 * MINUTE);
    await expect(warning(page)).toBeHidden();
  });
});
