// Tasks, each done twice: with only the keyboard, and by role and name only, as with a screen reader. Nothing is
// found by its place on the screen or in the document.

import { readFile } from "node:fs/promises";
import { HEADER, account, expect, mailedLink, makeStale, noticeLink, resetLink, session, signedIn, somebody, test, verified } from "../support.mjs";

const NEW_PASSWORD = "Nueva1234";
/** More key presses than any page has tab stops. */
const STOPS = 60;

/** Whether an element has the focus. Throws if the focused element does not show the focus, or is outside the screen. */
const focused = (locator) => locator.evaluate((node) => {
  const active = document.activeElement;
  // The page itself, headings and notices get the focus from scripts and are not tab stops.
  if (active.tabIndex >= 0) {
    // A radio button of an avatar is transparent. The picture beside it shows the focus.
    const shown = [active, active.nextElementSibling].filter(Boolean).map((element) => getComputedStyle(element))
      .some(({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2);
    const { top, bottom } = active.getBoundingClientRect();
    if (!shown || bottom <= 0 || top >= innerHeight) throw new Error(`nobody sees the focus of ${active.outerHTML}`);
  }
  return node === active;
});

/** A person who has only a keyboard. The focus moves on from where it is. */
function keyboard(page) {
  const press = (key) => page.keyboard.press(key);
  const reach = async (locator, key = "Tab") => {
    await locator.waitFor();
    for (let presses = 0; presses <= STOPS; presses += 1) {
      if (await focused(locator)) return;
      await press(key);
    }
    throw new Error(`${key} never reaches ${locator}`);
  };
  return {
    async write(field, text) {
      await reach(field);
      await press("ControlOrMeta+a");
      await page.keyboard.type(text);
    },
    async activate(control) {
      await reach(control);
      await press("Enter");
    },
    async check(box) {
      await reach(box);
      await press("Space");
      await expect(box).toBeChecked();
    },
    // The radio buttons of a group are one tab stop. The arrow keys move within it.
    async choose(option) {
      await reach(page.getByRole("radio", { checked: true }));
      for (let presses = 0; !(await option.isChecked()) && presses < STOPS; presses += 1) await press("ArrowRight");
      expect(await focused(option)).toBe(true);
    },
    // The focus moves from the last tab stop of a page to its first, and back: there is no keyboard trap.
    async arrive() {
      const first = page.getByRole("link", { name: "Saltar al contenido" });
      const last = page.getByRole("contentinfo").getByRole("link", { name: "Accesibilidad" });
      // Firefox moves on from the last one to its own buttons.
      const firefox = page.context().browser().browserType().name() === "firefox";
      const stops = firefox ? [[first]] : [[last], [first], [last, "Shift+Tab"], [first, "Shift+Tab"]];
      for (const [stop, key] of stops) await reach(stop, key);
      await press("Enter");
      await expect(page.getByRole("main")).toBeFocused();
    },
  };
}

/** A person whose screen reader finds elements by role and name. */
const reader = () => ({
  write: (field, text) => field.fill(text),
  activate: (control) => control.click(),
  check: (box) => box.check(),
  choose: (option) => option.check(),
  arrive: async () => {},
});

/** The elements of a page, by role and name. */
const on = (page) => ({
  field: (name) => page.getByRole("textbox", { name, exact: true }),
  box: (name) => page.getByRole("checkbox", { name }),
  button: (name) => page.getByRole("button", { name, exact: true }),
  link: (name) => page.getByRole("link", { name, exact: true }),
  // The heading can be there before the styles are.
  title: async (name) => {
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    await page.waitForLoadState();
  },
  told: (text) => expect(page.getByRole("status").filter({ hasText: text })).toBeVisible(),
});

const TASKS = {
  "register": async (page, hands) => {
    const { name, email, password } = somebody();
    const { field, box, button, title } = on(page);
    await page.goto("/registro");
    await hands.arrive();
    await hands.write(field("Nombre completo"), name);
    await hands.write(field("Email"), email);
    await hands.write(field("Contraseña"), password);
    await hands.write(field("Repite la contraseña"), password);
    await hands.check(box("Acepto los términos y condiciones"));
    await hands.activate(button("Crear cuenta"));
    await title(`Hola, ${name}`);
  },
  "log in": async (page, hands) => {
    const { name, email, password } = await account(page.request);
    const { field, button, title } = on(page);
    await page.goto("/login");
    await hands.arrive();
    await hands.write(field("Email"), email);
    await hands.write(field("Contraseña"), password);
    await hands.activate(button("Mostrar contraseña"));
    await expect(field("Contraseña")).toHaveAttribute("type", "text");
    await hands.activate(button("Entrar"));
    await title(`Hola, ${name}`);
  },
  "correct a wrong password": async (page, hands) => {
    const { name, email, password } = await account(page.request);
    const { field, button, title, told } = on(page);
    await page.goto("/login");
    await hands.arrive();
    await hands.write(field("Email"), email);
    await hands.write(field("Contraseña"), "Equivocada1");
    await hands.activate(button("Entrar"));
    await told("El email o la contraseña no son correctos.");
    await hands.write(field("Contraseña"), password);
    await hands.activate(button("Entrar"));
    await title(`Hola, ${name}`);
  },
  "ask for a link to set a new password": async (page, hands) => {
    const { email } = await account(page.request);
    const { field, button, link, title } = on(page);
    await page.goto("/login");
    await hands.activate(link("¿Has olvidado tu contraseña?"));
    await title("Recuperar contraseña");
    await hands.arrive();
    await hands.write(field("Email"), email);
    await hands.activate(button("Enviar enlace"));
    await title("Revisa tu correo");
    await resetLink(page.request, email);
  },
  "set a new password with the link of the letter": async (page, hands) => {
    const { name, email } = await account(page.request);
    const { field, button, title, told } = on(page);
    await page.request.post("/app/auth/sendResetLink.php", { form: { email }, headers: { "X-Requested-With": "XMLHttpRequest" } });
    await page.goto(await resetLink(page.request, email));
    await hands.arrive();
    await hands.write(field("Contraseña nueva"), NEW_PASSWORD);
    await hands.write(field("Repite la contraseña nueva"), NEW_PASSWORD);
    await hands.activate(button("Guardar contraseña"));
    await told("Contraseña cambiada.");
    await hands.write(field("Email"), email);
    await hands.write(field("Contraseña"), NEW_PASSWORD);
    await hands.activate(button("Entrar"));
    await title(`Hola, ${name}`);
  },
  "protect the account with the link of a notice": async (page, hands) => {
    const person = await signedIn(page);
    const { button, link, title, told } = on(page);
    await page.goto(await noticeLink(page, person));
    await title("Protege tu cuenta");
    await hands.arrive();
    await hands.activate(button("Proteger mi cuenta"));
    await title("Tu cuenta está protegida");
    await told("Ya no hay sesiones abiertas.");
    expect(await session(page)).toBeUndefined();
    await hands.activate(link("Pedir otro enlace"));
    await title("Recuperar contraseña");
  },
  "change the name": async (page, hands) => {
    await signedIn(page);
    const { field, button, link, title, told } = on(page);
    await page.goto("/");
    await hands.activate(link("Perfil"));
    await title("Perfil");
    await field("Nombre completo").waitFor();
    await hands.arrive();
    await hands.write(field("Nombre completo"), "Luis Pérez");
    await hands.activate(button("Guardar cambios"));
    await told("Nombre guardado.");
    expect(await session(page)).toMatchObject({ name: "Luis Pérez" });
  },
  "move to another address": async (page, hands) => {
    await signedIn(page);
    const { email } = somebody();
    const { field, button, link, title, told } = on(page);
    await page.goto("/seguridad");
    await page.locator("#content").waitFor();
    await hands.arrive();
    await hands.activate(page.locator("summary", { hasText: "Usar otro email" }));
    await hands.write(field("Email nuevo"), email);
    await hands.activate(button("Cambiar email"));
    await told("Revisa tu correo nuevo.");
    await page.goto(await mailedLink(page.request, email, "confirmar-email"));
    await title("Confirma tu email nuevo");
    await hands.arrive();
    await hands.activate(button("Cambiar mi email"));
    await title("Email cambiado");
    await told("Entra desde ahora con el nuevo.");
    expect(await session(page)).toMatchObject({ email });
    await hands.activate(link("Ver mi perfil"));
    await title("Perfil");
  },
  "choose another avatar": async (page, hands) => {
    await signedIn(page);
    const { field, button, told } = on(page);
    await page.goto("/perfil");
    await field("Nombre completo").waitFor();
    await hands.arrive();
    await hands.activate(page.locator("summary", { hasText: "Cambiar la imagen" }));
    await hands.choose(page.getByRole("group", { name: "Elige tu imagen" }).getByRole("radio", { name: "Melena rubia, fondo verde lima" }));
    await hands.activate(button("Usar esta imagen"));
    await told("Imagen guardada.");
    await expect(button("Usar esta imagen")).toBeFocused();
    expect((await session(page)).url_image).toMatch(/\/05\.jpeg$/);
  },
  "end another session": async (page, hands, { browser }) => {
    const person = await signedIn(page);
    const phone = await browser.newPage();
    await signedIn(phone, person);
    const { link, title, told } = on(page);
    await page.goto("/seguridad");
    await hands.activate(link("Ver las sesiones abiertas"));
    await title("Sesiones abiertas");
    await page.getByRole("listitem").first().waitFor();
    await hands.arrive();
    await hands.activate(page.getByRole("button", { name: /^Cerrar la sesión de Chrome en Linux, usada el / }));
    await told("Sesión cerrada");
    expect(await session(phone)).toBeUndefined();
    expect(await session(page)).toMatchObject({ email: person.email });
    await phone.close();
  },
  "see what has happened, and unlink Google": async (page, hands) => {
    const person = await verified(page);
    const { credential } = await (await page.request.post("/_local/google/credential", { data: { email: person.email, name: person.name } })).json();
    await page.request.post("/app/auth/google-callback-login.php", { data: { credential }, headers: HEADER });
    const { button, link, title, told } = on(page);
    await page.goto("/");
    await hands.activate(link("Seguridad"));
    await title("Seguridad");
    await expect(page.getByText("Inicio de sesión con Google")).toBeVisible();
    await hands.arrive();
    await hands.activate(button("Desvincular Google"));
    await hands.activate(button("Sí, desvincular Google"));
    await told("Google desvinculado.");
    await expect(page.getByText("Sin vincular")).toBeVisible();
  },
  "prove that they are still there, to end another session": async (page, hands, { browser }) => {
    const person = await signedIn(page);
    const phone = await browser.newPage();
    await signedIn(phone, person);
    const { field, button, told } = on(page);
    await page.goto("/sesiones");
    await page.getByRole("listitem").first().waitFor();
    await makeStale(page);
    await hands.activate(button("Cerrar las demás sesiones"));
    const dialog = page.getByRole("dialog", { name: "Confirma que eres tú" });
    await expect(dialog).toBeVisible();
    await hands.write(field("Contraseña"), "Equivocada1");
    await hands.activate(button("Confirmar"));
    await expect(field("Contraseña")).toHaveAccessibleDescription(/^La contraseña no es correcta\./);
    await expect(field("Contraseña")).toBeFocused();
    await hands.write(field("Contraseña"), person.password);
    await hands.activate(button("Mostrar contraseña"));
    await hands.activate(button("Confirmar"));
    await told("Sesión cerrada");
    await expect(dialog).toBeHidden();
    expect(await session(phone)).toBeUndefined();
    await phone.close();
  },
  "go on with a session that is about to end": async (page, hands) => {
    await page.clock.install();
    await signedIn(page);
    const { field, button } = on(page);
    await page.goto("/perfil");
    await field("Nombre completo").waitFor();
    await page.clock.runFor(106 * 60_000);
    const warning = page.getByRole("alertdialog", { name: "Tu sesión va a terminar" });
    await expect(warning).toBeVisible();
    await hands.activate(button("Seguir aquí"));
    await expect(warning).toBeHidden();
  },
  "download one's data": async (page, hands) => {
    const { email } = await signedIn(page);
    const { field, button, told } = on(page);
    await page.goto("/perfil");
    await field("Nombre completo").waitFor();
    await hands.arrive();
    const downloading = page.waitForEvent("download");
    await hands.activate(button("Descargar mis datos"));
    const { account: downloaded } = JSON.parse(await readFile(await (await downloading).path(), "utf8"));
    expect(downloaded).toMatchObject({ email });
    await told("Datos descargados.");
  },
  "delete the account": async (page, hands) => {
    const { email } = await signedIn(page);
    const { field, button, link, title, told } = on(page);
    await page.goto("/perfil");
    await hands.activate(link("Eliminar mi cuenta"));
    await title("Eliminar cuenta");
    await field("Email de tu cuenta").waitFor();
    await hands.arrive();
    await hands.write(field("Email de tu cuenta"), email);
    await hands.activate(button("Eliminar para siempre"));
    await told("Hemos eliminado tu cuenta y todos tus datos.");
    expect(await session(page)).toBeUndefined();
  },
};

/** The tasks that are also done in Firefox. */
const FIREFOX = ["log in", "choose another avatar", "see what has happened, and unlink Google", "move to another address"];

for (const [task, steps] of Object.entries(TASKS)) {
  const tag = FIREFOX.includes(task) ? ["@firefox"] : [];
  test(`a user can ${task} with the keyboard alone, sees the focus at each stop, and is held nowhere`, { tag }, async ({ page, browser }) => {
    await steps(page, keyboard(page), { browser });
  });

  test(`a user can ${task} by roles and names alone`, async ({ page, browser }) => {
    await steps(page, reader(), { browser });
  });
}
