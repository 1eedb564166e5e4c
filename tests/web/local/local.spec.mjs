// The pages of the local stack itself: the inbox, the API page, and the page that replaces Google's.

import { readFileSync } from "node:fs";
import { HtmlValidate, StaticConfigLoader } from "html-validate";
import { account, expect, faults, resetLink, test } from "../support.mjs";

const rules = JSON.parse(readFileSync(new URL("../pages.htmlvalidate.json", import.meta.url), "utf8"));
// The mails in the inbox have spaces at the ends of their lines.
rules.rules["no-trailing-whitespace"] = "off";
const html = new HtmlValidate(new StaticConfigLoader(rules));

const mailed = async ({ request }) => {
  const { email } = await account(request);
  await request.post("/app/auth/sendResetLink.php", { form: { email }, headers: { "X-Requested-With": "XMLHttpRequest" } });
  await resetLink(request, email);
  return email;
};

/** The pages: their headings and addresses. */
const PAGES = {
  "an inbox with mails": ["Inbox", async (page) => `/_local/?to=${await mailed(page)}`],
  "an inbox without mails": ["Inbox", () => "/_local/?to=nobody@example.com"],
  "the API page": ["API", () => "/_local/api"],
  "the choice of an account": ["Choose an account", () => "/_local/google/choose"],
};

for (const [name, [heading, address]] of Object.entries(PAGES)) {
  test(`${name} is valid HTML, fits into 320 pixels and has no faults that axe finds`, async ({ page }) => {
    const answer = await page.goto(await address(page));
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    const { results } = await html.validateString(await answer.text());
    expect(results.flatMap(({ messages }) => messages.map(({ ruleId, message, line }) => [ruleId, message, line]))).toEqual([]);
    await page.evaluate(() => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      expect(await faults(page), colorScheme).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });
}

for (const path of ["/_local/google/choose", "/_local/api"]) {
  test(`nothing can be pressed on ${path} before its script has come`, async ({ page }) => {
    await page.route("**/*.js", () => {});
    await page.goto(path, { waitUntil: "commit" });
    const buttons = page.locator("button");
    await expect(buttons).not.toHaveCount(0);
    await expect(buttons.and(page.locator(":enabled"))).toHaveCount(0);
    await page.unroute("**/*.js");
    await page.goto(path);
    await expect(buttons.and(page.locator(":disabled"))).toHaveCount(0);
  });
}
