// The client in two tabs of one browser: the lock around changes of the session, and their notifications.

import { PASSWORD, account, expect, session, test } from "../support.mjs";

/** Two tabs with the client, and the credentials of two accounts. */
async function tabs(page) {
  const people = [await account(page.request), await account(page.request)];
  const other = await page.context().newPage();
  for (const tab of [page, other]) {
    await tab.goto("/terminos");
    await tab.evaluate(async () => {
      const { createAccountClient } = await import("/client/index.js");
      Object.assign(globalThis, { client: createAccountClient(), heard: [] });
      client.onSessionChange((change) => heard.push(change));
    });
  }
  const [ana, eva] = people.map(({ email }) => ({ email, password: PASSWORD }));
  return { first: page, second: other, ana, eva };
}

/** Calls a function of the client in a tab. */
const call = (tab, name, ...values) => tab.evaluate(([name, values]) => client[name](...values), [name, values]);
const heard = (tab) => tab.evaluate(() => heard);

test("each tab is notified of logins, changes and logouts in the others and in itself", async ({ page }) => {
  const { first, second, ana, eva } = await tabs(page);
  const { user: { id } } = await call(first, "login", ana);
  await call(second, "updateSettings", { name: "Ana", news: true }, { account: id });
  const { user: { id: other } } = await call(second, "login", eva);
  await call(first, "logout", { account: other });
  const all = [{ type: "signed-in", account: id }, { type: "changed", account: id }, { type: "signed-in", account: other }, { type: "signed-out" }];
  for (const tab of [first, second]) await expect.poll(() => heard(tab)).toEqual(all);
});

test("a guarded call of one tab does nothing after another tab has signed in another account", async ({ page }) => {
  const { first, second, ana, eva } = await tabs(page);
  const { user } = await call(first, "login", ana);
  await call(second, "login", eva);
  expect(await call(first, "deleteAccount", { account: user.id })).toMatchObject({ ok: false, code: "session-changed" });
  expect(await session(page)).toMatchObject({ email: eva.email });
});

test("another tab cannot sign in between the check of the session and the call", async ({ page }) => {
  const { first, second, ana, eva } = await tabs(page);
  const { user } = await call(first, "login", ana);
  // The deletion in the first tab has checked who is signed in, and is stopped before its call.
  let [reach, release] = [];
  const reached = new Promise((resolve) => { reach = resolve; });
  const released = new Promise((resolve) => { release = resolve; });
  await first.route("**/deleteAccount.php", async (route) => {
    reach();
    await released;
    await route.continue();
  });
  let logins = 0;
  second.on("request", (request) => { if (request.url().endsWith("sendLogin.php")) logins += 1; });
  const deleted = call(first, "deleteAccount", { account: user.id });
  await reached;
  const opened = call(second, "login", eva);
  await expect.poll(() => second.evaluate(async () => (await navigator.locks.query()).pending.length)).toBe(1);
  expect(logins, "the login waits").toBe(0);
  release();
  expect(await deleted).toMatchObject({ ok: true });
  expect(await opened).toMatchObject({ ok: true, user: { email: eva.email } });
  expect(await call(second, "logout")).toMatchObject({ ok: true });
  expect(await call(first, "login", ana), "Ana's account was deleted").toMatchObject({ code: "wrong-credentials" });
  expect(await call(first, "login", eva), "Eva's was not").toMatchObject({ ok: true });
});

test("the lists of an account are asked for all at once, and a login in another tab waits for them", async ({ page }) => {
  const { first, second, ana, eva } = await tabs(page);
  const { user: { id } } = await call(first, "login", ana);
  const asked = [];
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await first.route("**/app/auth/*.php", async (route) => {
    asked.push(new URL(route.request().url()).pathname.split("/").at(-1));
    await held;
    await route.continue();
  });
  const lists = first.evaluate((account) => Promise.all(["sessions", "passkeys", "activity"].map((name) => client[name]({ account }))), id);
  await expect.poll(() => [...asked].sort()).toEqual(["activity.php", "passkeys.php", "session.php", "session.php", "session.php", "sessions.php"]);
  const opened = call(second, "login", eva);
  await expect.poll(() => second.evaluate(async () => (await navigator.locks.query()).pending.length)).toBe(1);
  release();
  expect(await lists, "all of Ana's account").toMatchObject([{ ok: true, sessions: [{ current: true }] }, { ok: true, passkeys: [] }, { ok: true }]);
  expect(await opened).toMatchObject({ ok: true, user: { email: eva.email } });
  expect((await call(first, "activity", { account: id })).code, "the account is not signed in any more").toBe("session-changed");
});

test("a call that waits for another tab can be cancelled, and goes on after a while if that tab is frozen", async ({ page }) => {
  const { first, second, ana } = await tabs(page);
  await first.route("**/sendLogin.php", () => {});
  call(first, "login", ana).catch(() => {});
  await expect.poll(() => second.evaluate(async () => (await navigator.locks.query()).held.length)).toBe(1);
  const codes = await second.evaluate(async (credentials) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    const cancelled = await client.login(credentials, { signal: controller.signal });
    const late = await client.login(credentials, { signal: AbortSignal.timeout(10) });
    return [cancelled.code, late.code];
  }, ana);
  expect(codes).toEqual(["aborted", "timeout"]);
  const begun = Date.now();
  expect(await call(second, "login", ana)).toMatchObject({ ok: true });
  expect(Date.now() - begun, "less than the timeout of a request").toBeLessThan(30_000);
  expect(await call(second, "logout"), "the lock is free again").toMatchObject({ ok: true });
});

test("without locks and channels, a call works and its own page is notified", async ({ page }) => {
  await page.addInitScript(() => {
    delete globalThis.BroadcastChannel;
    Object.defineProperty(navigator, "locks", { value: undefined });
  });
  const { first, second, ana } = await tabs(page);
  expect(await call(first, "login", ana)).toMatchObject({ ok: true });
  expect(await call(first, "logout", { account: 0 })).toMatchObject({ code: "session-changed" });
  expect(await heard(first)).toHaveLength(1);
  expect(await heard(second)).toEqual([]);
});

test("a listener that fails harms neither the call nor the other listeners", async ({ browser }) => {
  // A script on this page fails, so the test does not use the page that forbids that.
  const context = await browser.newContext({ baseURL: process.env.SERVICE_URL });
  const { first, ana } = await tabs(await context.newPage());
  const failed = first.waitForEvent("pageerror");
  await first.evaluate(() => { client.onSessionChange(() => { throw new Error("mine"); }); client.onSessionChange((change) => heard.push(change)); });
  expect(await call(first, "login", ana)).toMatchObject({ ok: true });
  expect(await heard(first)).toHaveLength(2);
  expect((await failed).message).toBe("mine");
  await context.close();
});

test("of the package, only the modules are served", async ({ request }) => {
  expect((await request.get("/client/index.js")).headers()).toMatchObject({
    "cache-control": "no-cache", "content-type": "text/javascript; charset=utf-8", "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
  });
  for (const file of ["package.json", "README.md", "types.ts", "tsconfig.json", "types/index.d.ts", "LICENSE"]) {
    const answer = await request.get(`/client/${file}`);
    expect(answer.status(), file).toBe(404);
  }
});
