// The page of the link "No he sido yo" in notices: one press protects the account.

import { MESSAGES, TOKEN, expect, held, noticeLink, resetLink, session, signedIn, test, tokenUntil } from "../support.mjs";

const LINK = `/no-fui-yo?token=${TOKEN}`;
const press = (page) => page.getByRole("button", { name: "Proteger mi cuenta" });
const title = (page, name) => page.getByRole("heading", { level: 1, name });
const locked = (page) => title(page, "Tu cuenta está protegida");
const dead = (page) => title(page, "Este enlace ya no sirve");
const notice = (page) => page.locator("#notice");

const DONE = { success: true, message: "Cuenta protegida. Te hemos enviado un enlace para elegir otra contraseña" };
const REFUSED = { success: false, message: "Token inválido o expirado" };

/** Answers each call with the next answer, and the last one again. Returns the tokens that were sent. */
async function answering(context, ...answers) {
  const tokens = [];
  await context.route("**/app/auth/lockAccount.php", (route) => {
    tokens.push(new URLSearchParams(route.request().postData()).get("token"));
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return answer === "lost" ? route.abort() : route.fulfill({ json: answer });
  });
  return tokens;
}

test("the link of a notice protects the account by one press, and the mailed link sets another password", { tag: "@firefox" }, async ({ page, browser }) => {
  const person = await signedIn(page);
  const link = await noticeLink(page, person, "Ladron1234");
  const owner = await browser.newPage();
  await owner.goto(link);
  await expect(owner).toHaveURL("/no-fui-yo");
  await expect(press(owner)).toBeVisible();
  expect(await session(page), "the opened link has changed nothing").toBeDefined();
  await press(owner).click();
  await expect(locked(owner)).toBeFocused();
  await expect(notice(owner)).toContainText("Ya no hay sesiones abiertas.");
  expect(await session(page)).toBeUndefined();
  expect(await session(owner), "it opens no session").toBeUndefined();
  await expect(owner.getByRole("listitem").first()).toContainText("Cambia primero la contraseña de tu correo.");

  await owner.goto(await resetLink(owner.request, person.email));
  await owner.getByLabel("Contraseña nueva", { exact: true }).fill("Propia1234");
  await owner.getByLabel("Repite la contraseña nueva", { exact: true }).fill("Propia1234");
  await owner.getByRole("button", { name: "Guardar contraseña" }).click();
  await expect(owner.getByText("Contraseña cambiada.")).toBeVisible();
  // The login may still be loading.
  await expect(() => owner.goto(link)).toPass();
  await expect(locked(owner), "another link was used since").toBeVisible();
  await owner.evaluate(() => localStorage.clear());
  await owner.goto(link);
  await press(owner).click();
  await expect(dead(owner)).toBeFocused();
  await owner.close();
});

test("the page still says that the account is protected after a reload and in another tab, and sends nothing more", async ({ page, context }) => {
  const tokens = await answering(context, DONE, REFUSED);
  const early = await context.newPage();
  await early.goto(LINK);
  await page.goto(LINK);
  await press(page).click();
  await expect(locked(page)).toBeVisible();
  await page.reload();
  await expect(locked(page)).toBeVisible();
  await expect(press(page)).toBeHidden();
  const late = await context.newPage();
  await late.goto(LINK);
  await expect(locked(late)).toBeVisible();
  await late.reload();
  await expect(locked(late)).toBeVisible();
  expect(tokens).toEqual([TOKEN]);
  // The service refuses the link to a tab that was opened before, but it has done its work.
  await press(early).click();
  await expect(locked(early)).toBeVisible();
});

test("the link is not sent before the press, and a second click or a key that is held down sends it only once", async ({ page, context }) => {
  const tokens = await answering(context, DONE);
  const { seen, release } = await held(context, "lockAccount.php");
  await page.goto(LINK);
  await expect(press(page)).toBeVisible();
  expect(tokens).toEqual([]);
  await press(page).focus();
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.down("Enter");
  await seen();
  const working = page.getByRole("button", { name: "Protegiendo…" });
  await expect(working).toBeDisabled();
  await expect(working).toBeFocused();
  await working.click({ force: true });
  release();
  await expect(locked(page)).toBeVisible();
  expect(tokens).toEqual([TOKEN]);
});

test("a press whose connection fails can be repeated", async ({ page, context }) => {
  await answering(context, "lost", DONE);
  await page.goto(LINK);
  await press(page).click();
  await expect(page.getByText(MESSAGES.network)).toBeVisible();
  await expect(page).toHaveTitle(/^Error: /);
  await press(page).click();
  await expect(locked(page)).toBeVisible();
  await expect(page).toHaveTitle("No he sido yo · Finanzas");
});

