// Typed and saved values are not lost: overlapping saves, and sessions that end.

import { expect, held, logIn, makeIdle, session, signedIn, test, unfold } from "../support.mjs";

/** Opens the profile, and waits until it is filled in. */
async function profile(page, person) {
  await page.goto("/perfil");
  await expect(page.getByLabel("Nombre completo")).toHaveValue(person.name);
}

const saved = (page, region) => page.getByRole("region", { name: region }).getByText(/^(Nombre guardado|Imagen guardada|Te has apuntado al boletín)\.$/);

test("a second section that is saved while the first is still being saved does not undo it", async ({ page }) => {
  const person = await signedIn(page);
  await profile(page, person);
  const { seen, release } = await held(page, "sendUserConfig.php");
  await page.getByLabel("Nombre completo").fill("Ana María García");
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await seen();
  await page.getByLabel("Quiero recibir el boletín").check();
  await page.getByRole("button", { name: "Guardar", exact: true }).click();
  await expect(page.getByRole("region", { name: "Boletín" }).getByRole("button", { name: "Guardando…" })).toBeVisible();
  release();
  await expect(saved(page, "Tus datos")).toBeVisible();
  await expect(saved(page, "Boletín")).toBeVisible();
  expect(await session(page)).toMatchObject({ name: "Ana María García", accept_news: 1 });
});

test("a section that another tab saves at the same time does not undo the first", async ({ page }) => {
  const person = await signedIn(page);
  const other = await page.context().newPage();
  for (const tab of [page, other]) await profile(tab, person);
  const { seen, release } = await held(page, "sendUserConfig.php");
  await page.getByLabel("Nombre completo").fill("Ana María García");
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await seen();
  await other.getByLabel("Quiero recibir el boletín").check();
  await other.getByRole("button", { name: "Guardar", exact: true }).click();
  await expect(other.getByRole("button", { name: "Guardando…" })).toBeVisible();
  release();
  await expect(saved(page, "Tus datos")).toBeVisible();
  await expect(saved(other, "Boletín")).toBeVisible();
  expect(await session(page)).toMatchObject({ name: "Ana María García", accept_news: 1 });
});

test("a picture can be chosen on a page that was opened before the pictures moved to another host", async ({ page }) => {
  const person = await signedIn(page);
  await page.route("**/app/auth/session.php", async (route) => {
    const response = await route.fetch();
    const { user, ...rest } = await response.json();
    await route.fulfill({ response, json: { ...rest, user: { ...user, url_image: "https://old.example/assets/avatars/default.jpeg" } } });
  }, { times: 1 });
  await profile(page, person);
  await unfold(page, "Cambiar la imagen");
  await page.getByRole("radio", { name: "Barba castaña" }).check();
  await page.getByRole("button", { name: "Usar esta imagen" }).click();
  await expect(saved(page, "Imagen")).toBeVisible();
  expect((await session(page)).url_image).toMatch(/\/08\.jpeg$/);
});

/** The calls of the profile that can discover that the session has ended. */
const CALLS = {
  "the save of another section": (page) => page.getByRole("button", { name: "Guardar", exact: true }).click(),
  "the export": (page) => page.getByRole("button", { name: "Descargar mis datos" }).click(),
};

for (const [name, call] of Object.entries(CALLS)) {
  test(`what is typed in the profile comes back if ${name} finds that the session has ended, and the login says that it is kept`, async ({ page }) => {
    const person = await signedIn(page);
    await profile(page, person);
    await page.getByLabel("Nombre completo").fill("Ana editada");
    await makeIdle(page, 2 * 60 * 60);
    // The login page asks for no other file, with which its notice would come late and move the form.
    const kept = "**/assets/edits.js";
    await page.route(kept, (route) => route.abort());
    await call(page);
    await expect(page).toHaveURL("/login?volver=%2Fperfil");
    const notice = page.locator("#notice");
    await expect(notice).toContainText("Tu sesión ha terminado. Tus cambios están guardados en este navegador. Inicia sesión para recuperarlos.");
    await expect(notice).toHaveClass(/\binfo\b/);
    await page.unroute(kept);
    await logIn(page, person);
    await expect(page.getByText("Aquí están tus cambios de antes.")).toBeVisible();
    await expect(notice).toHaveClass(/\binfo\b/);
    await expect(page.getByLabel("Nombre completo")).toHaveValue("Ana editada");
  });
}

test("the name of a new passkey comes back after the session has ended", async ({ page }) => {
  const person = await signedIn(page);
  await page.goto("/llaves");
  const name = page.getByLabel("Nombre de la llave nueva");
  await name.fill("Móvil de Ana");
  await makeIdle(page, 2 * 60 * 60);
  await page.getByRole("button", { name: "Crear llave de acceso" }).click();
  await expect(page.getByText("Tus cambios están guardados en este navegador.")).toBeVisible();
  await logIn(page, person);
  await expect(page).toHaveURL("/llaves");
  await expect(name).toHaveValue("Móvil de Ana");
});

test("the login after a session without edits does not mention edits, and saved values are not edits", async ({ page }) => {
  const person = await signedIn(page);
  await profile(page, person);
  await page.getByLabel("Nombre completo").fill("Ana guardada");
  await page.getByLabel("Quiero recibir el boletín").check();
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await expect(saved(page, "Tus datos")).toBeVisible();
  await page.getByRole("button", { name: "Guardar", exact: true }).click();
  await expect(saved(page, "Boletín")).toBeVisible();
  await makeIdle(page, 2 * 60 * 60);
  await page.getByRole("button", { name: "Descargar mis datos" }).click();
  await expect(page).toHaveURL("/login?volver=%2Fperfil");
  await expect(page.locator("#notice")).toContainText("Inicia sesión para continuar.");
  await expect(page.locator("#notice")).toHaveClass(/\binfo\b/);
  expect(await page.evaluate(() => sessionStorage.getItem("edits"))).toBeNull();
});

test("a visitor of the start page without a session is not greeted, and is not told of a lost session", async ({ page }) => {
  const texts = [];
  await page.exposeFunction("seen", (text) => texts.push(text));
  await page.addInitScript(() => document.addEventListener("DOMContentLoaded", () => globalThis.seen(document.querySelector("h1")?.textContent ?? "")));
  await page.goto("/");
  await expect(page).toHaveURL("/login?volver=%2F");
  await expect(page.getByRole("button", { name: "Entrar", exact: true })).toBeEnabled();
  await expect(page.locator("#notice")).toBeEmpty();
  expect(texts.filter((text) => text.startsWith("Hola"))).toEqual([]);
});
