// The pictures of every letter for docs/letters.md.

import { looksAsBefore } from "./pictures.mjs";
import { LETTERS, letter, test } from "../support.mjs";

const WIDTHS = { narrow: 320, wide: 640 };

for (const name of LETTERS) {
  test(`the letter ${name} looks like its pictures`, async ({ page }) => {
    await page.goto(letter(name));
    for (const [size, width] of Object.entries(WIDTHS)) {
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 480 });
        await looksAsBefore(page, `letters/${name}-${size}-${colorScheme}.png`, { fullPage: true });
      }
    }
  });
}
