// The letters in Chromium: docs/letters has a sample of each.

import { LETTERS, expect, faults, letter, test } from "../support.mjs";

/** The width of the page's content. */
const width = (page) => page.evaluate(() => document.documentElement.scrollWidth);

for (const name of LETTERS) {
  test(`axe finds no faults in the letter ${name}, light or dark, narrow or wide`, async ({ page }) => {
    await page.goto(letter(name));
    for (const colorScheme of ["light", "dark"]) {
      for (const width of [320, 640]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        expect(await faults(page), `${colorScheme}, ${width} pixels`).toEqual([]);
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
}
