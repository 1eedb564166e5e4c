// The ceremonies of passkeys with a simulated browser: the codes of its errors, and how long a login waits.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createAccountClient } from "../../../web/client/index.js";
import { withPasskeys } from "./stack.mjs";

const USER = { id: 1, email: "ana@example.com", name: "Ana", url_image: "/a", accept_news: 0 };

/** A client whose service accepts everything, and the calls that it has made. */
function accepted() {
  const calls = [];
  const fetch = async (url, { body }) => {
    calls.push([url, body && JSON.parse(await body.text())]);
    return Response.json({ success: true, publicKey: { challenge: "x" }, user: USER });
  };
  return { client: createAccountClient({ fetch }), calls };
}

test("the answer of the device is sent to the service unchanged", async () => {
  withPasskeys({ id: "AA", response: { clientDataJSON: "e30" } });
  const { client, calls } = accepted();
  assert.deepEqual(await client.createPasskey("Móvil"), { ok: true });
  assert.equal((await client.passkeyLogin()).user.email, USER.email);
  const credential = { id: "AA", response: { clientDataJSON: "e30" } };
  assert.deepEqual(calls, [
    ["/app/auth/passkeyRegisterOptions.php", undefined], ["/app/auth/passkeyRegister.php", { credential, name: "Móvil" }],
    ["/app/auth/passkeyLoginOptions.php", undefined], ["/app/auth/passkeyLogin.php", { credential }],
  ]);
});

test("listeners are notified of a login", async () => {
  withPasskeys();
  const changes = [];
  const { client } = accepted();
  client.onSessionChange((change) => changes.push(change));
  await client.passkeyLogin();
  assert.deepEqual(changes, [{ type: "signed-in", account: 1 }]);
});

test("each refusal of the person or the device has a code, and no credential is sent", async () => {
  for (const [name, code] of [
    ["NotAllowedError", "passkey-cancelled"], ["AbortError", "passkey-cancelled"], ["UnknownError", "passkey-cancelled"], ["InvalidStateError", "passkey-exists"],
    ["NotSupportedError", "passkeys-unsupported"], ["ConstraintError", "passkeys-unsupported"], ["SecurityError", "misconfigured"],
  ]) {
    withPasskeys();
    const refuse = async () => { throw new DOMException("no", name); };
    navigator.credentials.create = navigator.credentials.get = refuse;
    const { client, calls } = accepted();
    for (const result of [await client.createPasskey("Móvil"), await client.passkeyLogin()]) {
      assert.deepEqual([result.ok, result.code, result.cause.name], [false, code, name]);
    }
    assert.equal(calls.length, 2, "only the options were asked for");
  }
});

test("options that the browser cannot read are a failure of the call, and nothing is sent", async () => {
  withPasskeys();
  const parse = () => { throw new TypeError("no"); };
  Object.assign(PublicKeyCredential, { parseCreationOptionsFromJSON: parse, parseRequestOptionsFromJSON: parse });
  const { client, calls } = accepted();
  for (const result of [await client.createPasskey("Móvil"), await client.passkeyLogin()]) {
    assert.deepEqual([result.ok, result.code, result.cause.name], [false, "passkey-cancelled", "TypeError"]);
  }
  assert.equal(calls.length, 2, "only the options were asked for");
});

test("a login that the page cancels while it waits in the autofill is aborted", async () => {
  withPasskeys();
  navigator.credentials.get = ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const { client } = accepted();
  const controller = new AbortController();
  const waiting = client.passkeyLogin({ autofill: true, signal: controller.signal });
  setTimeout(() => controller.abort(), 10);
  assert.equal((await waiting).code, "aborted");
});

test("a login that waits in the autofill gets a new challenge before the old one ends", async (context) => {
  withPasskeys();
  globalThis.document = { visibilityState: "visible" };
  context.after(() => delete globalThis.document);
  const timeout = AbortSignal.timeout;
  context.after(() => { AbortSignal.timeout = timeout; });
  const waits = [];
  AbortSignal.timeout = (milliseconds) => {
    waits.push(milliseconds);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    return controller.signal;
  };
  const answer = navigator.credentials.get;
  let asked = 0;
  navigator.credentials.get = (options) => {
    asked += 1;
    return asked > 1 ? answer({}) : new Promise((_, reject) => options.signal.addEventListener("abort", () => reject(options.signal.reason)));
  };
  const { client, calls } = accepted();
  assert.equal((await client.passkeyLogin({ autofill: true })).ok, true);
  const options = calls.filter(([url]) => url.endsWith("passkeyLoginOptions.php"));
  assert.deepEqual([asked, options.length], [2, 2]);
  assert.ok(waits.every((milliseconds) => milliseconds < 5 * 60_000));
});
