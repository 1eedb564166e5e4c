// `make screenshots`: pictures of every page for docs/front-end.md, light and dark, on a phone and on a desktop, and of every
// letter for docs/letters.md.

import { HEADER, LETTERS, PAGES, PASSWORD, PROTECTED, account, expect, letter, session, signedIn, test } from "./support.mjs";

const FOLDER = new URL("../../docs/screens/", import.meta.url).pathname;
const LETTER_WIDTHS = { narrow: 320, wide: 640 };
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } };

/** The user in all pictures. The account may exist already. */
const ANA = { name: "Ana García", email: "ana@example.com", password: PASSWORD };

async function ana(page) {
  await account(page.request, ANA).catch(() => {});
  await signedIn(page, ANA);
  const user = await session(page);
  const form = { name: ANA.name, avatar: user.url_image.replace(/[^/]+$/, "03.jpeg"), notifications: "on" };
  await page.request.post("/app/auth/sendUserConfig.php", { form, headers: HEADER });
}

const name = (address) => address.slice(1).split("?")[0] || "inicio";

for (const [address, heading] of Object.entries(PAGES)) {
  for (const colorScheme of ["light", "dark"]) {
    for (const [device, viewport] of Object.entries(SIZES)) {
      test.describe(`${colorScheme} ${device}`, () => {
        test.use({ colorScheme, viewport });

        test(`screenshot of ${address}`, async ({ page }) => {
          if (PROTECTED.includes(address)) await ana(page);
          await page.goto(address);
          await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
          await page.waitForLoadState("networkidle");
          await page.screenshot({ path: `${FOLDER}${name(address)}-${device}-${colorScheme}.png`, fullPage: true });
        });
      });
    }
  }
}

for (const letterName of LETTERS) {
  for (const colorScheme of ["light", "dark"]) {
    for (const [size, width] of Object.entries(LETTER_WIDTHS)) {
      test.describe(`letter, ${colorScheme} ${size}`, () => {
        test.use({ colorScheme, viewport: { width, height: 480 } });

        test(`screenshot of the letter ${letterName}`, async ({ page }) => {
          await page.goto(letter(letterName));
          await page.screenshot({ path: `${FOLDER}letters/${letterName}-${size}-${colorScheme}.png`, fullPage: true });
        });
      });
    }
  }
}
