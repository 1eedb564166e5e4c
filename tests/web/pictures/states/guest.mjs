// The states of the pages for everybody.

import { ANA, MESSAGES, TOKEN, logIn, register, tokenUntil } from "../../support.mjs";
import { down, hang, readdressed, refused, says } from "./answers.mjs";

const LINK = `token=${TOKEN}`;
const [USED, BROKEN] = ["Ya se ha usado o ha caducado.", "No está completo."];
const STRANGER = { ...ANA, email: "nadie@example.com" };

const mailed = says("sendResetLink.php", { success: true, message: "Correo de restablecimiento enviado" });

const sendReset = async (page) => {
  await page.getByLabel("Email").fill(ANA.email);
  await page.getByRole("button", { name: "Enviar enlace" }).click();
};

const newPassword = async (page, password = "Nueva1234", repeated = password) => {
  await page.getByLabel("Contraseña nueva", { exact: true }).fill(password);
  await page.getByLabel("Repite la contraseña nueva", { exact: true }).fill(repeated);
  await page.getByRole("button", { name: "Guardar contraseña" }).click();
};

const protect = (page) => page.getByRole("button", { name: "Proteger mi cuenta" }).click();

/** A page of a mailed link, after a reload. */
const forgotten = (at) => ({ at: `${at}?${LINK}`, heading: "Abre otra vez el enlace", text: "Está en tu correo.", reach: (page) => page.reload() });

/** A state of the page where the link of a notice leads. */
const lock = (heading, text, state) => ({ at: `/no-fui-yo?${LINK}`, heading, text, reach: protect, ...state });

const pressMove = (page) => page.getByRole("button", { name: "Cambiar mi email" }).click();
const moved = says("confirmEmail.php", { success: true, message: "Email cambiado correctamente" });

/** A state of the page where the link to a new address leads. */
const move = (heading, text, state) => ({ at: `/confirmar-email?${LINK}`, heading, text, reach: pressMove, ...state });

/** The login page after a redirect from another page. */
const arrival = (query, text, bad = false) => ({ at: `/login?${query}`, heading: "Iniciar sesión", text, bad });

