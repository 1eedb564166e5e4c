// The pictures of every letter for docs/letters.md.

import { looksAsBefore, stored } from "./pictures.mjs";
import { LETTERS, expect, letter, test } from "../support.mjs";

const WIDTHS = { narrow: 320, wide: 640 };
const SCHEMES = ["light", "dark"];

for (const name of LETTERS) {
  test(`the letter ${name} looks like its pictures`, async ({ page }) => {
    await page.goto(letter(name));
    for (const [size, width] of Object.entries(WIDTHS)) {
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 480 });
        await looksAsBefore(page, `letters/${name}-${size}-${colorScheme}.png`, { fullPage: true });
      }
    }
  });
}

test("each picture of a letter belongs to a letter", () => {
  test.skip(process.env.SCREENSHOTS === "write", "new pictures are being written");
  const wanted = LETTERS.flatMap((name) =>
    Object.keys(WIDTHS).flatMap((size) => SCHEMES.map((colorScheme) => `${name}-${size}-${colorScheme}.png`)));
  expect(stored("letters/")).toEqual(wanted.sort());
});
