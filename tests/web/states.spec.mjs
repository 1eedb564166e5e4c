// The states of the pages that are not their first: each has a heading, a title that tells of errors, and no faults that axe
// finds, in light and dark.

import AxeBuilder from "@axe-core/playwright";
import { MESSAGES, TOKEN, account, expect, logIn, register, session, signedIn, somebody, test } from "./support.mjs";

const fillReset = async (page) => {
  for (const name of ["Contraseña nueva", "Repite la contraseña nueva"]) await page.getByLabel(name, { exact: true }).fill("Nueva1234");
  await page.getByRole("button", { name: "Guardar contraseña" }).click();
};

/** Each state: how to reach it, its main heading, and a text of it. */
export const STATES = {
  "login-refused": ["Iniciar sesión", "El email o la contraseña no son correctos.", async (page) => {
    await page.goto("/login");
    await logIn(page, somebody());
  }],
  "register-invalid": ["Crear cuenta", "Escribe tu nombre completo", async (page) => {
    await page.goto("/registro");
    await page.getByRole("button", { name: "Crear cuenta" }).click();
  }],
  "reset-sent": ["Revisa tu correo", "Hemos enviado un enlace a", async (page) => {
    const { email } = await account(page.request);
    await page.goto("/recuperar");
    await page.getByLabel("Email").fill(email);
    await page.getByRole("button", { name: "Enviar enlace" }).click();
  }],
  "reset-malformed": ["Este enlace ya no sirve", "El enlace no es válido o ha caducado.", (page) => page.goto("/restablecer?token=x")],
  "reset-refused": ["Este enlace ya no sirve", "El enlace no es válido o ha caducado.", async (page) => {
    await page.goto(`/restablecer?token=${TOKEN}`);
    await fillReset(page);
  }],
  "verify-malformed": ["Este enlace ya no sirve", "El enlace no es válido o ha caducado.", (page) => page.goto("/verificar")],
  "session-expired": ["Iniciar sesión", "Inicia sesión para continuar.", (page) => page.goto("/perfil")],
  "service-down": ["Perfil", MESSAGES.unavailable, async (page) => {
    await page.route("**/session.php", (route) => route.fulfill({ status: 503, json: { message: "Service Unavailable" } }));
    await page.goto("/perfil");
  }],
  "loading": ["Perfil", "Cargando…", async (page) => {
    await page.route("**/session.php", () => {});
    await page.goto("/perfil");
  }],
  "offline": ["Términos y condiciones", MESSAGES.offline, async (page) => {
    await page.goto("/terminos");
    await page.waitForLoadState("networkidle");
    await page.evaluate(() => dispatchEvent(new Event("offline")));
  }],
  "profile-saved": ["Perfil", "Cambios guardados", async (page) => {
    await signedIn(page);
    await page.goto("/perfil");
    await page.getByRole("button", { name: "Guardar avisos" }).click();
  }],
};

const WITH_ERROR = ["login-refused", "register-invalid", "reset-malformed", "reset-refused", "verify-malformed", "service-down", "offline"];

for (const [state, [heading, text, reach]] of Object.entries(STATES)) {
  test(`the state ${state} has a heading, a true title and no faults`, async ({ page }) => {
    await reach(page);
    await expect(page.getByText(text).first()).toBeVisible();
    await expect(page.getByRole("heading", { level: 1 }).filter({ visible: true })).toHaveText([heading]);
    await expect.poll(async () => (await page.title()).startsWith("Error: ")).toBe(WITH_ERROR.includes(state));
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]), colorScheme).toEqual([]);
    }
  });
}

