// The change of an account's address: the section of the page about security, and the page of the link that is mailed to the new address.

import { HEADER, MESSAGES, TOKEN, account, expect, held, logIn, mailedLink, makeStale, session, signedIn, somebody, test, unfold } from "../support.mjs";

const LINK = `/confirmar-email?token=${TOKEN}`;
const REFUSED = { success: false, message: "Token inválido o expirado" };
const ASKED = { success: true, message: "Te hemos enviado un enlace para confirmar el nuevo email" };
const MOVED = { success: true, message: "Email cambiado correctamente" };

const title = (page, name) => page.getByRole("heading", { level: 1, name });
const press = (page) => page.getByRole("button", { name: "Cambiar mi email" });
const section = (page) => page.getByRole("region", { name: "Email" });
const field = (page) => section(page).getByLabel("Email nuevo");
const ask = (page) => section(page).getByRole("button", { name: "Cambiar email" });
const menu = (page) => page.getByRole("navigation", { name: "Principal" });

/** Answers each call with the next answer, and the last one again. Returns the values of this field that were sent. */
async function answering(context, path, name, ...answers) {
  const sent = [];
  await context.route(`**/app/auth/${path}`, (route) => {
    sent.push(new URLSearchParams(route.request().postData()).get(name));
    const { status = 200, ...json } = answers.length > 1 ? answers.shift() : answers[0];
    return route.fulfill({ status, json });
  });
  return sent;
}

/** From now on, the service's answers about the session have this address. */
const movedTo = (context, email) => context.route("**/app/auth/session.php", async (route) => {
  const response = await route.fetch();
  const { user, ...rest } = await response.json();
  await route.fulfill({ response, json: { ...rest, user: { ...user, email } } });
});

test("an account moves to another address, its other sessions end, and the old mailbox can undo it", async ({ page, browser }) => {
  const person = await signedIn(page);
  const phone = await browser.newPage();
  await signedIn(phone, person);
  const { email } = somebody();
  await page.goto("/seguridad");
  await unfold(page, "Usar otro email");
  await field(page).fill(email);
  await ask(page).click();
  await expect(section(page).getByRole("status")).toContainText(`Hemos enviado un enlace a ${email}`);
  expect(await session(page)).toMatchObject({ email: person.email });

  await page.goto(await mailedLink(page.request, email, "confirmar-email"));
  await press(page).click();
  await expect(title(page, "Email cambiado")).toBeFocused();
  expect(await session(page)).toMatchObject({ email });
  expect(await session(phone)).toBeUndefined();
  await phone.goto("/login");
  await logIn(phone, person);
  await expect(phone.getByText(MESSAGES["wrong-credentials"])).toBeVisible();
  await logIn(phone, { ...person, email });
  await expect(title(phone, `Hola, ${person.name}`)).toBeVisible();

  await page.goto(await mailedLink(page.request, person.email, "no-fui-yo"));
  await expect(page.getByRole("listitem").filter({ hasText: "72 horas" })).toHaveText("Si el email de tu cuenta ha cambiado, se desvincula de Google. Si cambió en las últimas 72 horas, vuelve a ser el anterior.");
  await page.getByRole("button", { name: "Proteger mi cuenta" }).click();
  await expect(title(page, "Tu cuenta está protegida")).toBeVisible();
  expect([await session(page), await session(phone)]).toEqual([undefined, undefined]);
  await mailedLink(page.request, person.email, "restablecer");
  await phone.close();
});

test("the page says where the link went, that nothing changes until it is confirmed, and that the old mailbox is not needed", async ({ page, context }) => {
  const person = await signedIn(page);
  const { email } = somebody();
  const sent = await answering(context, "changeEmail.php", "email", ASKED);
  await page.goto("/seguridad");
  await unfold(page, "Usar otro email");
  await expect(section(page)).toContainText(`Tu email actual es ${person.email}.`);
  await expect(section(page)).toContainText("Hasta que lo confirmes, nada cambia. No necesitas entrar en el correo anterior.");
  await expect(field(page)).toHaveAccessibleDescription(/^Al confirmarlo se cierran las demás sesiones, y avisamos al email anterior\./);
  await field(page).fill(` ${email} `);
  await field(page).press("Enter");
  const told = section(page).getByRole("status");
  await expect(told).toContainText(`Hemos enviado un enlace a ${email}, que caduca en 24 horas.`);
  await expect(told).toContainText(`Hasta que lo confirmes, tu email sigue siendo ${person.email}. No necesitas entrar en el correo anterior.`);
  await expect(section(page)).toContainText(`Tu email actual es ${person.email}.`);
  expect(sent).toEqual([email]);
});

