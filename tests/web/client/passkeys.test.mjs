// The ceremonies of passkeys with a simulated browser: the codes of its errors, and how long a login waits.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createAccountClient } from "../../../web/client/index.js";
import { withPasskeys } from "./stack.mjs";

const USER = { id: 1, email: "ana@example.com", name: "Ana", url_image: "/a", accept_news: 0 };

/** A client whose service accepts everything, and the calls that it has made. */
function accepted() {
  const calls = [];
  const fetch = async (url, { body, signal }) => {
    signal.throwIfAborted();
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
  const { setTimeout } = globalThis;
  const waits = [];
  // The request's own time limit stays; the one of the ceremony is over at once.
  context.mock.method(globalThis, "setTimeout", (work, milliseconds) => {
    if (milliseconds === 35_000) return setTimeout(work, milliseconds);
    waits.push(milliseconds);
    return setTimeout(work, 5);
  });
  const answer = navigator.credentials.get;
  let asked = 0;
  navigator.credentials.get = (options) => {
    asked += 1;
    return asked > 1 ? answer({}) : new Promise((_, reject) => options.signal.addEventListener("abort", () => reject(options.signal.reason)));
  };
  const { client, calls } = accepted();
  assert.equal((await client.passkeyLogin({ autofill: true })).ok, true);
  const options = calls.filter(([url]) => url.endsWith("passkeyLoginOptions.php"));
  assert.deepEqual([asked, options.length, waits.length], [2, 2, 2]);
  assert.ok(waits.every((milliseconds) => milliseconds < 5 * 60_000));
});

const bytes = (...values) => Uint8Array.from(values).buffer;

/** The answers of a password manager, for a new credential and for a login, without `toJSON`. */
const ANSWERS = () => [
  {
    id: "-_8", rawId: bytes(251, 255), type: "public-key", authenticatorAttachment: null, getClientExtensionResults: () => ({ credProps: { rk: true } }),
    response: {
      clientDataJSON: bytes(1), attestationObject: bytes(2, 3), getTransports: () => ["internal"], getPublicKeyAlgorithm: () => -7,
      getAuthenticatorData: () => bytes(4), getPublicKey: () => { throw new Error("mine"); },
    },
  },
  { id: "-_8", rawId: bytes(251, 255), type: "public-key", response: { clientDataJSON: bytes(1), authenticatorData: bytes(5), signature: bytes(6), userHandle: null } },
];

test("a credential without toJSON, or with one that fails or changes nothing, is sent as JSON nevertheless", async () => {
  const whole = { id: "-_8", rawId: "-_8", type: "public-key" };
  const created = { ...whole, clientExtensionResults: { credProps: { rk: true } }, response: { clientDataJSON: "AQ", attestationObject: "AgM", transports: ["internal"], authenticatorData: "BA", publicKeyAlgorithm: -7 } };
  const used = { ...whole, clientExtensionResults: {}, response: { clientDataJSON: "AQ", authenticatorData: "BQ", signature: "Bg" } };
  for (const toJSON of [undefined, () => { throw new TypeError("Illegal invocation"); }, () => undefined, function raw() { return { ...this }; }]) {
    withPasskeys();
    const [creation, login] = ANSWERS();
    navigator.credentials.create = async () => ({ ...creation, toJSON });
    navigator.credentials.get = async () => ({ ...login, toJSON });
    const { client, calls } = accepted();
    assert.deepEqual(await client.createPasskey("Móvil"), { ok: true });
    assert.equal((await client.passkeyLogin()).ok, true);
    assert.deepEqual(calls.filter(([, sent]) => sent).map(([, { credential }]) => credential), [created, used], `${toJSON}`);
  }
});

test("a passkey that the service would refuse for its name or the page's origin is not made", async (context) => {
  withPasskeys();
  let made = 0;
  navigator.credentials.create = async () => { made += 1; };
  const { client, calls } = accepted();
  for (const name of ["", "  ", "Mó\tvil", "x".repeat(201), undefined]) assert.deepEqual((await client.createPasskey(name)).field, "name");
  assert.deepEqual(calls, []);
  globalThis.location = { origin: "https://listed.example.com" };
  context.after(() => delete globalThis.location);
  const fetch = async () => Response.json({ success: true, publicKey: { challenge: "x" }, origins: ["https://app.example.com"] });
  assert.equal((await createAccountClient({ fetch }).createPasskey("Móvil")).code, "passkeys-unsupported");
  assert.equal(made, 0);
});

test("after its preparation, a ceremony follows the press without a request, and its options are used once", async () => {
  withPasskeys({ id: "AA" });
  const { client, calls } = accepted();
  const paths = () => calls.splice(0).map(([url]) => url.split("/").at(-1));
  assert.deepEqual(await client.preparePasskey(), { ok: true });
  assert.deepEqual(await client.preparePasskeyLogin(), { ok: true });
  assert.deepEqual(paths(), ["passkeyRegisterOptions.php", "passkeyLoginOptions.php"]);
  await client.createPasskey("Móvil");
  await client.passkeyLogin();
  assert.deepEqual(paths(), ["passkeyRegister.php", "passkeyLogin.php"]);
  await client.createPasskey("Portátil");
  await client.passkeyLogin();
  assert.deepEqual(paths(), ["passkeyRegisterOptions.php", "passkeyRegister.php", "passkeyLoginOptions.php", "passkeyLogin.php"]);
});

test("a session that has ended since the preparation ends the ceremony, and no passkey is made", async () => {
  withPasskeys();
  navigator.credentials.create = ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  let ended = false;
  const client = createAccountClient({
    fetch: async () => (ended
      ? Response.json({ success: false, message: "No hay una sesión activa" }, { status: 401 })
      : Response.json({ success: true, publicKey: { challenge: "x" }, user: USER })),
  });
  await client.preparePasskey({ account: 1 });
  ended = true;
  assert.equal((await client.createPasskey("Móvil", { account: 1 })).code, "no-session");
});

test("a login ends what was prepared for a passkey, because the service gave it to the session before", async () => {
  withPasskeys({ id: "AA" });
  const { client, calls } = accepted();
  await client.preparePasskey();
  await client.passkeyLogin();
  await client.createPasskey("Móvil");
  assert.equal(calls.filter(([url]) => url.endsWith("passkeyRegisterOptions.php")).length, 2);
});

test("what was prepared for another account, is older than four minutes, or could not be prepared, is asked for again", async (context) => {
  withPasskeys({ id: "AA" });
  const { client, calls } = accepted();
  const options = () => calls.filter(([url]) => url.endsWith("Options.php")).length;
  await client.preparePasskey({ account: 1 });
  await client.createPasskey("Móvil");
  assert.equal(options(), 2);
  const { now } = performance;
  await client.preparePasskeyLogin();
  context.mock.method(performance, "now", () => now.call(performance) + 5 * 60_000);
  await client.passkeyLogin();
  assert.equal(options(), 4);
  const cancelled = client.preparePasskeyLogin({ signal: AbortSignal.abort() });
  assert.equal((await client.passkeyLogin()).ok, true, "the cancelled call is not its own");
  assert.equal((await cancelled).code, "aborted");
});
