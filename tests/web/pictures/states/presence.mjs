// The states of the dialog that asks for a proof of presence.

import { refused, says } from "./answers.mjs";

const stale = refused("closeSession.php", 403, "Confirma que eres tú");
const wrong = refused("confirm.php", 200, "No hemos podido confirmar que eres tú");

/** What the account has besides Google: a password, and how many passkeys. */
const has = (password, passkeys) => async (page) => {
  const entry = (id, browser, current) => ({ id: id.repeat(12), browser, created_at: "2026-01-12T08:30:00Z", last_seen_at: "2026-01-15T09:30:00Z", current });
  const sessions = [entry("A", "Chrome en Linux", true), entry("B", "Firefox en Windows", false)];
  await says("sessions.php", { success: true, email_verified: true, has_password: password, google_linked: true, sessions })(page);
  const key = { id: "A".repeat(43), name: "Móvil", created_at: "2026-01-03T17:30:00Z", last_used_at: null };
  await says("passkeys.php", { success: true, passkeys: Array(passkeys).fill(key) })(page);
};

const close = (page) => page.getByRole("button", { name: "Cerrar las demás sesiones" }).click();

const confirm = (text, ways, state) => ({
  at: "/sesiones", heading: "Sesiones abiertas", text, user: true, reach: close,
  before: async (page) => {
    for (const step of [ways, stale, wrong]) await step(page);
  },
  ...state,
});

/** @type {Record<string, import("./index.mjs").State>} */
export const PRESENCE = {
  "sesiones-confirm": confirm("Hace un rato que entraste.", has(true, 1)),
  "sesiones-confirm-wrong": confirm("La contraseña no es correcta.", has(true, 0), {
    bad: true,
    reach: async (page) => {
      await close(page);
      await page.getByRole("dialog").getByLabel("Contraseña", { exact: true }).fill("Equivocada1");
      await page.getByRole("button", { name: "Confirmar" }).click();
    },
  }),
  "sesiones-confirm-google": confirm("Hace un rato que entraste.", has(false, 0)),
};
