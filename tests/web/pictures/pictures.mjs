// The variants of a page, how it is shown in them, and the comparison with the stored pictures.

import { readdirSync } from "node:fs";
import { expect } from "@playwright/test";
import { COMPARED, TAKEN } from "../chromium.mjs";

/** The variants: their names, and what is emulated. */
export const VARIANTS = Object.entries({ phone: { width: 390, height: 844 }, desktop: { width: 1120, height: 700 } })
  .flatMap(([device, viewport]) => ["light", "dark"].map((colorScheme) => ({ name: `${device}-${colorScheme}`, colorScheme, viewport })));

/** The variants of the stored pictures. They have both screens and both colour schemes. */
export const PICTURED = VARIANTS.filter(({ name }) => ["desktop-light", "phone-dark"].includes(name));

/**
 * The states of pages and the letters without pictures, each with the one whose pictures show the same view: it differs only in
 * its sentences, or in the page around a button or a notice. Everything else is checked in them, too.
 * @type {Record<string, string>}
 */
const ALIKE = {
  // The pages of mailed links share these views.
  "restablecer-used": "confirmar-email-used", "verificar-used": "confirmar-email-used", "no-fui-yo-used": "confirmar-email-used",
  "restablecer-forgotten": "confirmar-email-forgotten", "verificar-forgotten": "confirmar-email-forgotten", "no-fui-yo-forgotten": "confirmar-email-forgotten",
  "restablecer-malformed": "confirmar-email-malformed", "no-fui-yo-malformed": "confirmar-email-malformed",
  "verificar-failed": "confirmar-email-failed", "no-fui-yo-disconnected": "confirmar-email-failed",
  "no-fui-yo-slow": "confirmar-email-slow", "confirmar-email-done-signed-in": "confirmar-email-done-other",
  "verificar-done": "confirmar-email-done", "verificar": "confirmar-email",
  // A button at work.
  "login-google-working": "login-working", "login-passkey-working": "login-working", "registro-working": "login-working",
  "no-fui-yo-working": "login-working", "perfil-working": "login-working", "llaves-working": "login-working", "eliminar-cuenta-working": "login-working",
  "llaves-deleting": "inicio-signing-out",
  // A page that waits for the service, or does not reach it.
  "perfil-loading": "inicio-loading", "llaves-loading": "sesiones-loading",
  "perfil-down": "inicio-down", "llaves-down": "inicio-down", "sesiones-down": "inicio-down",
  // A notice above a form, or in the place of something.
  "login-recent": "login-signed-out", "login-registered": "login-signed-out", "login-reset": "login-signed-out", "login-deleted": "login-signed-out",
  "login-edits-kept": "login-signed-out", "login-passkey-cancelled": "login-passkey-unsupported", "login-captcha-blocked": "login-google-blocked",
  "login-google-refused": "login-disconnected", "login-passkey-refused": "login-disconnected", "login-captcha-refused": "login-disconnected",
  "eliminar-cuenta-down": "login-disconnected", "llaves-exists": "llaves-cancelled", "llaves-unsupported": "llaves-cancelled",
  "llaves-removed": "sesiones-closed", "seguridad-closed": "sesiones-closed",
  "seguridad-sent": "seguridad-email-sent", "seguridad-verified": "seguridad-email-sent", "inicio-sent": "seguridad-email-sent",
  "login-expired": "login-signed-out", "login-refused": "login-disconnected", "perfil-exported": "perfil-saved", "perfil-restored": "perfil-saved",
  // A field with a problem.
  "login-invalid": "perfil-invalid", "seguridad-password-problem": "perfil-invalid", "sesiones-confirm-wrong": "sesiones-confirm",
  "llaves-invalid": "perfil-invalid", "eliminar-cuenta-invalid": "perfil-invalid", "restablecer-invalid": "registro-invalid",
  "recuperar-unknown": "registro-taken", "seguridad-email-taken": "registro-taken",
  // A page of text, a list with fewer entries, the same page once more, and a page without scripts.
  "privacidad": "terminos", "accesibilidad": "ayuda",
  "sesiones-one": "sesiones", "llaves-last": "llaves-removing", "recuperar-sent-again": "recuperar-sent", "no-existe-signed-in": "no-existe",
  "perfil-no-script": "login-no-script", "perfil-ending-anyway": "perfil-ending",
  // Letters that tell of one event, with its time, its browser and the link of the owner.
  "letters/google-linked": "letters/password-changed", "letters/google-linked-passkeys-removed": "letters/google-linked-password-removed",
  "letters/google-unlinked": "letters/password-changed", "letters/passkey-created": "letters/password-changed",
  "letters/passkey-removed": "letters/password-changed", "letters/password-removed": "letters/password-changed",
  "letters/account-exported": "letters/password-changed",
};

/** Whether there are pictures of a state of a page, or of a letter. @param {string} name */
export const isPictured = (name) => !(name in ALIKE);

/** What is wrong with the states and letters without pictures, which are among those of these names. @param {string[]} names */
export const astray = (names, folder = "") => Object.entries(ALIKE)
  .filter(([name]) => name.includes("/") === (folder !== ""))
  .filter(([name, like]) => ![name, like].every((one) => names.includes(one.slice(folder.length))) || !isPictured(like));

/** The names of the stored pictures in this folder. */
export const stored = (folder = "") =>
  readdirSync(new URL(`../../../docs/screens/${folder}`, import.meta.url)).filter((name) => name.endsWith(".png")).sort();

/**
 * Shows the page in a variant, from its top or from one of its elements.
 * @param {import("@playwright/test").Page} page
 * @param {typeof VARIANTS[number]} variant
 * @param {string} [part]
 */
export async function show(page, { colorScheme, viewport }, part = "body") {
  // Transitions are off, because axe would measure colours in the middle of one.
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.setViewportSize(viewport);
  await page.locator(part).first().evaluate((node) => node.scrollIntoView({ block: "start", behavior: "instant" }));
}

/**
 * Compares what the page shows with a stored picture. With another Chromium than that of the pictures it only takes the picture.
 * @param {import("@playwright/test").Page} page
 * @param {string} name
 * @param {{ fullPage?: boolean }} [options]
 */
export async function looksAsBefore(page, name, options) {
  if (COMPARED) await expect.soft(page).toHaveScreenshot(name.split("/"), options);
  else await page.screenshot({ ...options, animations: "disabled", path: TAKEN + name });
}
