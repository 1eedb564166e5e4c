// The states of the pages for signed-in users.

import { ANA, MESSAGES, session, unfold } from "../../support.mjs";
import { down, hang, readdressed, refused, says } from "./answers.mjs";

const time = (day, hour) => `2026-01-${day}T${hour}:30:00Z`;
const SESSIONS = [
  { id: "AAAAAAAAAAAA", browser: "Chrome en Linux", created_at: time("12", "08"), last_seen_at: time("15", "09"), current: true },
  { id: "BBBBBBBBBBBB", browser: "Firefox en Windows", created_at: time("03", "17"), last_seen_at: time("14", "20"), current: false },
  { id: "CCCCCCCCCCCC", browser: "Safari en iPhone", created_at: time("01", "11"), last_seen_at: time("09", "07"), current: false },
];
const sessions = (count, more) =>
  says("sessions.php", { success: true, email_verified: true, has_password: true, password_set_at: time("02", "10"), google_linked: false, sessions: SESSIONS.slice(0, count), ...more });
/** What has happened, the latest first. */
const activity = says("activity.php", {
  success: true,
  activity: [
    { at: time("14", "20"), kind: "login", method: "password", browser: "Firefox en Windows", count: 3 },
    { at: time("14", "19"), kind: "login-refused", method: "password", browser: null, count: 1 },
    { at: time("12", "08"), kind: "login", method: "google", browser: "Chrome en Linux", count: 1 },
    { at: time("09", "07"), kind: "passkey-created", method: null, browser: "Safari en iPhone", count: 1 },
    { at: time("03", "17"), kind: "email-verified", method: null, browser: null, count: 1 },
    { at: time("02", "10"), kind: "registered", method: null, browser: null, count: 1 },
  ],
});
const sent = says("sendVerification.php", { success: true, message: "Correo de verificación enviado" });

const press = (name) => (page) => page.getByRole("button", { name, exact: true }).click();

const both = (...steps) => async (page) => {
  for (const step of steps) await step(page);
};

/** Sets the width of a phone, at which the button is pressed. A button at work keeps at least the width that it had. */
const phone = (page) => page.setViewportSize({ width: 390, height: 844 });

/** Stops the countdown of seconds. A stopped clock would also disturb the page's requests. */
const stopped = (page) => page.evaluate(() => {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (work, wait, ...given) => (wait === 1000 ? 0 : setTimeout(work, wait, ...given));
});

/** Another tab has changed the session after the page's own calls, and this page was not notified. */
const another = async (page) => {
  const user = { ...(await session(page)), id: 999_999, name: "Eva Pérez" };
  await says("session.php", { success: true, user })(page);
  await press("Guardar")(page);
};

/** Asks for another address. */
const moving = async (page) => {
  await unfold(page, "Usar otro email");
  await page.getByLabel("Email nuevo").fill("ana@example.org");
  await press("Cambiar email")(page);
};

/** The new address is confirmed on another device, and the user comes back. */
const confirmed = async (page) => {
  await moving(page);
  await page.getByText("Revisa tu correo nuevo.").waitFor();
  await readdressed(page);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
};

const asked = says("changeEmail.php", { success: true, message: "Te hemos enviado un enlace para confirmar el nuevo email" });

const signedIn = (state) => ({ ...state, user: true });
const profile = (text, state) => signedIn({ at: "/perfil", heading: "Perfil", text, ...state });
const security = (text, state) => signedIn({ at: "/seguridad", heading: "Seguridad", text, ...state });
const home = (text, state) => signedIn({ at: "/", heading: `Hola, ${ANA.name}`, text, ...state });