test("an address that cannot be the new one is an error at its field", async ({ page, context }) => {
  const person = await signedIn(page);
  const sent = await answering(context, "changeEmail.php", "email", { success: false, message: "El email ya está registrado" });
  await page.goto("/seguridad");
  await unfold(page, "Usar otro email");
  for (const [typed, problem] of [["", MESSAGES["email-required"]], ["ana", MESSAGES["invalid-email"]], [person.email.toUpperCase(), "Ese ya es tu email."]]) {
    await field(page).fill(typed);
    await ask(page).click();
    await expect(field(page)).toHaveAccessibleDescription(new RegExp(`${problem}$`));
    await expect(field(page)).toBeFocused();
  }
  expect(sent).toEqual([]);
  await field(page).fill(somebody().email);
  await ask(page).click();
  await expect(field(page)).toHaveAccessibleDescription(/Ya hay una cuenta con ese email\. Usa otro\.$/);
  await expect(section(page).getByRole("link"), "whoever is signed in needs no login").toHaveCount(0);
});

test("another address needs a proof of presence, and is kept meanwhile", async ({ page, context }) => {
  const person = await signedIn(page);
  const { email } = somebody();
  const sent = await answering(context, "changeEmail.php", "email", { status: 403, success: false, message: "Confirma que eres tú" }, ASKED);
  await page.goto("/seguridad");
  await unfold(page, "Usar otro email");
  await field(page).fill(email);
  await ask(page).click();
  const dialog = page.getByRole("dialog", { name: "Confirma que eres tú" });
  await dialog.getByLabel("Contraseña", { exact: true }).fill(person.password);
  await dialog.getByRole("button", { name: "Confirmar", exact: true }).click();
  await expect(section(page).getByRole("status")).toContainText(`Hemos enviado un enlace a ${email}`);
  expect(sent).toEqual([email, email]);
});

test("the typed address comes back after the session has ended, and not once it is sent", async ({ page, context }) => {
  const person = await signedIn(page);
  const { email } = somebody();
  await answering(context, "changeEmail.php", "email", ASKED);
  await page.goto("/seguridad", { waitUntil: "networkidle" });
  await unfold(page, "Usar otro email");
  await field(page).fill(email);
  await page.context().clearCookies();
  await ask(page).click();
  await expect(page).toHaveURL("/login?volver=%2Fseguridad");
  await logIn(page, person);
  await expect(field(page)).toHaveValue(email);
  await ask(page).click();
  await expect(section(page).getByRole("status")).toContainText("Revisa tu correo nuevo.");
  await page.waitForLoadState("networkidle");
  await page.context().clearCookies();
  await unfold(page, "Cambiar contraseña");
  await page.getByLabel("Contraseña nueva", { exact: true }).fill("Nueva1234");
  await page.getByLabel("Repite la contraseña nueva", { exact: true }).fill("Nueva1234");
  await page.getByRole("button", { name: "Guardar contraseña" }).click();
  await expect(page).toHaveURL("/login?volver=%2Fseguridad");
  await logIn(page, person);
  await expect(section(page)).toContainText(person.email);
  await expect(field(page)).toHaveValue("");
});

test("a new address is confirmed by one press, never twice, and a slow answer is told", async ({ page, context }) => {
  await page.clock.install();
  const sent = await answering(context, "confirmEmail.php", "token", MOVED);
  const { seen, release } = await held(context, "confirmEmail.php");
  await page.goto(LINK);
  await expect(page).toHaveURL("/confirmar-email");
  await expect(page.getByRole("listitem").first()).toHaveText("Entrarás con este email, y el anterior dejará de servir.");
  await press(page).focus();
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.down("Enter");
  await seen();
  const working = page.getByRole("button", { name: "Cambiando…" });
  await expect(working).toBeDisabled();
  await working.click({ force: true });
  await page.clock.runFor(9_000);
  await expect(page.locator("#notice")).toHaveText("Está tardando más de lo normal. No cierres esta página.");
  release();
  await expect(title(page, "Email cambiado")).toBeFocused();
  await expect(page.locator("#notice")).toContainText("Entra desde ahora con el nuevo.");
  await expect(press(page)).toBeHidden();
  expect(sent).toEqual([TOKEN]);
  await page.reload();
  await expect(title(page, "Email cambiado")).toBeVisible();
  await expect(page.getByRole("main").getByRole("link", { name: "Iniciar sesión" })).toHaveAttribute("href", "/login");
});

test("a link to a new address that was used or has expired leads to the page about security, where another one is asked for", async ({ page, context }) => {
  await answering(context, "confirmEmail.php", "token", REFUSED);
  await signedIn(page);
  await page.goto(LINK);
  await press(page).click();
  await expect(title(page, "Este enlace ya no sirve")).toBeFocused();
  await expect(page.locator("#notice")).toContainText("Si ya lo habías confirmado, entra con el email nuevo.");
  await page.getByRole("link", { name: "Ir a Seguridad" }).click();
  await expect(page).toHaveURL("/seguridad#correo");
  await expect(field(page)).toBeInViewport();
});

