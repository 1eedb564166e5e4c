// The client with a connection that fails or is slow, with cancelled calls, and with answers that are not the
// service's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MESSAGES, createAccountClient } from "../../../web/client/index.js";

const LOGIN = { email: "a@b.es", password: "Secreto123" };

/** A client that gets this answer to every call. */
const answered = (status, body) => createAccountClient({ fetch: async () => new Response(body, { status }) });
/** A client whose requests are never answered, but can be cancelled. */
const silent = (options) => createAccountClient({
  ...options,
  fetch: (_, { signal }) => new Promise((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  }),
});
/** A client whose requests fail with this error. */
const failing = (error) => createAccountClient({ fetch: async () => { throw error; } });

test("an answer that is not the service's throws nothing and has a message", async () => {
  for (const [status, body, code] of [
    [200, "", "unavailable"], [200, "<html>", "unavailable"], [200, "null", "unavailable"], [200, "[]", "unavailable"], [200, "7", "unavailable"],
    [200, '{"success":false,"message":"Otra cosa"}', "unavailable"], [200, '{"success":false,"message":"toString"}', "unavailable"],
    [200, '{"success":true}', "unavailable"], [204, null, "unavailable"], [429, '{"message":"Too Many Requests"}', "too-many-requests"], [429, "<html>", "too-many-requests"],
    [502, "<html>", "unavailable"], [503, '{"message":"Service Unavailable"}', "unavailable"], [500, '{"message":"Introduce un email válido"}', "unavailable"],
    [403, "<html>", "too-many-requests"], [403, '{"message":"Forbidden"}', "misconfigured"], [404, "<html>", "misconfigured"], [405, "", "misconfigured"],
    [400, "", "invalid-request"], [401, "", "no-session"], [413, "", "too-large"],
  ]) {
    const result = await answered(status, body).login(LOGIN);
    assert.deepEqual(result, { ok: false, code, message: MESSAGES[code] }, `${status} ${body}`);
  }
});

test("success needs the status 200 and the right body", async () => {
  for (const [status, body] of [[200, '{"success":"true"}'], [500, '{"success":true}'], [200, '{"success":1}'], [200, '{"status":"other"}']]) {
    assert.equal((await answered(status, body).logout()).ok, false, `${status} ${body}`);
  }
  assert.deepEqual(await answered(200, '{"success":true,"ok":false,"message":"x"}').logout(), { ok: true });
});

test("a missing answer is a network failure with its cause", async () => {
  const error = new TypeError("failed to fetch");
  assert.deepEqual(await failing(error).session(), { ok: false, code: "network", message: MESSAGES.network, cause: error });
  const cut = createAccountClient({ fetch: async () => new Response(new ReadableStream({ start: (body) => body.error(error) })) });
  assert.equal((await cut.session()).code, "network");
});

test("a failure in a browser that knows that it is offline has its own code", async (context) => {
  const { navigator } = globalThis;
  Object.defineProperty(globalThis, "navigator", { value: { onLine: false }, configurable: true });
  context.after(() => Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true }));
  assert.equal((await failing(new TypeError()).session()).code, "offline");
});

test("a request is given up after its timeout, or when the caller cancels it", async () => {
  const late = await silent({ timeout: 1 }).login(LOGIN);
  assert.deepEqual([late.code, late.cause.name], ["timeout", "TimeoutError"]);
  const controller = new AbortController();
  const cancelled = silent({ timeout: 60_000 }).updateSettings({ name: "Ana", news: true }, { signal: controller.signal, account: 1 });
  controller.abort(new Error("changed my mind"));
  const result = await cancelled;
  assert.deepEqual([result.code, result.cause.message], ["aborted", "changed my mind"]);
});

test("a time limit of the caller's own signal is a timeout too", async () => {
  assert.equal((await silent({ timeout: 60_000 }).login(LOGIN, { signal: AbortSignal.timeout(1) })).code, "timeout");
});