/** @type {Record<string, import("./index.mjs").State>} */
export const USER = {
  "inicio": home("Confirma que este email es tuyo"),
  "inicio-welcome": home("Cuenta creada. Ya has iniciado sesión.", { at: "/?bienvenida=1" }),
  "inicio-sent": home("Revisa tu correo", { before: sent, reach: both(stopped, press("Verificar mi email")) }),
  "inicio-in-order": home("Todo en orden", { before: sessions(1) }),
  "inicio-sessions": home("Tienes 3 sesiones abiertas", { before: sessions(3) }),
  "inicio-no-password": home("Tu cuenta no tiene contraseña", {
    before: both(sessions(1, { has_password: false }), (page) => page.addInitScript(() => sessionStorage.setItem("google", "1"))),
  }),
  "inicio-loading": home("Cargando…", { heading: "Inicio", before: hang("session.php") }),
  "inicio-down": home(MESSAGES.unavailable, { heading: "Inicio", bad: true, before: down("session.php") }),
  "inicio-signing-out": home("Saliendo…", { before: both(hang("logout.php"), phone), reach: press("Cerrar sesión") }),

  "perfil": profile("Nombre completo"),
  "seguridad": security("Puedes entrar con tu cuenta de Google.", { before: both(sessions(3, { google_linked: true }), activity) }),
  "seguridad-activity": security("Cuenta creada", { part: "#actividad", before: both(sessions(3), activity), reach: press("Ver más actividad") }),
  "seguridad-google": security("Google dejará de servir para entrar", { part: "#google", before: sessions(1, { google_linked: true }), reach: press("Desvincular Google") }),
  "seguridad-only-way": security("Crea antes una contraseña o una llave de acceso", {
    bad: true, part: "#google",
    before: both(sessions(1, { google_linked: true, has_password: false, password_set_at: null }), refused("unlinkGoogle.php", 200, "Crea antes una contraseña o una llave de acceso")),
    reach: both(press("Desvincular Google"), press("Sí, desvincular Google")),
  }),
  "seguridad-closed": security("Las demás sesiones se han cerrado.", { part: "#actividad", before: both(sessions(2), activity, says("closeSession.php", { success: true, message: "Sesión cerrada correctamente" })), reach: press("Cerrar las demás sesiones") }),
  "seguridad-contrasena": security("Al menos 8 caracteres", { at: "/seguridad#contrasena", part: "#contrasena", before: sessions(1) }),
  "perfil-imagen": profile("Usar esta imagen", { at: "/perfil#imagen", part: "#imagen" }),
  "perfil-eliminar": profile("Eliminar mi cuenta", { part: "#datos-guardados" }),
  "seguridad-no-password": security("Tu cuenta no tiene contraseña.", { part: "#contrasena", before: sessions(1, { has_password: false, password_set_at: null }) }),
  "seguridad-verified": security("Tu email ya está verificado.", { part: "#correo", before: sessions(1) }),
  "seguridad-unknown": security("No se ha podido comprobar.", { part: "#correo", before: down("sessions.php") }),
  "seguridad-sent": security("Revisa tu correo", { part: "#correo", before: both(sent, sessions(1, { email_verified: false })), reach: both(stopped, press("Verificar mi email")) }),
  "perfil-loading": profile("Cargando…", { before: hang("session.php") }),
  "perfil-down": profile(MESSAGES.unavailable, { bad: true, before: down("session.php") }),
  "perfil-invalid": profile("Escribe tu nombre completo.", {
    bad: true,
    reach: async (page) => {
      await page.getByLabel("Nombre completo").fill("");
      await press("Guardar cambios")(page);
    },
  }),
  "perfil-working": profile("Guardando…", { before: hang("sendUserConfig.php"), reach: press("Guardar cambios") }),
  "perfil-saved": profile("Te has apuntado al boletín.", { reach: press("Guardar"), part: "#imagen" }),
  "perfil-restored": profile("Aquí están tus cambios de antes.", {
    reach: async (page) => {
      await page.getByLabel("Nombre completo").fill("Ana María García");
      // The session ends, and the same account logs in again.
      await refused("sendUserConfig.php", 401, "No hay una sesión activa")(page);
      const left = page.waitForURL(/\/login/);
      await press("Guardar cambios")(page);
      await left;
      await page.waitForURL("/perfil");
    },
  }),
  "seguridad-email-sent": security("Revisa tu correo nuevo.", {
    part: "#correo", before: both(asked, sessions(1)), reach: moving,
  }),
  "seguridad-email-moved": security("Entra desde ahora con el nuevo.", {
    part: "#correo", before: both(asked, sessions(1)), reach: confirmed,
  }),
  "seguridad-email-taken": security("Ya hay una cuenta con ese email. Usa otro.", {
    bad: true, part: "#correo", before: both(refused("changeEmail.php", 200, "El email ya está registrado"), sessions(1)), reach: moving,
  }),
  "seguridad-password-problem": security("Completa lo que falta en la lista.", {
    bad: true, part: "#contrasena", before: sessions(1),
    reach: async (page) => {
      await unfold(page, "Cambiar contraseña");
      await page.getByLabel("Contraseña nueva", { exact: true }).fill("nueva1");
      await press("Guardar contraseña")(page);
    },
  }),
  "perfil-exported": profile("Datos descargados.", { reach: press("Descargar mis datos"), part: "#datos-guardados" }),
  "perfil-ending": profile("Tu sesión va a terminar", {
    before: (page) => page.clock.install(),
    reach: async (page) => {
      await page.getByLabel("Nombre completo").waitFor();
      await page.clock.runFor(106 * 60_000);
    },
  }),
  "perfil-ending-anyway": profile("aunque la uses", {
    before: async (page) => {
      await page.clock.install();
      await page.addInitScript(() => localStorage.setItem("since", "1"));
      await page.route("**/config.json", (route) => route.fulfill({ json: { idleSeconds: 7_200, absoluteSeconds: 3_600 } }));
      await sessions(1)(page);
    },
    reach: async (page) => {
      await page.getByLabel("Nombre completo").waitFor();
      await page.clock.runFor(65_000);
    },
  }),
  "perfil-other-account": profile("En otra pestaña has iniciado sesión con otra cuenta.", { reach: another }),

  "sesiones": signedIn({ at: "/sesiones", heading: "Sesiones abiertas", text: "Firefox en Windows", before: sessions(3) }),
  "sesiones-loading": signedIn({ at: "/sesiones", heading: "Sesiones abiertas", text: "Cargando…", before: hang("sessions.php") }),
  "sesiones-one": signedIn({ at: "/sesiones", heading: "Sesiones abiertas", text: "esta sesión", before: sessions(1) }),
  "sesiones-closed": signedIn({
    at: "/sesiones", heading: "Sesiones abiertas", text: "Sesión cerrada",
    before: both(sessions(2), (page) => page.route("**/app/auth/closeSession.php", async (route) => {
      await sessions(1)(page);
      await route.fulfill({ json: { success: true, message: "Sesión cerrada correctamente" } });
    })),
    reach: press("Cerrar las demás sesiones"),
  }),
  "sesiones-down": signedIn({ at: "/sesiones", heading: "Sesiones abiertas", text: MESSAGES.unavailable, bad: true, before: down("sessions.php") }),

  "eliminar-cuenta": signedIn({ at: "/eliminar-cuenta", heading: "Eliminar cuenta", text: "Se borrarán para siempre" }),
  "eliminar-cuenta-invalid": signedIn({
    at: "/eliminar-cuenta", heading: "Eliminar cuenta", text: "Escribe el email de tu cuenta para confirmar.", bad: true,
    reach: press("Eliminar para siempre"),
  }),
  "eliminar-cuenta-working": signedIn({
    at: "/eliminar-cuenta", heading: "Eliminar cuenta", text: "Eliminando…", before: hang("deleteAccount.php"),
    reach: async (page) => {
      await page.getByLabel("Email de tu cuenta").fill(ANA.email);
      await press("Eliminar para siempre")(page);
    },
  }),
  "eliminar-cuenta-down": signedIn({
    at: "/eliminar-cuenta", heading: "Eliminar cuenta", text: MESSAGES.unavailable, bad: true, before: down("deleteAccount.php"),
    reach: async (page) => {
      await page.getByLabel("Email de tu cuenta").fill(ANA.email);
      await press("Eliminar para siempre")(page);
    },
  }),
  "perfil-no-script": signedIn({ at: "/perfil", heading: "Perfil", script: false }),
  "no-existe-signed-in": signedIn({ at: "/no-existe", heading: "Página no encontrada", text: "Cerrar sesión" }),
};
