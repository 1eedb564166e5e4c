// The links in mails: what a page shows about them before anything is typed.

import { randomBytes } from "node:crypto";
import { HEADER, account, expect, logIn, resetLink, test, tokenUntil } from "../support.mjs";

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

/** The pages of mailed links: the path of the call to the service, and how the link is used. */
const PAGES = {
  "/restablecer": ["resetPassword.php", choose],
  "/verificar": ["verifyEmail.php", press("Sí, es mi email")],
  "/confirmar-email": ["confirmEmail.php", press("Cambiar mi email")],
  "/no-fui-yo": ["lockAccount.php", press("Proteger mi cuenta")],
};

/** A press of the page's only button. */
function press(name) {
  return (page) => page.getByRole("button", { name }).click();
}

/** A link that lives for another day, with the two halves of its token, and the tokens that the page has sent. The service accepts each. */
async function opened(page, address) {
  const [path] = PAGES[address];
  const [key, secret] = [randomBytes(16), Buffer.concat([Buffer.from((now() + DAY).toString(16).padStart(10, "0"), "hex"), randomBytes(32)])].map((bytes) => bytes.toString("base64url"));
  const sent = [];
  await page.context().route(`**/app/auth/${path}`, (route) => {
    sent.push(new URLSearchParams(route.request().postData()).get("token"));
    return route.fulfill({ json: { success: true } });
  });
  const link = `${address}?token=${key}.${secret}`;
  await page.goto(link);
  await expect(page.getByRole("button").and(page.locator("main .wide")).filter({ visible: true })).toBeEnabled();
  return { link, key, secret, sent };
}

for (const [address, [, use]] of Object.entries(PAGES)) {
  test(`the browser stores neither the token of a link to ${address} nor anything of its address, before and after its use`, async ({ page }) => {
    const { key, secret, sent } = await opened(page, address);
    const stored = () => page.evaluate(() => JSON.stringify([history.state, { ...localStorage }, { ...sessionStorage }, location.href, document.cookie, globalThis.name]));
    const pure = async () => {
      for (const half of [key, secret]) expect(await stored()).not.toContain(half);
    };
    await pure();
    await use(page);
    // The page may just be leading on to the login.
    await expect(async () => {
      expect(await page.evaluate(() => localStorage.length)).toBe(1);
      await pure();
    }).toPass();
    expect(sent).toEqual([`${key}.${secret}`]);
  });

  test(`a reload of ${address} says that the link has to be opened again, and it works then`, async ({ page }) => {
    const { link, key, secret, sent } = await opened(page, address);
    for (let reloads = 0; reloads < 2; reloads += 1) {
      await page.reload();
      await expect(page.getByRole("heading", { level: 1, name: "Abre otra vez el enlace" })).toBeVisible();
      await expect(notice(page)).toHaveClass(/\binfo\b/);
      await expect(page.locator("#content")).toBeHidden();
    }
    await page.goto(link);
    await use(page);
    await expect.poll(() => sent).toEqual([`${key}.${secret}`]);
  });

  test(`whoever goes on from ${address} and back can still use the link`, { tag: "@whole" }, async ({ page }) => {
    const { key, secret, sent } = await opened(page, address);
    await page.getByRole("link", { name: "Privacidad" }).click();
    await expect(page).toHaveURL("/privacidad");
    // Playwright's own way waits for a page that loads, but this one comes from the back/forward cache.
    await page.evaluate(() => history.back());
    await expect(page).toHaveURL(address);
    await use(page);
    await expect.poll(() => sent).toEqual([`${key}.${secret}`]);
  });
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

test("whoever repeats a reset whose answer was lost is told that the password may be the new one", async ({ page }) => {
  const person = await account(page.request);
  await page.goto(await mailed(page, person));
  await page.route("**/resetPassword.php", async (route) => {
    await route.fetch();
    await route.abort();
  }, { times: 1 });
  await choose(page);
  await expect(notice(page)).toContainText("No se ha podido conectar.");
  await choose(page);
  await expect(dead(page)).toBeFocused();
  await expect(notice(page)).toContainText("Quizá tu contraseña ya es la nueva. Prueba a entrar con ella, o pide otro enlace.");
  await page.getByRole("link", { name: "Volver al inicio de sesión" }).click();
  await logIn(page, { ...person, password: "Nueva1234" });
  await expect(page).toHaveURL("/");
});

test("an incomplete link is not reported as expired", async ({ page }) => {
  for (const address of ["/restablecer?token=x", "/verificar?token=x", "/confirmar-email?token=x", "/confirmar-email"]) {
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
  await expect(notice(page)).toBeFocused();
  await expect(page.getByRole("button", { name: /^Enviar otra vez \(/ })).toBeDisabled();
});

test("a page whose address ends with a slash is the page, and keeps its query", async ({ page }) => {
  const link = new URL(await mailed(page, await account(page.request)));
  await page.goto(`/restablecer/${link.search}`);
  await expect(page).toHaveURL("/restablecer");
  await choose(page);
  await expect(page.getByText("Contraseña cambiada.")).toBeVisible();
  await page.goto("/seguridad/#contrasena");
  await expect(page).toHaveURL("/login?volver=%2Fseguridad%23contrasena");
});
