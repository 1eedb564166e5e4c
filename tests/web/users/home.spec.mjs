// The home page and the page about security state only what the service has answered about an account.

import { account, expect, held, mailedLink, signedIn, somebody, test, verified, unfold, withoutSession } from "../support.mjs";

const next = (page) => page.getByRole("region", { name: /./ }).filter({ has: page.locator("#next-heading") });
const verify = (page) => page.getByRole("button", { name: "Verificar mi email" });

test("the home page suggests nothing until it knows whether the address is verified", async ({ page }) => {
  await verified(page);
  const { seen, release } = await held(page, "sessions.php");
  await page.goto("/");
  await seen();
  await expect(page.getByRole("heading", { name: /^Hola, / })).toBeVisible();
  await expect(page.locator("#next")).toBeHidden();
  release();
  await expect(page.getByRole("heading", { name: "Todo en orden" })).toBeVisible();
  await expect(page.getByText("Siguiente paso")).toBeHidden();
  await expect(verify(page)).toBeHidden();
});

test("the account on the home page stays in its place when the next step appears", async ({ page }) => {
  await signedIn(page);
  const place = async () => (await page.getByRole("region", { name: "Tu cuenta" }).boundingBox()).y;
  for (const [width, height] of [[390, 844], [1120, 700]]) {
    await page.setViewportSize({ width, height });
    const { seen, release } = await held(page, "sessions.php");
    await page.goto("/");
    await seen();
    await expect(page.getByText("Cargando…")).toBeHidden();
    const before = await place();
    release();
    await expect(next(page)).toBeVisible();
    // The texts of next steps differ by a line.
    expect(Math.abs(await place() - before), `${width} pixels`).toBeLessThan(32);
  }
});

test("the home page suggests nothing if it cannot learn whether the address is verified", async ({ page }) => {
  await signedIn(page);
  await page.route("**/sessions.php", (route) => route.fulfill({ status: 503, json: { message: "Service Unavailable" } }));
  const answered = page.waitForResponse("**/sessions.php");
  await page.goto("/");
  await answered;
  await expect(page.getByRole("heading", { name: "Tu cuenta" })).toBeVisible();
  await expect(page.locator("#next")).toBeHidden();
  await expect(page.locator("#notice")).toBeEmpty();
});

test("the page about security says that it does not know whether the address is verified if the service does not say so", async ({ page }) => {
  await signedIn(page);
  await page.route("**/sessions.php", (route) => route.fulfill({ status: 503, json: { message: "Service Unavailable" } }));
  await page.goto("/seguridad");
  await expect(page.getByRole("region", { name: "Email" }).getByText("No se ha podido comprobar.")).toBeVisible();
  await expect(verify(page)).toBeHidden();
});

test("the home page does not ask to verify an address that was verified a moment ago, and the page about security says so", async ({ page }) => {
  const person = await signedIn(page);
  await page.goto("/");
  await verify(page).click();
  await expect(page.getByRole("heading", { name: "Revisa tu correo" })).toBeFocused();
  await expect(page.getByText(`Hemos enviado un enlace a ${person.email}.`)).toBeVisible();
  const again = page.getByRole("button", { name: /^Enviar otra vez \(\d+ s\)$/ });
  await expect(again).toBeDisabled();
  await expect(again, "not the main thing to do").toHaveClass(/\bplain\b/);
  await page.goto(await mailedLink(page.request, person.email, "verificar"));
  await page.getByRole("button", { name: "Sí, es mi email" }).click();
  await page.getByRole("link", { name: "Ir al inicio" }).click();
  await expect(page.getByRole("heading", { name: "Todo en orden" })).toBeVisible();
  await page.goto("/seguridad");
  await expect(page.getByText("Tu email ya está verificado.")).toBeVisible();
  await expect(verify(page)).toBeHidden();
});

test("the home page leads on to the sessions if the address turns out to be verified already", async ({ page }) => {
  await signedIn(page);
  await page.goto("/");
  await page.route("**/sendVerification.php", (route) => route.fulfill({ json: { success: true, message: "El email ya está verificado" } }));
  await verify(page).click();
  await expect(page.getByRole("heading", { name: "Todo en orden" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Ver mis sesiones" })).toBeVisible();
});

/** Logs in with Google in its window. */
async function google(page, context, { email, name }) {
  await page.goto("/login");
  const opened = context.waitForEvent("page");
  await page.getByRole("button", { name: "Iniciar sesión con Google" }).click();
  const chooser = await opened;
  await chooser.getByLabel("Email").fill(email);
  await chooser.getByLabel("Name").fill(name);
  await chooser.getByRole("button", { name: "Use another account" }).click();
  const answered = page.waitForResponse("**/sessions.php");
  await expect(page).toHaveURL("/");
  await answered;
}

test("a login with Google that removes the password says so once, and the page about security shows it", async ({ page, context }) => {
  const person = await account(page.request, somebody());
  await google(page, context, person);
  const told = page.locator("#notice").filter({ hasText: "Tu cuenta no tiene contraseña" });
  await expect(told).toBeVisible();
  await expect(told).toHaveClass(/\binfo\b/);
  await expect(next(page), "not all is in order").toBeHidden();
  await told.getByRole("link", { name: "Elegir una contraseña" }).click();
  const lost = page.getByText("Si tenías una, la quitamos");
  await expect(lost).toBeVisible();

  await withoutSession(page);
  await google(page, context, person);
  await expect(told).toBeHidden();

  await page.goto("/seguridad");
  await expect(lost).toBeVisible();
  await unfold(page, "Cambiar contraseña");
  await page.getByLabel("Contraseña nueva", { exact: true }).fill("Nueva1234");
  await page.getByLabel("Repite la contraseña nueva", { exact: true }).fill("Nueva1234");
  await page.getByRole("button", { name: "Guardar contraseña" }).click();
  await expect(page.getByText("Contraseña guardada.")).toBeVisible();
  await expect(lost).toBeHidden();
});

test("a login with Google that keeps the password reports no loss", async ({ page, context }) => {
  const person = await verified(page);
  await withoutSession(page);
  await google(page, context, person);
  await expect(page.locator("#notice")).toBeEmpty();
  await page.goto("/seguridad");
  await expect(page.getByText("Tu email ya está verificado.")).toBeVisible();
  await expect(page.getByText("Si tenías una, la quitamos")).toBeHidden();
});
