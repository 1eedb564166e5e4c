// Every page with large text, on a narrow screen, in forced colours and on paper.

import { PAGES, PROTECTED, ana, expect, test } from "../support.mjs";

/** The elements that are wider than the screen, cut off at its sides, or cut off in their own box. */
const cutOff = (page) => page.evaluate(() => {
  const visible = [...document.querySelectorAll("body *")].filter((node) => node.checkVisibility() && !node.closest(".unseen, .skip, noscript"));
  const outside = visible.filter((node) => {
    const { left, right, width } = node.getBoundingClientRect();
    return width > 0 && (left < -1 || right > innerWidth + 1);
  });
  const clipped = visible.filter((node) => getComputedStyle(node).overflowX !== "visible" && node.tagName !== "INPUT" && node.scrollWidth > node.clientWidth + 1);
  // Buttons whose text is wider than the button.
  const buttons = visible.filter((node) => node.matches("button, .button") && node.scrollWidth > node.clientWidth + 1);
  const wide = document.documentElement.scrollWidth > innerWidth ? [document.documentElement] : [];
  return [...wide, ...outside, ...clipped, ...buttons].map((node) => node.outerHTML.slice(0, 120));
});

test("the dialog that asks for a proof cuts nothing off with text of twice the size, and has edges in forced colours", async ({ page }) => {
  await ana(page);
  await page.route("**/exportAccount.php", (route) => route.fulfill({ status: 403, json: { success: false, message: "Confirma que eres tú" } }));
  // What the service does not tell counts as there, so every part is shown.
  await page.route(/\/(passkeys|sessions)\.php$/, (route) => route.fulfill({ status: 503, json: { message: "Service Unavailable" } }));
  await page.goto("/perfil");
  await page.getByRole("button", { name: "Descargar mis datos" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Continuar con Google" })).toBeVisible();
  for (const size of ["", "200%"]) {
    await page.evaluate((fontSize) => { document.documentElement.style.fontSize = fontSize; }, size);
    for (const [width, height] of [[320, 480], [640, 320], [1280, 800]]) {
      await page.setViewportSize({ width, height });
      expect(await cutOff(page), `${width} pixels, ${size}`).toEqual([]);
      for (const part of [dialog.getByRole("heading"), dialog.getByRole("link")]) {
        await part.scrollIntoViewIfNeeded();
        await expect(part).toBeInViewport({ ratio: 1 });
      }
    }
  }
  await page.emulateMedia({ forcedColors: "active" });
  expect(await dialog.evaluate((node) => Number.parseFloat(getComputedStyle(node).borderTopWidth))).toBeGreaterThan(0);
});

for (const [address, heading] of Object.entries(PAGES)) {
  test(`${address} cuts nothing off with text of twice the size or in print, and has edges in forced colours`, async ({ page }) => {
    if (PROTECTED.includes(address)) await ana(page);
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    await expect(page.locator("#waiting")).toBeHidden();

    for (const width of [320, 640, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await cutOff(page), `${width} pixels`).toEqual([]);
      // The user's own text size.
      await page.evaluate(() => { document.documentElement.style.fontSize = "200%"; });
      expect(await cutOff(page), `${width} pixels, text of 200 %`).toEqual([]);
      await page.evaluate(() => { document.documentElement.style.fontSize = ""; });
    }

    await page.emulateMedia({ forcedColors: "active" });
    // Forced colours remove backgrounds and shadows, so an edge must be a border.
    const edgeless = await page.locator(".card, .button, input:not(.unseen, [type=radio], [type=checkbox])").evaluateAll((nodes) => nodes
      .filter((node) => node.checkVisibility() && parseFloat(getComputedStyle(node).borderTopWidth) < 1).map((node) => node.outerHTML.slice(0, 120)));
    expect(edgeless, "forced colours").toEqual([]);

    await page.emulateMedia({ forcedColors: "none", media: "print", colorScheme: "dark" });
    await page.setViewportSize({ width: 640, height: 900 });
    expect(await cutOff(page), "print").toEqual([]);
    const colours = await page.locator("body, h1, .card").evaluateAll((nodes) => nodes.filter((node) => node.checkVisibility())
      .map((node) => `${getComputedStyle(node).color} on ${getComputedStyle(node).backgroundColor}`));
    const paper = ["rgb(22, 32, 46) on rgba(0, 0, 0, 0)", "rgb(22, 32, 46) on rgb(255, 255, 255)"];
    expect(colours.filter((colour) => !paper.includes(colour)), "dark text on white paper").toEqual([]);
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    await expect(page.getByRole("navigation")).toBeHidden();
    await expect(page.locator(".button:visible")).toHaveCount(0);
  });
}
