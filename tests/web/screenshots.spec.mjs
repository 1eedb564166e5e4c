// `make screenshots`: every page as the README shows it, light and dark, on a phone and a desk.

import { PAGES, PROTECTED, expect, signedIn, test } from "./support.mjs";

const FOLDER = new URL("../../docs/screens/", import.meta.url).pathname;
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } };

const name = (address) => address.slice(1).split("?")[0] || "inicio";

for (const [address, heading] of Object.entries(PAGES)) {
  for (const colorScheme of ["light", "dark"]) {
    for (const [device, viewport] of Object.entries(SIZES)) {
      test.describe(`${colorScheme} ${device}`, () => {
        test.use({ colorScheme, viewport });

        test(`screenshot of ${address}`, async ({ page }) => {
          if (PROTECTED.includes(address)) await signedIn(page);
          await page.goto(address);
          await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
          await page.waitForLoadState("networkidle");
          await page.screenshot({ path: `${FOLDER}${name(address)}-${device}-${colorScheme}.png`, fullPage: true });
        });
      });
    }
  }
}
