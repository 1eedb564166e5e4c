// The switches of the local stack's inbox, in which developers view letters.

import { HEADER, account, expect, somebody, test } from "../support.mjs";

/** Opens the inbox after a reset link was mailed to each of these people. */
async function inbox(page, ...people) {
  for (const { email } of people) await page.request.post("/app/auth/sendResetLink.php", { form: { email }, headers: HEADER });
  await page.goto("/_local/");
}

/** The letters that the inbox shows. */
const letters = (page) => page.getByRole("article");
const to = (page, { email }) => letters(page).filter({ hasText: `To ${email}` });

/** The background of a letter's own document. */
const background = (page, person) =>
  to(page, person).locator("iframe").contentFrame().locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);

/** How light a colour is, from 0 to 255. */
const lightness = (colour) => Math.min(...colour.match(/\d+/g).slice(0, 3).map(Number));

test("the filter of the inbox shows the letters to one address, or to all whose address contains the text", async ({ page }) => {
  const ana = await account(page.request);
  const luis = await account(page.request, { ...somebody(), email: `luis.${somebody().email}` });
  await inbox(page, ana, luis);
  await expect(to(page, ana)).toHaveCount(1);
  await expect(to(page, luis)).toHaveCount(1);

  const filter = async (text) => {
    await page.getByRole("searchbox", { name: "To" }).fill(text);
    await page.getByRole("button", { name: "Filter" }).click();
    await expect(page).toHaveURL(new RegExp(`\\?to=${encodeURIComponent(text)}$`));
  };
  await filter(luis.email.toUpperCase());
  await expect(letters(page)).toHaveCount(1);
  await expect(to(page, luis)).toHaveCount(1);
  await expect(page.getByRole("searchbox", { name: "To" })).toHaveValue(luis.email.toUpperCase());
  await filter("nobody");
  await expect(letters(page)).toHaveCount(0);
  await expect(page.getByText("There are none to this address.")).toBeVisible();
  await filter(ana.email.slice(0, -"example.com".length));
  await expect(to(page, ana)).toHaveCount(1);
  await expect(to(page, luis)).toHaveCount(0);
});

test("the frame and the text of each letter have a name of their own", async ({ page }) => {
  await inbox(page, await account(page.request), await account(page.request));
  const letter = letters(page).filter({ hasText: "Restablece tu contraseña" });
  const [frames, texts] = [await letter.locator("iframe").evaluateAll((all) => all.map(({ title }) => title)), await letter.locator("summary").evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel))];
  expect(frames.length).toBeGreaterThan(1);
  expect([new Set(frames).size, new Set(texts).size]).toEqual([frames.length, frames.length]);
});

test("a switch of the inbox shows letters as wide as on a phone", async ({ page }) => {
  const person = await account(page.request);
  await inbox(page, person);
  const width = () => to(page, person).locator("iframe").evaluate((frame) => frame.offsetWidth);
  expect(await width()).toBeGreaterThan(600);
  await page.getByRole("checkbox", { name: "Phone width" }).check();
  expect(await width()).toBe(375);
  await page.getByRole("checkbox", { name: "Phone width" }).uncheck();
  expect(await width()).toBeGreaterThan(600);
});

test("a switch of the inbox shows letters in dark mode", async ({ page }) => {
  // Playwright's own colour scheme would apply to the frame of the letter, whatever the switch selects.
  await page.emulateMedia({ colorScheme: null });
  const person = await account(page.request);
  await inbox(page, person);
  expect(lightness(await background(page, person))).toBeGreaterThan(200);
  await page.getByRole("checkbox", { name: "Dark mode" }).check();
  await expect.poll(async () => lightness(await background(page, person))).toBeLessThan(60);
  await page.getByRole("checkbox", { name: "Dark mode" }).uncheck();
  await expect.poll(async () => lightness(await background(page, person))).toBeGreaterThan(200);
});
