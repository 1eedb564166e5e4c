// What holds for every page: light or dark, on a phone or a desk.

import AxeBuilder from "@axe-core/playwright";
import { PAGES, PROTECTED, expect, signedIn, test } from "./support.mjs";

/** Bytes that a page may transfer without avatars. */
const WEIGHT = 40_000;

/** Opens a page, and waits until it shows what it is for. */
async function open(page, address) {
  if (PROTECTED.includes(address)) await signedIn(page);
  const answer = await page.goto(address);
  await expect(page.getByRole("heading", { level: 1, name: PAGES[address] })).toBeVisible();
  await page.waitForLoadState("networkidle");
  return answer;
}

for (const address of Object.keys(PAGES)) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [320, 1280]) {
      test.describe(`${colorScheme}, ${width} pixels wide`, () => {
        test.use({ colorScheme, viewport: { width, height: 800 } });

        test(`axe finds nothing on ${address}`, async ({ page }) => {
          await open(page, address);
          const { violations } = await new AxeBuilder({ page }).analyze();
          expect(violations.map(({ id, nodes }) => [id, ...nodes.map((node) => node.html)])).toEqual([]);
        });
      });
    }
  }

  test(`${address} fits into 320 pixels`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page, address);
    const [wide, controls] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      [...document.querySelectorAll("main a, main button, main input")]
        .filter((node) => node.checkVisibility() && node.getBoundingClientRect().right > innerWidth).map((node) => node.outerHTML),
    ]);
    expect(wide).toBeLessThanOrEqual(320);
    expect(controls).toEqual([]);
  });

  test(`${address} is light to load`, async ({ page }) => {
    const loaded = [];
    page.on("response", (response) => loaded.push(response));
    await open(page, address);
    const sizes = loaded.filter((response) => !response.url().includes("/avatars/")).map(async (response) =>
      (await response.body().catch(() => "")).length);
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total, "without compression").toBeLessThan(WEIGHT);
  });

  test(`${address} carries the headers that keep it safe`, async ({ page }) => {
    const answer = await open(page, address);
    expect(answer.headers()).toMatchObject({
      "content-security-policy": expect.stringContaining("default-src 'none'"),
      "cross-origin-opener-policy": "same-origin-allow-popups",
      "referrer-policy": "strict-origin",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
    expect(answer.status()).toBe(address === "/no-existe" ? 404 : 200);
  });
}

test("each of the eleven avatars is a small JPEG", async ({ request }) => {
  for (const name of ["default", ...Array.from({ length: 10 }, (_, index) => String(index + 1).padStart(2, "0"))]) {
    const answer = await request.get(`/assets/avatars/${name}.jpeg`);
    expect(answer.headers()["content-type"]).toBe("image/jpeg");
    const bytes = await answer.body();
    expect([...bytes.subarray(0, 2)]).toEqual([0xff, 0xd8]);
    expect(bytes.length).toBeLessThanOrEqual(12_000);
  }
});
