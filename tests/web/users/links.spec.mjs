// The links in mails: what a page shows about them before anything is typed.

import { HEADER, account, expect, resetLink, test, tokenUntil } from "../support.mjs";

const password = (page) => page.getByLabel("Contraseña nueva", { exact: true });
const notice = (page) => page.locator("#notice");
const dead = (page) => page.getByRole("heading", { level: 1, name: "Este enlace ya no sirve" });

const DAY = 24 * 60 * 60;
const now = () => Math.floor(Date.now() / 1000);

/** Has a reset link mailed, and returns it. */
async function mailed(page, person) {
  await page.request.post("/app/auth/sendResetLink.php", { form: { email: person.email }, headers: HEADER });
  return resetLink(page.request, person.email);
}

async function choose(page, value = "Nueva1234") {
  await password(page).fill(value);
  await page.getByLabel("Repite la contraseña nueva", { exact: true }).fill(value);
  await page.getByRole("button", { name: "Guardar contraseña" }).click();
}

test("an expired reset link is reported before anything is typed, and can be tried if the clock is wrong", async ({ page }) => {
  const person = await account(page.request);
  const link = new URL(await mailed(page, person));
  const secret = Buffer.from(link.searchParams.get("token").split(".")[1], "base64url");
  expect(secret.readUIntBE(0, 5) - now(), "the link lives for half an hour").toBeGreaterThan(25 * 60);
  // To a clock that is a day ahead, the link has expired.
  await page.clock.setFixedTime(Date.now() + DAY * 1000);
  await page.goto(link.href);
  await expect(dead(page)).toBeVisible();
  await expect(notice(page)).toContainText("Ha caducado según el reloj de este dispositivo.");
  await expect(password(page)).toBeHidden();
  await page.reload();
  await expect(password(page)).toBeHidden();
  await page.getByRole("button", { name: "Usar este enlace de todos modos" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Restablecer contraseña" })).toBeFocused();
  await choose(page);
  await expect(page.getByText("Contraseña cambiada.")).toBeVisible();
});

test("a used reset link is reported in all tabs of the browser before anything is typed", async ({ page }) => {
  const link = await mailed(page, await account(page.request));
  await page.goto(link);
  await choose(page);
  await expect(page.getByText("Contraseña cambiada.")).toBeVisible();
  const tab = await page.context().newPage();
  await tab.goto(link);
  await expect(dead(tab)).toBeVisible();
  await expect(password(tab)).toBeHidden();
  await expect(tab.getByRole("button", { name: "Usar este enlace de todos modos" })).toBeHidden();
});

test("a reset link is reported as replaced after a newer one of the same account, and not after one of another account", async ({ page }) => {
  const [older, newer] = [1, 2].map((hours) => `/restablecer?token=${tokenUntil(now() + hours * 3600)}`);
  const tab = await page.context().newPage();
  await tab.goto(newer);
  await expect(password(tab)).toBeVisible();
  await page.goto(older);
  await expect(notice(page)).toContainText("Hay un enlace más nuevo.");
  await expect(password(page)).toBeHidden();
  await page.goto(older.replace("AAAA", "BBBB"));
  await expect(password(page)).toBeVisible();
});

test("an incomplete link is not reported as expired", async ({ page }) => {
  for (const address of ["/restablecer?token=x", "/verificar?token=x"]) {
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1, name: "Este enlace no sirve" })).toBeVisible();
    await expect(notice(page)).toContainText("No está completo.");
    await expect(notice(page)).not.toContainText("caducado");
  }
});

test("a password manager finds the address of a new password if this tab has asked for the link", async ({ page }) => {
  const person = await account(page.request);
  await page.goto("/recuperar");
  await page.getByLabel("Email").fill(person.email);
  await page.getByRole("button", { name: "Enviar enlace" }).click();
  await expect(page.getByRole("heading", { name: "Revisa tu correo" })).toBeVisible();
  await page.goto(await resetLink(page.request, person.email));
  await expect(page.locator("input[autocomplete=username]")).toHaveValue(person.email);
});

test("a failed request for another mail can be repeated at once", async ({ page }) => {
  const person = await account(page.request);
  await page.clock.install();
  await page.goto("/recuperar");
  await page.getByLabel("Email").fill(person.email);
  await page.getByRole("button", { name: "Enviar enlace" }).click();
  await page.getByRole("button", { name: /^Enviar otra vez \(/ }).waitFor();
  await page.clock.runFor(61_000);
  await page.route("**/sendResetLink.php", (route) => route.fulfill({ status: 503, json: { message: "Service Unavailable" } }), { times: 1 });
  const again = page.getByRole("button", { name: "Enviar otra vez", exact: true });
  await again.click();
  await expect(page.getByText("El servicio no está disponible ahora.")).toBeVisible();
  await expect(again).toBeEnabled();
  await again.click();
  await expect(page.getByText("Lo hemos enviado otra vez.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Enviar otra vez \(/ })).toBeDisabled();
});

test("a page whose address ends with a slash is the page, and keeps its query", async ({ page }) => {
  const link = new URL(await mailed(page, await account(page.request)));
  await page.goto(`/restablecer/${link.search}`);
  await expect(page).toHaveURL("/restablecer");
  await choose(page);
  await expect(page.getByText("Contraseña cambiada.")).toBeVisible();
  await page.goto("/perfil/#contrasena");
  await expect(page).toHaveURL("/login?volver=%2Fperfil%23contrasena");
});