test("a timeout of 0 or more than a timer can wait does not end a call at once, and a timeout that is no number is a mistake", async () => {
  for (const timeout of [0, Infinity, 2 ** 31, Number.MAX_VALUE]) {
    const controller = new AbortController();
    const waiting = silent({ timeout }).login(LOGIN, { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    assert.equal((await waiting).code, "aborted", `${timeout}`);
  }
  for (const timeout of [Number.NaN, -1, "soon", {}]) assert.throws(() => silent({ timeout }), { name: "TypeError", message: /timeout/ });
});

test("a request is given up after its timeout where there is no DOMException", async (context) => {
  const { DOMException } = globalThis;
  delete globalThis.DOMException;
  context.after(() => { globalThis.DOMException = DOMException; });
  assert.equal((await silent({ timeout: 1 }).login(LOGIN)).code, "timeout");
});

test("a finished call leaves no timer and no listener behind", async () => {
  let listeners = 0;
  const counted = { aborted: false, addEventListener: () => { listeners += 1; }, removeEventListener: () => { listeners -= 1; } };
  assert.equal((await answered(200, '{"success":true}').verifyEmail("x", { signal: counted })).ok, true);
  assert.equal(listeners, 0);
  assert.deepEqual(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout"), []);
});

test("each request is a POST with the required header and the options of the client", async () => {
  const requests = [];
  const fetch = async (url, options) => (requests.push([url, options]), Response.json({ success: true }));
  await createAccountClient({ fetch }).logout();
  await createAccountClient({ fetch, baseUrl: "https://api.example/stage/", headers: { cookie: "a=b", "X-Requested-With": "x" } }).logout();
  const [[own, first], [other, second]] = requests;
  assert.deepEqual([own, first.credentials], ["/app/auth/logout.php", "same-origin"]);
  assert.deepEqual([other, second.credentials], ["https://api.example/stage/app/auth/logout.php", "include"]);
  assert.deepEqual([first.method, first.redirect, first.headers], ["POST", "error", { "X-Requested-With": "XMLHttpRequest" }]);
  assert.deepEqual(second.headers, { cookie: "a=b", "X-Requested-With": "XMLHttpRequest" });
});

test("an invalid base URL throws an error that says what to write", () => {
  for (const baseUrl of ["api.example.com", "//api.example.com", "/api", "ftp://api.example.com", "https:/api", "http://", "https://a b", "https://a/?x", "https://u:p@a/", "https://:p@a/", 7, null]) {
    assert.throws(() => createAccountClient({ baseUrl }), { name: "TypeError", message: /https:\/\/api\.example\.com/ }, `${baseUrl}`);
  }
  for (const baseUrl of ["https://api.example.com", "http://localhost:3000/", "https://api.example.com/stage"]) createAccountClient({ baseUrl });
});

test("a client of the page's own origin can be created where pages are only rendered, and its calls say that they need an address", async () => {
  const result = await createAccountClient().session();
  assert.deepEqual([result.code, result.cause.name], ["misconfigured", "TypeError"]);
  assert.match(result.cause.message, /outside a browser/);
});

test("the choice of news is required, because a missing one would end the subscription", async () => {
  let requests = 0;
  const client = createAccountClient({ fetch: async () => (requests += 1, Response.json({ success: true })) });
  for (const news of [undefined, null, "on"]) {
    await assert.rejects(client.updateSettings({ name: "Ana", news }), TypeError);
    await assert.rejects(client.register({ ...LOGIN, name: "Ana", confirmation: LOGIN.password, terms: true, news }), TypeError);
  }
  assert.equal(requests, 0);
});

test("on a server, the clients of two users share nothing", async () => {
  const options = { fetch: async () => Response.json({ success: true }), baseUrl: "https://api.example" };
  const heard = [];
  const stop = createAccountClient(options).onSessionChange((change) => heard.push(change));
  await createAccountClient(options).logout();
  stop();
  assert.deepEqual(heard, []);
});
