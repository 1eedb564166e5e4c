// The page about the security of the account: what opens it, who is in it, what has happened, and what to do about it.

import { HEADER, account, expect, held, makeStale, session, signedIn, test, unfold, verified, watchMoves } from "../support.mjs";

const region = (page, name) => page.getByRole("region", { name });
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();

/** Links the account to Google. */
async function linked(page) {
  const person = await verified(page);
  const { credential } = await (await page.request.post("/_local/google/credential", { data: { email: person.email, name: person.name } })).json();
  const answer = await page.request.post("/app/auth/google-callback-login.php", { data: { credential }, headers: HEADER });
  expect(await answer.json()).toMatchObject({ status: "exists" });
  return person;
}

test("the page says of each way into the account whether it is open, and lists the last logins", async ({ page }) => {
  await linked(page);
  await page.goto("/seguridad");
  await expect(region(page, "Email")).toContainText("Verificado");
  await expect(region(page, "Contraseña")).toContainText(`Desde el ${new Intl.DateTimeFormat("es", { dateStyle: "medium" }).format(new Date())}`);
  await expect(region(page, "Llaves de acceso")).toContainText("Ninguna");
  await expect(region(page, "Google")).toContainText("Vinculado");
  await expect(region(page, "Sesiones")).toContainText("Solo esta");
  const items = region(page, "Actividad de los últimos 90 días").getByRole("listitem");
  await expect(items.filter({ hasText: "Inicio de sesión con Google" })).toHaveCount(1);
  await expect(items.filter({ hasText: "Inicio de sesión con contraseña" })).toHaveCount(1);
});

test("the states are there when the page shows its content, so that nothing moves", async ({ page }) => {
  await linked(page);
  await page.addInitScript(() => {
    // On a busy machine the answers may take longer than the page waits for them.
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (work, time, ...more) => setTimeout(work, time === 300 ? 20_000 : time, ...more);
  });
  const moved = await watchMoves(page);
  await page.goto("/seguridad");
  await expect(page.getByRole("heading", { name: "Email" })).toBeVisible();
  expect(await region(page, "Google").textContent()).toContain("Vinculado");
  await expect(region(page, "Actividad de los últimos 90 días").getByRole("listitem")).not.toHaveCount(0);
  expect(await moved()).toBeLessThan(0.05);
});

test("states that come late do not keep back the content", async ({ page }) => {
  await linked(page);
  const { release } = await held(page, "sessions.php");
  await page.goto("/seguridad");
  await expect(region(page, "Email")).toContainText("Comprobando…");
  release();
  await expect(region(page, "Email")).toContainText("Verificado");
});

test("the content is never shown if another account signs in while the page waits for the states", async ({ page }) => {
  await linked(page);
  let asked = 0;
  await page.route("**/session.php", async (route) => {
    const answer = await (await route.fetch()).json();
    asked += 1;
    await route.fulfill({ json: { ...answer, user: { ...answer.user, id: answer.user.id + (asked > 1 ? 1 : 0) } } });
  });
  await page.goto("/seguridad");
  await expect(page.getByText("En otra pestaña has iniciado sesión con otra cuenta.")).toBeVisible();
  // Longer than the page waits.
  await page.waitForTimeout(500);
  await expect(page.locator("#content")).toBeHidden();
  await expect(page.getByText("Cargando…")).toBeHidden();
});

test("Google is unlinked after a question, and the other sessions end", async ({ page, browser }) => {
  const person = await linked(page);
  const phone = await browser.newPage();
  await signedIn(phone, person);
  await page.goto("/seguridad");
  await press(page, "Desvincular Google");
  await expect(page.getByText("Google dejará de servir para entrar")).toBeVisible();
  await press(page, "No, conservarlo");
  await expect(page.getByRole("button", { name: "Desvincular Google", exact: true })).toBeFocused();
  await expect(page.getByText("Google dejará de servir para entrar")).toBeHidden();
  await press(page, "Desvincular Google");
  const { seen, release } = await held(page, "unlinkGoogle.php");
  await press(page, "Sí, desvincular Google");
  await seen();
  await expect(page.getByRole("button", { name: "Desvinculando…" })).toBeDisabled();
  release();
  await expect(region(page, "Google").getByRole("status").first()).toContainText("Google desvinculado. Las demás sesiones se han cerrado.");
  await expect(region(page, "Google")).toContainText("Sin vincular");
  expect([await session(page).then(Boolean), await session(phone)]).toEqual([true, undefined]);
  await phone.close();
});

test("a tab whose account another tab has unlinked says so, and does nothing", async ({ page }) => {
  await linked(page);
  const other = await page.context().newPage();
  for (const tab of [page, other]) await tab.goto("/seguridad");
  await press(other, "Desvincular Google");
  await press(page, "Desvincular Google");
  await press(page, "Sí, desvincular Google");
  await expect(page.getByText("Google desvinculado.")).toBeVisible();
  await expect(region(other, "Google")).toContainText("Sin vincular");
  await expect(other.getByRole("button", { name: /desvincular/i })).toHaveCount(0);
});

