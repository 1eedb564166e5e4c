// Where things are on the pages: nothing moves when something arrives late, and edges are in line.

import { PAGES, expect, signedIn, test, watchMoves } from "../support.mjs";

const PLACES = "main :is(a, button, input):not([tabindex='-1'])";

/** The links, fields and buttons that can be used now, with their places. */
const places = (page) => page.locator(PLACES).evaluateAll((controls) => Object.fromEntries(
  controls.filter((node) => node.checkVisibility({ visibilityProperty: true })).map((node) => {
    const { top, left } = node.getBoundingClientRect();
    return [node.id || node.textContent, [Math.round(left), Math.round(top + scrollY)]];
  }).reverse(),
));

for (const [address, button] of [["/login", "Iniciar sesión con Google"], ["/registro", "Registrarse con Google"]]) {
  for (const viewport of [{ width: 390, height: 844 }, { width: 1280, height: 800 }]) {
    test(`nothing on ${address} moves when Google's button arrives late, at ${viewport.width} pixels`, async ({ page }) => {
      await page.setViewportSize(viewport);
      let release;
      const released = new Promise((resolve) => { release = resolve; });
      await page.route("**/_local/google/client.js", async (route) => {
        await released;
        await route.continue();
      });
      const script = page.waitForRequest("**/_local/google/client.js");
      await page.goto(address, { waitUntil: "commit" });
      await script;
      const before = await places(page);
      expect(Object.keys(before).length).toBeGreaterThan(5);
      release();
      await expect(page.getByRole("button", { name: button })).toBeVisible();
      expect(await places(page)).toMatchObject(before);
    });
  }
}

test.describe("a stack with a captcha", () => {
  test.use({ baseURL: process.env.CAPTCHA_URL, elsewhere: ["challenges.cloudflare.com"] });

  test("keeps the room of the widget on the login, so that the button does not move under a finger", async ({ page }) => {
    let release;
    const released = new Promise((resolve) => { release = resolve; });
    await page.route("https://challenges.cloudflare.com/**", async (route) => {
      await released;
      // As high as Turnstile's widget.
      await route.fulfill({
        contentType: "text/javascript",
        body: "globalThis.turnstile = { render: (place) => { const box = document.createElement('div'); box.style.height = '65px'; box.id = 'widget'; place.append(box); }, reset: () => {} };",
      });
    });
    const script = page.waitForRequest("https://challenges.cloudflare.com/**");
    await page.goto("/login", { waitUntil: "commit" });
    await script;
    await expect(page.getByRole("button", { name: "Iniciar sesión con Google" })).toBeVisible();
    const before = await places(page);
    release();
    await expect(page.locator("#widget")).toBeVisible();
    expect(await places(page)).toMatchObject(before);
  });
});

test("on wide screens, the menu and the page with the motif have the same edges", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const address of ["/login", "/registro", "/recuperar"]) {
    await page.goto(address);
    const edge = (selector, side) => page.locator(selector).first().evaluate((node, side) => node.getBoundingClientRect()[side], side);
    expect(await edge("main .card", "right"), address).toBeCloseTo(await edge(".top nav", "right"), 0);
    const [left, width] = await page.locator("main").evaluate((main) => [main.getBoundingClientRect().left, Number.parseFloat(getComputedStyle(main).paddingLeft)]);
    expect(left + width, address).toBeCloseTo(await edge(".brand", "left"), 0);
  }
});

test("of 32 sessions of equal browsers each has a name of its own, the current one is first, and the button for all others is above them", async ({ page }) => {
  await signedIn(page);
  const at = (seconds) => new Date(Date.UTC(2026, 0, 15, 9, 30, seconds)).toISOString();
  const sessions = Array.from({ length: 32 }, (_, index) => ({
    id: `session-${index}`, browser: "Chrome en Android", created_at: at(0), last_seen_at: at(40 - index), current: index === 7,
  }));
  await page.route("**/sessions.php", (route) => route.fulfill({ json: { success: true, email_verified: true, has_password: true, sessions } }));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/sesiones");
  const rows = page.locator("main").getByRole("listitem");
  await expect(rows).toHaveCount(32);
  await expect(rows.first()).toContainText("Chrome en Android (esta sesión)");
  await expect(page.getByRole("button", { name: "Cerrar las demás sesiones" })).toBeInViewport();
  const names = await page.getByRole("button", { name: /^Cerrar la sesión de / }).evaluateAll((buttons) => buttons.map((button) => button.ariaLabel));
  expect(new Set(names).size).toBe(31);
  expect(new Set(await rows.allTextContents()).size).toBe(32);
});

for (const address of Object.keys(PAGES)) {
  test(`${address} does not move when the service tells who is signed in, after a while, on a phone`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    if (!address.startsWith("/login") && !address.startsWith("/registro")) await signedIn(page);
    const moved = await watchMoves(page);
    await page.route("**/app/auth/session.php", async (route) => {
      await new Promise((resolve) => { setTimeout(resolve, 300); });
      await route.continue();
    });
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1, name: PAGES[address] })).toBeVisible();
    await page.waitForLoadState("networkidle");
    // Up to 0.1 is good (https://web.dev/articles/cls).
    expect(await moved()).toBeLessThan(0.1);
  });
}
