// The variants of a page, how it is shown in them, and the comparison with the stored pictures.

import { readdirSync } from "node:fs";
import { expect } from "@playwright/test";
import { COMPARED, TAKEN } from "../chromium.mjs";

/** The variants: their names, and what is emulated. */
export const VARIANTS = Object.entries({ phone: { width: 390, height: 844 }, desktop: { width: 1120, height: 700 } })
  .flatMap(([device, viewport]) => ["light", "dark"].map((colorScheme) => ({ name: `${device}-${colorScheme}`, colorScheme, viewport })));

/** The variants of the stored pictures. They have both screens and both colour schemes. */
export const PICTURED = VARIANTS.filter(({ name }) => ["desktop-light", "phone-dark"].includes(name));

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