test("an empty live region stays in the accessibility tree, and errors at fields do not speak over each other", async ({ page }) => {
  await page.goto("/registro");
  expect(await page.locator("#notice").evaluate((node) => [node.textContent, getComputedStyle(node).display])).toEqual(["", "block"]);
  await page.getByRole("button", { name: "Crear cuenta" }).click();
  await expect(page.getByText("Escribe tu nombre completo")).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("the header knows who is signed in, also on pages for everybody", async ({ page }) => {
  const menu = page.getByRole("navigation", { name: "Principal" });
  await page.goto("/terminos");
  await expect(menu.getByRole("link", { name: "Crear cuenta" })).toBeVisible();
  await signedIn(page);
  for (const address of ["/terminos", "/privacidad", "/no-existe"]) {
    await page.goto(address);
    await expect(menu.getByRole("link", { name: "Perfil" })).toBeVisible();
    await expect(menu.getByRole("link", { name: "Crear cuenta" })).toBeHidden();
  }
  await page.goto("/perfil");
  await expect(menu.getByRole("link", { name: "Perfil" })).toHaveAttribute("aria-current", "page");
  await page.goto("/login?volver=%2Fsesiones");
  await expect(page).toHaveURL("/sesiones");
});

test("the email goes along from page to page outside of their addresses, until the user is signed in", async ({ page }) => {
  const person = somebody();
  const email = page.getByLabel("Email", { exact: true });
  await page.goto("/login");
  await email.fill(person.email);
  await page.getByRole("link", { name: "¿Has olvidado tu contraseña?" }).click();
  await expect(page).toHaveURL("/recuperar");
  await expect(email).toHaveValue(person.email);
  await page.getByRole("link", { name: "Crear cuenta" }).click();
  await expect(page).toHaveURL("/registro");
  await expect(email).toHaveValue(person.email);
  await register(page, person);
  await expect(page.getByText("Cuenta creada. Ya has iniciado sesión.")).toBeVisible();
  await expect.poll(() => page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("a section of the profile keeps what another browser has changed in the others", async ({ page, browser }) => {
  const person = await signedIn(page);
  await page.goto("/perfil");
  await expect(page.getByLabel("Nombre completo")).toHaveValue(person.name);
  const phone = await browser.newPage();
  await signedIn(phone, person);
  await phone.goto("/perfil");
  await phone.getByLabel("Quiero recibir el boletín").check();
  await phone.getByRole("button", { name: "Guardar avisos" }).click();
  await expect(phone.getByText("Cambios guardados")).toBeVisible();
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await expect(page.getByText("Cambios guardados")).toBeVisible();
  expect(await session(page)).toMatchObject({ accept_news: 1 });
  await phone.close();
});

test("the home page suggests to verify the address, and then to look at the sessions", async ({ page }) => {
  await signedIn(page);
  await page.goto("/");
  await page.route("**/sendVerification.php", (route) => route.fulfill({ json: { success: true, message: "El email ya está verificado" } }));
  await page.getByRole("button", { name: "Verificar mi dirección" }).click();
  await expect(page.getByRole("heading", { name: "Todo en orden" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("link", { name: "Revisar las sesiones" })).toBeVisible();
});

test("browsers and password managers find their files", async ({ request }) => {
  const change = await request.get("/.well-known/change-password", { maxRedirects: 0 });
  expect([change.status(), change.headers().location]).toEqual([302, "/perfil#contrasena"]);
  for (const [path, type] of [["/favicon.ico", "image/x-icon"], ["/assets/apple-touch-icon.png", "image/png"], ["/manifest.webmanifest", "application/manifest+json"]]) {
    const answer = await request.get(path);
    expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, type]);
  }
});

test("the motif is only beside the card on wide screens, and never in print or forced colours", async ({ page }) => {
  await page.goto("/login");
  const drawn = () => page.locator("main").evaluate((main) => getComputedStyle(main, "::before").content === '""'
    && getComputedStyle(main, "::before").display !== "none");
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await drawn()).toBe(true);
  await page.setViewportSize({ width: 844, height: 390 });
  expect(await drawn()).toBe(false);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ media: "print" });
  expect(await drawn()).toBe(false);
  await page.emulateMedia({ media: "screen", forcedColors: "active" });
  expect(await drawn()).toBe(false);
});
