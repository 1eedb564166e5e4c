// The styles for people with low vision or limited dexterity: visible edges of fields, and controls that show their
// state.

import { PAGES, PROTECTED, ana, expect, test } from "../support.mjs";

/** The smallest contrast of an edge that is needed to find a control (WCAG 2.2, 1.4.11). */
const EDGE = 3;

/** The fields, the buttons that are only an edge, and the contrast of each edge to its surroundings. */
const edges = (page) => page.evaluate(() => {
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const opaque = (node) => {
    const colour = getComputedStyle(node).backgroundColor;
    return (numbers(colour)[3] ?? 1) === 1 ? colour : opaque(node.parentElement);
  };
  const luminance = (colour) => {
    const [red, green, blue] = numbers(colour).map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  return [...document.querySelectorAll("input:not([type=checkbox], [type=radio], .unseen), textarea, select, .button.plain")]
    .filter((node) => node.checkVisibility() && !node.disabled)
    .map((node) => ({ name: node.outerHTML.slice(0, 100), contrast: contrast(getComputedStyle(node).borderTopColor, opaque(node.parentElement)) }));
});

for (const [people, signedIn] of Object.entries({ everybody: false, "signed-in users": true })) {
  test(`the edges of fields and buttons can be seen in light and dark on the pages for ${people}`, async ({ page }) => {
    if (signedIn) await ana(page);
    let seen = 0;
    for (const [address, heading] of Object.entries(PAGES).filter(([address]) => PROTECTED.includes(address) === signedIn)) {
      await page.goto(address);
      await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        const found = await edges(page);
        seen += found.length;
        expect(found.filter(({ contrast }) => contrast < EDGE), `${address}, ${colorScheme}`).toEqual([]);
      }
    }
    expect(seen).toBeGreaterThan(10);
  });
}

/** How a control looks. */
const look = (control) => control.evaluate((node) => {
  const { backgroundColor, borderColor, color, outline, textDecoration, translate } = getComputedStyle(node);
  return JSON.stringify({ backgroundColor, borderColor, color, outline, textDecoration, translate });
});

const button = (name) => (page) => page.getByRole("button", { name, exact: true });

/** Controls of each kind, and where they are. */
const BUTTONS = {
  "the main button": ["/login", button("Entrar")],
  "another button": ["/login", button("Iniciar sesión con Google")],
  "a button of the menu": ["/perfil", button("Cerrar sesión")],
  "a dangerous button": ["/eliminar-cuenta", button("Eliminar para siempre")],
};
const CONTROLS = {
  ...BUTTONS,
  "the button in a field": ["/login", button("Mostrar contraseña")],
  "a link": ["/login", (page) => page.getByRole("link", { name: "¿Has olvidado tu contraseña?" })],
  "a link of the menu": ["/login", (page) => page.getByRole("navigation").getByRole("link", { name: "Crear cuenta" })],
  "a field": ["/login", (page) => page.getByLabel("Email", { exact: true })],
};

/** Opens the page of a control. */
async function reach(page, [address, find]) {
  if (PROTECTED.includes(address)) await ana(page);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(address);
  await expect(find(page)).toBeEnabled();
  return find(page);
}

for (const [name, place] of Object.entries(CONTROLS)) {
  test(`${name} shows that it has the focus and that it is pointed at`, async ({ page }) => {
    const control = await reach(page, place);
    const still = await look(control);
    // Browsers show the focus only to users of the keyboard.
    await page.keyboard.press("Tab");
    await control.focus();
    expect(await look(control), "focus").not.toBe(still);
    await control.blur();
    expect(await look(control)).toBe(still);
    await control.hover();
    expect(await look(control), "pointed at").not.toBe(still);
  });
}

for (const [name, place] of Object.entries(BUTTONS)) {
  test(`${name} shows that it is pressed`, async ({ page }) => {
    const control = await reach(page, place);
    await control.hover();
    const pointedAt = await look(control);
    await page.mouse.down();
    expect(await look(control)).not.toBe(pointedAt);
  });
}