test("a press that is repeated because its answer was lost leads to the mail and to another password", async ({ page, context }) => {
  await answering(context, "lost", REFUSED);
  await page.goto(LINK);
  await press(page).click();
  await expect(page.getByText(MESSAGES.network)).toBeVisible();
  await press(page).click();
  await expect(dead(page)).toBeFocused();
  await expect(notice(page)).toContainText("Si ya has protegido tu cuenta con él, busca en tu correo");
  await page.reload();
  await expect(dead(page)).toBeVisible();
  await page.getByRole("link", { name: "Elegir otra contraseña" }).click();
  await expect(page).toHaveURL("/recuperar");
});

test("an answer that is slow or never comes is told, and the press can be repeated", async ({ page, context }) => {
  await page.clock.install();
  await answering(context, DONE);
  const { seen, release } = await held(context, "lockAccount.php");
  await page.goto(LINK);
  await press(page).click();
  await seen();
  await page.clock.runFor(9_000);
  await expect(notice(page)).toHaveText("Está tardando más de lo normal. No cierres esta página.");
  await expect(notice(page)).toHaveClass(/\binfo\b/);
  await page.clock.runFor(35_000);
  await expect(page.getByText(MESSAGES.timeout)).toBeVisible();
  release();
  await press(page).click();
  await expect(locked(page)).toBeVisible();
  await page.clock.runFor(9_000);
  await expect(notice(page)).toContainText("Ya no hay sesiones abiertas.");
});

test("the service decides whether the link has expired, not the clock of the device or a newer link", async ({ page, context }) => {
  const [newer, expired] = [TOKEN, tokenUntil(1)];
  const tokens = await answering(context, DONE);
  await page.goto(`/no-fui-yo?token=${newer}`);
  await page.goto(`/no-fui-yo?token=${expired}`);
  await press(page).click();
  await expect(locked(page)).toBeVisible();
  expect(tokens).toEqual([expired]);
});

test("an address without a whole token shows no button, and the way to another password", async ({ page }) => {
  for (const address of ["/no-fui-yo", "/no-fui-yo?token=x", "/no-fui-yo?token="]) {
    await page.goto(address);
    await expect(title(page, "Este enlace no sirve")).toBeVisible();
    await expect(press(page)).toBeHidden();
    await expect(page.getByRole("link", { name: "Elegir otra contraseña" })).toHaveAttribute("href", "/recuperar");
  }
});

test("the token is in no address, history or referrer, and search engines are told to leave the page out", async ({ page, context }) => {
  const sent = [];
  page.on("request", (request) => sent.push(request));
  await answering(context, DONE);
  await page.goto("/login");
  await page.goto(LINK);
  await press(page).click();
  await expect(locked(page)).toBeVisible();
  await expect(page).toHaveURL("/no-fui-yo");
  expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain(TOKEN);
  await page.getByRole("link", { name: "Pedir otro enlace" }).click();
  await page.goBack();
  await expect(page).toHaveURL("/no-fui-yo");
  await expect(locked(page)).toBeVisible();
  const told = sent.filter((request) => (request.headers().referer ?? "").includes(TOKEN));
  expect(told.map((request) => request.url())).toEqual([]);
  expect(sent.filter((request) => request.url().includes(TOKEN))).toHaveLength(1);
  await expect(page.locator("meta[name=robots]")).toHaveAttribute("content", "noindex");
});

test.describe("a stack with Google and a captcha", () => {
  test.use({ baseURL: process.env.CAPTCHA_URL });

  test("loads nothing of them on the page of a notice's link", async ({ page }) => {
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(LINK, { waitUntil: "networkidle" });
    await expect(press(page)).toBeVisible();
    expect(asked.filter((path) => /config|google|captcha|_local/.test(path))).toEqual([]);
  });
});

test("the menu shows that the session of this browser has ended with the others", async ({ page, context }) => {
  await signedIn(page);
  const menu = page.getByRole("navigation", { name: "Principal" });
  await page.goto(LINK);
  await expect(menu.getByRole("link", { name: "Perfil" })).toBeVisible();
  await answering(context, DONE);
  await page.route("**/session.php", (route) => route.fulfill({ status: 401, json: { success: false, message: "No hay una sesión activa" } }));
  await press(page).click();
  await expect(menu.getByRole("link", { name: "Iniciar sesión" })).toBeVisible();
  await expect(menu.getByRole("link", { name: "Perfil" })).toBeHidden();
});
