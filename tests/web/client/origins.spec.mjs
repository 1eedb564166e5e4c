// The client on a page of another site (127.0.0.1) than the service's (localhost): what the browser allows.

import { HEADER, PASSWORD, expect, somebody, test } from "../support.mjs";

test.use({ elsewhere: ["127.0.0.1"] });

/** Calls functions of the client from the page, one after the other, and returns their results. */
async function calls(page, baseUrl, ...asked) {
  return page.evaluate(async ([url, calls]) => {
    const { createAccountClient } = await import("/client/index.js");
    const client = createAccountClient({ baseUrl: url });
    const results = [];
    for (const [name, ...values] of calls) results.push(await client[name](...values));
    return results;
  }, [baseUrl, asked]);
}

const { COOKIE_NONE_URL, COOKIE_LAX_URL, LISTED_ORIGIN, UNLISTED_ORIGIN } = process.env;

test("a front end on a listed origin of another site can use the whole service", async ({ page }) => {
  const { name, email } = somebody();
  await page.goto(LISTED_ORIGIN);
  const person = { name, email, password: PASSWORD, confirmation: PASSWORD, terms: true, news: false };
  const [registered, login, changed, session] = await calls(
    page, COOKIE_NONE_URL,
    ["register", person], ["login", { email, password: PASSWORD }], ["updateSettings", { name: "Ana Pérez", news: true }], ["session"],
  );
  expect([registered.ok, login.ok, changed.ok]).toEqual([true, true, true]);
  expect(session).toMatchObject({ ok: true, user: { email, name: "Ana Pérez", acceptsNews: true } });

  const [cookie] = await page.context().cookies(COOKIE_NONE_URL);
  expect(cookie).toMatchObject({ name: "__Host-session", httpOnly: true, secure: true, sameSite: "None" });

  const key = crypto.randomUUID();
  const [sent, again, logout, after] = await calls(
    page, COOKIE_NONE_URL, ["receiveData", [{ importe: 1 }], { idempotencyKey: key }], ["receiveData", [{ importe: 1 }], { idempotencyKey: key }], ["logout"], ["session"],
  );
  expect([sent.ok, again.ok, logout.ok]).toEqual([true, true, true]);
  expect(after).toMatchObject({ ok: false, code: "no-session" });
});

test("an origin that is not listed can read and change nothing", async ({ page }) => {
  const person = somebody();
  await page.goto(LISTED_ORIGIN);
  const fields = { name: person.name, email: person.email, password: PASSWORD, confirmation: PASSWORD, terms: true, news: false };
  const [registered] = await calls(page, COOKIE_NONE_URL, ["register", fields]);
  expect(registered.ok).toBe(true);

  await page.goto(UNLISTED_ORIGIN);
  const refused = await calls(
    page, COOKIE_NONE_URL,
    ["login", { email: person.email, password: PASSWORD }], ["session"], ["register", { ...fields, email: `x${person.email}` }], ["deleteAccount"],
  );
  for (const result of refused) expect(result).toMatchObject({ ok: false, code: "misconfigured" });
  // Without the header the browser sends the form without a preflight and hides the answer. The service refuses it.
  const type = await page.evaluate(async ([url, email]) => {
    const body = new URLSearchParams({ email, password: "Secreto123" });
    const answer = await fetch(`${url}/app/auth/sendLogin.php`, { method: "POST", mode: "no-cors", credentials: "include", body });
    return answer.type;
  }, [COOKIE_NONE_URL, person.email]);
  expect(type).toBe("opaque");
  expect(await page.context().cookies(COOKIE_NONE_URL)).toEqual([]);

  const form = { nombre: "x", email: `x${person.email}`, password: PASSWORD, "confirm-password": PASSWORD, terms: "on" };
  const free = await page.request.post(`${COOKIE_NONE_URL}/app/auth/sendRegister.php`, { form, headers: HEADER });
  expect(await free.json(), "the address is still free").toMatchObject({ success: true });
});

test("a listed origin of another site cannot send a lax cookie", async ({ page }) => {
  const person = somebody();
  const form = { nombre: person.name, email: person.email, password: PASSWORD, "confirm-password": PASSWORD, terms: "on" };
  await page.request.post(`${COOKIE_LAX_URL}/app/auth/sendRegister.php`, { form, headers: HEADER });
  const login = { email: person.email, password: PASSWORD };
  await page.request.post(`${COOKIE_LAX_URL}/app/auth/sendLogin.php`, { form: login, headers: HEADER });
  const [cookie] = await page.context().cookies(COOKIE_LAX_URL);
  expect(cookie.sameSite).toBe("Lax");

  await page.goto(LISTED_ORIGIN);
  const [session, opened, after] = await calls(page, COOKIE_LAX_URL, ["session"], ["login", login], ["session"]);
  expect(session).toMatchObject({ ok: false, code: "no-session" });
  expect(opened.ok, "the answer can be read").toBe(true);
  expect(after, "the cookie was not stored").toMatchObject({ ok: false, code: "no-session" });

  await page.goto(`${COOKIE_LAX_URL}/terminos`);
  const own = await page.evaluate(async () => {
    const answer = await fetch("/app/auth/session.php", { method: "POST", headers: { "X-Requested-With": "XMLHttpRequest" } });
    return answer.status;
  });
  expect(own, "a page of the service's own site still has its session").toBe(200);
});