/** @type {Record<string, import("./index.mjs").State>} */
export const GUEST = {
  "login": { at: "/login", heading: "Iniciar sesión", text: "Iniciar sesión con Google" },
  "login-google-working": {
    at: "/login", heading: "Iniciar sesión", text: "Entrando con Google…", before: hang("google-callback-login.php"),
    reach: async (page) => {
      const opened = page.context().waitForEvent("page");
      await page.getByRole("button", { name: "Iniciar sesión con Google" }).click();
      await (await opened).getByRole("button", { name: /Ana García/ }).click();
    },
  },
  "login-expired": { at: "/perfil", heading: "Iniciar sesión", text: "Inicia sesión para continuar." },
  "login-edits-kept": {
    ...arrival("volver=%2Fperfil", "Tus cambios están guardados en este navegador."),
    before: (page) => page.addInitScript(() => sessionStorage.setItem("edits", JSON.stringify({ account: 1, pages: { "/perfil": [] } }))),
  },
  "login-recent": arrival("volver=%2Fsesiones&reciente", "Confirma que eres tú."),
  "login-registered": arrival("registro=1", "Cuenta creada. Ya puedes iniciar sesión."),
  "login-reset": arrival("clave=1", "Contraseña cambiada. Hemos cerrado todas las sesiones."),
  "login-signed-out": arrival("salida=1", "Has cerrado la sesión."),
  "login-deleted": arrival("baja=1", "Hemos eliminado tu cuenta y todos tus datos."),
  "login-google-refused": arrival("error=google", "No se ha podido iniciar sesión con Google.", true),
  "login-invalid": {
    at: "/login", heading: "Iniciar sesión", text: "Escribe tu contraseña.", bad: true,
    reach: (page) => page.getByRole("button", { name: "Entrar" }).click(),
  },
  "login-refused": {
    at: "/login", heading: "Iniciar sesión", text: "El email o la contraseña no son correctos.", bad: true,
    reach: (page) => logIn(page, STRANGER),
  },
  "login-working": {
    at: "/login", heading: "Iniciar sesión", text: "Entrando…", before: hang("sendLogin.php"),
    reach: (page) => logIn(page, ANA),
  },
  "login-disconnected": {
    at: "/login", heading: "Iniciar sesión", text: MESSAGES.network, bad: true,
    before: (page) => page.route("**/sendLogin.php", (route) => route.abort()),
    reach: (page) => logIn(page, ANA),
  },
  "login-password-shown": {
    at: "/login", heading: "Iniciar sesión", text: "Ocultar",
    reach: async (page) => {
      await page.getByLabel("Contraseña", { exact: true }).fill(ANA.password);
      await page.getByRole("button", { name: "Mostrar contraseña" }).click();
    },
  },
  "login-google-blocked": {
    at: "/login", heading: "Iniciar sesión", text: "permite google.js", part: "main form button[type=submit]",
    before: (page) => page.route("**/assets/google.js", (route) => route.abort()),
  },
  "login-captcha": {
    at: "/login", heading: "Iniciar sesión", text: "Soy una persona", stack: "CAPTCHA",
    before: (page) => page.route("https://challenges.cloudflare.com/**", (route) => route.fulfill({
      contentType: "text/javascript",
      body: "globalThis.turnstile = { render: (place) => { place.textContent = 'Soy una persona'; }, reset: () => {} };",
    })),
  },
  "login-captcha-blocked": {
    at: "/login", heading: "Iniciar sesión", text: "Permite challenges.cloudflare.com", stack: "CAPTCHA",
    before: (page) => page.route("https://challenges.cloudflare.com/**", (route) => route.abort()),
  },
  "login-captcha-refused": {
    at: "/login", heading: "Iniciar sesión", text: MESSAGES["invalid-captcha"], bad: true, stack: "ALTCHA",
    before: (page) => page.route("**/captcha.php", (route) => route.abort()),
    reach: (page) => logIn(page, STRANGER),
  },
  "login-no-script": { at: "/login", heading: "Iniciar sesión", script: false },

  "registro": { at: "/registro", heading: "Crear cuenta", text: "Registrarse con Google" },
  "registro-invalid": {
    at: "/registro", heading: "Crear cuenta", text: "Escribe tu nombre completo.", bad: true,
    reach: (page) => page.getByRole("button", { name: "Crear cuenta" }).click(),
  },
  "registro-taken": {
    at: "/registro", heading: "Crear cuenta", text: MESSAGES["email-taken"], bad: true,
    before: refused("sendRegister.php", 409, "El email ya está registrado"), reach: (page) => register(page, ANA),
  },
  "registro-working": {
    at: "/registro", heading: "Crear cuenta", text: "Creando la cuenta…", before: hang("sendRegister.php"),
    reach: (page) => register(page, STRANGER), part: "main form button[type=submit]",
  },

  "recuperar": { at: "/recuperar", heading: "Recuperar contraseña", text: "Escribe el email de tu cuenta." },
  "recuperar-unknown": {
    at: "/recuperar", heading: "Recuperar contraseña", text: MESSAGES["unknown-email"], bad: true,
    before: refused("sendResetLink.php", 404, "No existe una cuenta con ese email"), reach: sendReset,
  },
  "recuperar-sent": { at: "/recuperar", heading: "Revisa tu correo", text: "Hemos enviado un enlace a", still: true, before: mailed, reach: sendReset },
  "recuperar-sent-again": {
    at: "/recuperar", heading: "Revisa tu correo", text: "Lo hemos enviado otra vez.", still: true, before: mailed,
    reach: async (page) => {
      await sendReset(page);
      await page.getByText("Enviar otra vez (60 s)").waitFor();
      await page.clock.runFor(60_000);
      await page.getByRole("button", { name: "Enviar otra vez" }).click();
    },
  },

  "restablecer": { at: `/restablecer?${LINK}`, heading: "Restablecer contraseña", text: "Al menos 8 caracteres" },
  "restablecer-invalid": {
    at: `/restablecer?${LINK}`, heading: "Restablecer contraseña", text: MESSAGES["passwords-differ"], bad: true,
    reach: (page) => newPassword(page, "Nueva", "otra"),
  },
  "restablecer-used": { at: `/restablecer?${LINK}`, heading: "Este enlace ya no sirve", text: "Ya se ha usado, ha caducado o hay uno más nuevo.", bad: true, reach: newPassword },
  "restablecer-expired": { at: `/restablecer?token=${tokenUntil(1)}`, heading: "Este enlace ya no sirve", text: "Usar este enlace de todos modos", bad: true },
  "restablecer-forgotten": forgotten("/restablecer"),
  "restablecer-malformed": { at: "/restablecer?token=x", heading: "Este enlace no sirve", text: BROKEN, bad: true },

  "verificar": { at: `/verificar?${LINK}`, heading: "Verifica tu email", text: "Sí, es mi email" },
  "verificar-done": {
    at: `/verificar?${LINK}`, heading: "Email verificado", text: "Ya puedes cerrar esta página",
    before: (page) => page.route("**/verifyEmail.php", (route) => route.fulfill({ json: { success: true, message: "Email verificado correctamente" } })),
    reach: (page) => page.getByRole("button", { name: "Sí, es mi email" }).click(),
  },
  "verificar-failed": {
    at: `/verificar?${LINK}`, heading: "Verifica tu email", text: MESSAGES.unavailable, bad: true, before: down("verifyEmail.php"),
    reach: (page) => page.getByRole("button", { name: "Sí, es mi email" }).click(),
  },
  "verificar-used": {
    at: `/verificar?${LINK}`, heading: "Este enlace ya no sirve", text: USED, bad: true,
    before: refused("verifyEmail.php", 200, "Token inválido o expirado"),
    reach: (page) => page.getByRole("button", { name: "Sí, es mi email" }).click(),
  },
  "verificar-forgotten": forgotten("/verificar"),

  "confirmar-email": move("Confirma tu email nuevo", "Entrarás con este email", { reach: undefined }),
  "confirmar-email-signed-in": move("Confirma tu email nuevo", "En este navegador has entrado como", { reach: undefined, user: true }),
  "confirmar-email-slow": move("Confirma tu email nuevo", "Está tardando más de lo normal.", {
    still: true, before: hang("confirmEmail.php"),
    reach: async (page) => {
      await pressMove(page);
      await page.clock.runFor(9_000);
    },
  }),
  "confirmar-email-failed": move("Confirma tu email nuevo", MESSAGES.unavailable, { bad: true, before: down("confirmEmail.php") }),
  "confirmar-email-done": move("Email cambiado", "Iniciar sesión", { before: moved }),
  "confirmar-email-done-signed-in": move("Email cambiado", "Aquí sigues dentro.", {
    before: moved, user: true,
    reach: async (page) => {
      await readdressed(page);
      await pressMove(page);
    },
  }),
  "confirmar-email-done-other": move("Email cambiado", "El enlace era de otra cuenta.", { before: moved, user: true }),
  "confirmar-email-used": move("Este enlace ya no sirve", USED, { bad: true, before: refused("confirmEmail.php", 200, "Token inválido o expirado") }),
  "confirmar-email-forgotten": forgotten("/confirmar-email"),
  "confirmar-email-malformed": move("Este enlace no sirve", BROKEN, { at: "/confirmar-email", bad: true, reach: undefined }),

  "no-fui-yo": lock("Protege tu cuenta", "Tus datos se conservan.", { reach: undefined }),
  "no-fui-yo-working": lock("Protege tu cuenta", "Protegiendo…", { still: true, before: hang("lockAccount.php") }),
  "no-fui-yo-slow": lock("Protege tu cuenta", "Está tardando más de lo normal.", {
    still: true, before: hang("lockAccount.php"),
    reach: async (page) => {
      await protect(page);
      await page.clock.runFor(9_000);
    },
  }),
  "no-fui-yo-disconnected": lock("Protege tu cuenta", MESSAGES.network, {
    bad: true, before: (page) => page.route("**/lockAccount.php", (route) => route.abort()),
  }),
  "no-fui-yo-done": lock("Tu cuenta está protegida", "Cambia primero la contraseña de tu correo.", {
    before: says("lockAccount.php", { success: true, message: "Cuenta protegida. Te hemos enviado un enlace para elegir otra contraseña" }),
  }),
  "no-fui-yo-used": lock("Este enlace ya no sirve", USED, { bad: true, before: refused("lockAccount.php", 200, "Token inválido o expirado") }),
  "no-fui-yo-forgotten": forgotten("/no-fui-yo"),
  "no-fui-yo-malformed": lock("Este enlace no sirve", BROKEN, { at: "/no-fui-yo", bad: true, reach: undefined }),

  "ayuda": { at: "/ayuda", heading: "Ayuda", text: "No te llega nuestro correo" },
  "terminos": { at: "/terminos", heading: "Términos y condiciones", text: "Iniciar sesión" },
  "terminos-offline": {
    at: "/terminos", heading: "Términos y condiciones", text: "Sin conexión.",
    reach: (page) => page.evaluate(() => dispatchEvent(new Event("offline"))),
  },
  "privacidad": { at: "/privacidad", heading: "Política de privacidad", text: "Iniciar sesión" },
  "accesibilidad": { at: "/accesibilidad", heading: "Accesibilidad", text: "Qué hemos probado" },
  "no-existe": { at: "/no-existe", heading: "Página no encontrada", text: "La dirección no existe o ha cambiado." },
};