test("the other tabs show the new address by themselves, with what is typed there", { tag: "@firefox" }, async ({ page, context }) => {
  await signedIn(page);
  const { email } = somebody();
  await answering(context, "confirmEmail.php", "token", MOVED);
  await page.goto("/seguridad");
  await unfold(page, "Usar otro email");
  await unfold(page, "Cambiar contraseña");
  await page.getByLabel("Contraseña nueva", { exact: true }).fill("Nueva1234");
  const link = await context.newPage();
  await link.goto(LINK);
  await expect(press(link)).toBeVisible();
  await movedTo(context, email);
  await press(link).click();
  await expect(link.getByText(`En este navegador has entrado como ${email}.`).filter({ visible: true })).toBeVisible();
  await expect(link.getByText("Aquí sigues dentro.")).toBeVisible();
  await expect(section(page)).toContainText(`Tu email actual es ${email}.`);
  await expect(section(page).getByRole("status")).toContainText("Email cambiado. Entra desde ahora con el nuevo.");
  await expect(page.getByLabel("Contraseña nueva", { exact: true }), "nothing typed is lost").toHaveValue("Nueva1234");
  await link.getByRole("link", { name: "Ver mi perfil" }).click();
  await expect(link).toHaveURL("/perfil");
});

test("a page shows the address that was confirmed on another device when its user comes back, and asks for no other one", async ({ page, context }) => {
  await signedIn(page);
  const { email } = somebody();
  await answering(context, "changeEmail.php", "email", ASKED);
  await page.goto("/seguridad");
  await unfold(page, "Usar otro email");
  await field(page).fill(email);
  await ask(page).click();
  await expect(section(page).getByRole("status")).toContainText("Revisa tu correo nuevo.");
  await movedTo(context, email);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await expect(section(page)).toContainText(`Tu email actual es ${email}.`);
  await expect(section(page).getByRole("status")).not.toContainText("Hasta que lo confirmes");
  await expect(field(page)).toHaveValue("");
});

test("the other tabs lead to the login if their session has ended with the change", async ({ page, context }) => {
  await signedIn(page);
  await answering(context, "confirmEmail.php", "token", MOVED);
  await page.goto("/");
  await expect(page.locator("#content")).toBeVisible();
  const link = await context.newPage();
  await link.goto(LINK);
  await expect(menu(link).getByRole("link", { name: "Perfil" })).toBeVisible();
  await page.request.post("/app/auth/logout.php", { headers: HEADER });
  await press(link).click();
  await expect(menu(link).getByRole("link", { name: "Iniciar sesión" })).toBeVisible();
  await expect(page).toHaveURL("/login?volver=%2F");
});

test("a link of another account than the signed-in one says who is signed in, before and after, and disturbs no tab", async ({ page, context }) => {
  const person = await signedIn(page);
  await answering(context, "confirmEmail.php", "token", MOVED);
  await page.goto("/perfil");
  await page.getByLabel("Nombre completo").fill("Ana sin guardar");
  const link = await context.newPage();
  await link.goto(LINK);
  const who = link.getByText(`En este navegador has entrado como ${person.email}.`).filter({ visible: true });
  await expect(who).toContainText("El enlace cambia la cuenta que lo pidió, aunque sea otra.");
  const looked = page.waitForResponse("**/session.php");
  await press(link).click();
  await expect(who).toContainText("El enlace era de otra cuenta. Para entrar en ella, cierra antes esta sesión.");
  await expect(link.getByRole("link", { name: "Seguir con esta sesión" })).toHaveAttribute("href", "/");
  await looked;
  await page.getByLabel("Nombre completo").fill("Ana guardada");
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await expect(page.getByText("Nombre guardado.")).toBeVisible();
  expect(await session(page)).toMatchObject({ email: person.email, name: "Ana guardada" });
});

test("the login does not offer the address that was typed before the change", async ({ page, context }) => {
  const person = await account(page.request);
  await answering(context, "confirmEmail.php", "token", MOVED);
  await page.goto("/login");
  await page.getByLabel("Email", { exact: true }).fill(person.email);
  await page.goto(LINK);
  await press(page).click();
  await page.getByRole("main").getByRole("link", { name: "Iniciar sesión" }).click();
  await expect(page).toHaveURL("/login");
  await expect(page.getByLabel("Email", { exact: true })).toHaveValue("");
});

test("whoever cannot open the mailbox any more is told how to go on without it", async ({ page }) => {
  await page.goto("/recuperar");
  const help = page.getByText("¿Ya no puedes entrar en ese correo?");
  await expect(help).toContainText("con una llave de acceso o con Google y cambia el email.");
  await expect(help.getByRole("link", { name: "Entra" })).toHaveAttribute("href", "/login");
  await expect(help.getByRole("link", { name: "contacta con nosotros" })).toHaveAttribute("href", "/ayuda#contacto");
  await page.getByLabel("Email").fill((await account(page.request)).email);
  await page.getByRole("button", { name: "Enviar enlace" }).click();
  await expect(page.getByRole("heading", { name: "Revisa tu correo" })).toBeVisible();
  await expect(help).toBeVisible();
});
