// The letters in Chromium. `scripts/test/test-web` writes a sample of each to target/letters.

import { astray, isPictured, looksAsBefore, stored } from "../pictures/pictures.mjs";
import { LETTERS, expect, faults, letter, test } from "../support.mjs";

const WIDTHS = { narrow: 320, wide: 640 };
/** The variants of the stored pictures. */
const PICTURED = ["narrow-dark", "wide-light"];

/** The width of the page's content. */
const width = (page) => page.evaluate(() => document.documentElement.scrollWidth);

for (const name of LETTERS) {
  test(`the letter ${name} looks like its pictures, and axe finds no faults in it, light or dark, narrow or wide`, async ({ page }) => {
    await page.goto(letter(name));
    for (const [size, width] of Object.entries(WIDTHS)) {
      for (const colorScheme of ["light", "dark"]) {
        const variant = `${size}-${colorScheme}`;
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 480 });
        if (PICTURED.includes(variant) && isPictured(`letters/${name}`)) await looksAsBefore(page, `letters/${name}-${variant}.png`, { fullPage: true });
        expect.soft(await faults(page), variant).toEqual([]);
      }
    }
  });

  test(`the letter ${name} fits into 320 pixels, with long words and without its style sheets too`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(letter(name));
    expect(await width(page)).toBeLessThanOrEqual(320);

    // Some mail programs remove style sheets and keep the attributes.
    await page.evaluate(() => document.querySelectorAll("style").forEach((style) => style.remove()));
    expect(await width(page)).toBeLessThanOrEqual(320);

    await page.evaluate(() => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        if (texts.currentNode.data.trim().length > 1) texts.currentNode.data = "Desoxirribonucleico".repeat(6);
      }
    });
    expect(await width(page)).toBeLessThanOrEqual(320);
    const outside = await page.evaluate(() =>
      [...document.querySelectorAll("td, p, a, h1, h2")].filter((node) => node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0)
        .map((node) => node.outerHTML));
    expect(outside).toEqual([]);
  });

  test(`the letter ${name} is readable in the colours of its attributes and in those of its dark style sheet`, async ({ page }) => {
    await page.goto(letter(name));
    const colours = (colorScheme) => page.emulateMedia({ colorScheme }).then(() => page.evaluate(() => {
      const { backgroundColor } = getComputedStyle(document.body);
      return { backgroundColor, color: getComputedStyle(document.querySelector("h1")).color };
    }));
    expect(await colours("light")).toEqual({ backgroundColor: "rgb(245, 246, 248)", color: "rgb(22, 32, 46)" });
    expect(await colours("dark")).toEqual({ backgroundColor: "rgb(18, 22, 28)", color: "rgb(233, 237, 243)" });
    await page.evaluate(() => document.querySelectorAll("style").forEach((style) => style.remove()));
    expect(await colours("dark")).toEqual({ backgroundColor: "rgb(245, 246, 248)", color: "rgb(22, 32, 46)" });
  });

  test(`the buttons of the letter ${name} do not overlap themselves on a phone`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(letter(name));
    // A button of several lines is one box. As inline text, each line would have its own box, and the boxes would
    // overlap.
    const boxes = await page.evaluate(() => [...document.querySelectorAll("a")].filter((link) => Number.parseFloat(getComputedStyle(link).paddingTop) > 0)
      .map((link) => {
        link.textContent = "Desoxirribonucleico ".repeat(6);
        return link.getClientRects().length;
      }));
    expect(boxes.filter((count) => count !== 1)).toEqual([]);
  });
}

test("each picture of a letter belongs to a letter", () => {
  test.skip(process.env.SCREENSHOTS === "write", "new pictures are being written");
  expect(astray(LETTERS, "letters/")).toEqual([]);
  const wanted = LETTERS.filter((name) => isPictured(`letters/${name}`)).flatMap((name) => PICTURED.map((variant) => `${name}-${variant}.png`));
  expect(stored("letters/")).toEqual(wanted.sort());
});