test("whoever has nothing but Google keeps it, and is told why", async ({ page }) => {
  const { credential } = await (await page.request.post("/_local/google/credential", { data: { email: `solo.${Date.now()}@example.com`, name: "Ana" } })).json();
  await page.request.post("/app/auth/google-callback-login.php", { data: { credential }, headers: HEADER });
  await page.goto("/seguridad");
  await expect(region(page, "Contraseña")).toContainText("No tienes");
  await press(page, "Desvincular Google");
  await press(page, "Sí, desvincular Google");
  await expect(region(page, "Google")).toContainText("Crea antes una contraseña o una llave de acceso");
  await expect(region(page, "Google")).toContainText("Vinculado");
});

test("whoever sees a foreign session ends all others at once, proving who they are first", async ({ page, browser }) => {
  const person = await signedIn(page);
  const thief = await browser.newPage();
  await signedIn(thief, person);
  await page.goto("/seguridad");
  await expect(region(page, "Sesiones")).toContainText("2 abiertas");
  await makeStale(page);
  await press(page, "Cerrar las demás sesiones");
  const dialog = page.getByRole("dialog", { name: "Confirma que eres tú" });
  await dialog.getByLabel("Contraseña", { exact: true }).fill(person.password);
  await dialog.getByRole("button", { name: "Confirmar", exact: true }).click();
  await expect(page.locator(":focus")).toContainText("Las demás sesiones se han cerrado.");
  await expect(region(page, "Sesiones")).toContainText("Solo esta");
  await expect(page.getByRole("button", { name: "Cerrar las demás sesiones" })).toBeHidden();
  expect([await session(page).then(Boolean), await session(thief)]).toEqual([true, undefined]);
  await thief.close();
});

test("a part that the service cannot answer is said to be unknown, and the others are shown", async ({ page }) => {
  await verified(page);
  const down = (route) => route.fulfill({ status: 503, json: { message: "Service Unavailable" } });
  await page.route("**/activity.php", down);
  await page.goto("/seguridad");
  await expect(region(page, "Actividad de los últimos 90 días")).toContainText("No se ha podido comprobar.");
  await expect(region(page, "Email")).toContainText("Verificado");
  await page.unroute("**/activity.php");
  await page.route("**/sessions.php", down);
  await page.reload();
  await expect(region(page, "Email")).toContainText("No se ha podido comprobar.");
  await expect(region(page, "Actividad de los últimos 90 días").getByRole("listitem")).not.toHaveCount(0);
});

test("the home page shows the login before this one, so that its owner notices another's", async ({ page }) => {
  const person = await account(page.request);
  await signedIn(page, person);
  await page.goto("/");
  await expect(page.getByText("Este es el primero que conocemos")).toBeVisible();
  const activity = [
    { at: new Date().toISOString(), kind: "login", method: "password", browser: "Firefox en Windows", count: 1 },
    { at: "2026-01-14T20:30:00Z", kind: "login", method: "passkey", browser: "Safari en iPhone", count: 2 },
  ];
  await page.route("**/activity.php", (route) => route.fulfill({ json: { success: true, activity } }));
  await page.reload();
  await expect(page.getByText(/14 ene 2026.* · Safari en iPhone/)).toBeVisible();
});

test("an answer that comes after its form was folded is seen, and a wrong field unfolds it", async ({ page }) => {
  await signedIn(page);
  await page.goto("/seguridad");
  const part = region(page, "Contraseña");
  /** Folds the form while the service is asked. */
  const choose = async (password, answer) => {
    let release;
    const seen = new Promise((reach) => {
      page.route("**/sendUserConfig.php", async (route) => {
        reach();
        await new Promise((resolve) => { release = resolve; });
        await (answer ? route.fulfill({ json: answer }) : route.continue());
      }, { times: 1 });
    });
    await part.getByLabel("Contraseña nueva", { exact: true }).fill(password);
    await part.getByLabel("Repite la contraseña nueva").fill(password);
    await part.getByLabel("Repite la contraseña nueva").press("Enter");
    await seen;
    await unfold(page, "Cambiar contraseña");
    release();
  };
  await unfold(page, "Cambiar contraseña");
  await choose("Secreto123", { success: false, message: "La contraseña es demasiado común" });
  await expect(part.getByLabel("Contraseña nueva", { exact: true })).toBeFocused();
  await choose("Nueva1234");
  await expect(part.getByText("Contraseña guardada.")).toBeVisible();
});

test("the mail that verifies the address takes the focus to what is told of it", async ({ page }) => {
  await signedIn(page);
  await page.goto("/seguridad");
  await press(page, "Verificar mi email");
  await expect(page.locator(":focus")).toContainText("Revisa tu correo.");
});
