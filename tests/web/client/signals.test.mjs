// What the browser is told about passkeys, and the passkeys that it creates without a question, with a simulated browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createAccountClient as eagerClient } from "../../../web/client/eager.js";
import { createAccountClient } from "../../../web/client/index.js";
// Loaded here, so that the client need not wait for them.
import "../../../web/client/signals.js";
import "../../../web/client/more.js";
import { withPasskeys } from "./stack.mjs";

const USER = { id: 1, email: "ana@example.com", name: "Ana", url_image: "/a", accept_news: 0 };
const LISTED = { id: "x", credential: "AA", name: "Móvil", created_at: "2027-01-14T20:30:00Z", last_used_at: null };
const OPTIONS = { challenge: "x", rpId: "example.com" };
const ACCEPTED = ["signalAllAcceptedCredentials", { rpId: "example.com", userId: "handle", allAcceptedCredentialIds: ["AA"] }];

/** A client, the paths and bodies of its calls, and what its browser is told. `refusals` has the answers to some paths. */
function told({ refusals = {}, handle = "handle", create = createAccountClient, fails } = {}) {
  withPasskeys();
  const signals = [];
  for (const name of ["signalAllAcceptedCredentials", "signalUnknownCredential"]) {
    PublicKeyCredential[name] = async (signal) => {
      signals.push([name, signal]);
      if (fails) throw new Error("no");
    };
  }
  const calls = [];
  const fetch = async (url, { body }) => {
    const path = url.split("/").at(-1);
    calls.push([path, body instanceof Blob ? JSON.parse(await body.text()) : body && `${body}`]);
    if (refusals[path]) return Response.json(refusals[path], { status: 401 });
    return Response.json({ success: true, publicKey: OPTIONS, user: USER, passkeys: [LISTED], rp_id: "example.com", user_handle: handle });
  };
  return { client: create({ fetch }), calls, signals, paths: () => calls.splice(0).map(([path]) => path) };
}

/** Lets what is due happen, then a second pass, and what follows happen too. */
async function later(context) {
  const settle = async () => { for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate); };
  await settle();
  context.mock.timers.tick(1_000);
  await settle();
}

for (const [name, call] of Object.entries({
  "a login": (client) => client.login({ email: "ana@example.com", password: "Secreto123" }),
  "a login with a passkey": (client) => client.passkeyLogin(),
  "a creation": (client) => client.createPasskey("Móvil"),
  "a silent creation": (client) => client.createPasskeySilently(),
  "a removal": (client) => client.removePasskey("x"),
})) {
  test(`after ${name}, the browser is told which passkeys the account has, and nobody waits for it`, async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { client, signals, paths } = told();
    assert.equal((await call(client)).ok, true);
    assert.ok(!paths().includes("passkeys.php"));
    await later(context);
    assert.deepEqual([paths(), signals], [["passkeys.php"], [ACCEPTED]]);
  });
}

test("an account that has never had a passkey tells the browser nothing", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, signals } = told({ handle: null });
  assert.equal((await client.passkeys()).userHandle, undefined);
  await client.passkeyLogin();
  await later(context);
  assert.deepEqual(signals, []);
});

test("the browser is told of a passkey that nobody has, and of none that is refused for another reason", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  for (const [unknown, expected] of [[true, [["signalUnknownCredential", { rpId: "example.com", credentialId: "AA" }]]], [undefined, []]]) {
    const { client, signals } = told({ refusals: { "passkeyLogin.php": { success: false, message: "Llave de acceso inválida", unknown } } });
    const { code, unknown: isUnknown } = await client.passkeyLogin();
    assert.deepEqual([code, isUnknown], ["invalid-passkey", unknown]);
    await later(context);
    assert.deepEqual(signals, expected);
  }
});

test("a browser that fails to be told, or cannot be, changes no result and gets no request", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, signals, paths } = told({ fails: true });
  assert.equal((await client.passkeyLogin()).ok, true);
  await later(context);
  assert.equal(signals.length, 1);
  paths();
  delete PublicKeyCredential.signalAllAcceptedCredentials;
  delete PublicKeyCredential.signalUnknownCredential;
  assert.equal((await client.passkeyLogin()).ok, true);
  await later(context);
  assert.deepEqual(paths(), ["passkeyLoginOptions.php", "passkeyLogin.php"]);
});

test("a passkey that is just being created is not taken for one that the account does not have", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, signals } = told();
  const { create } = navigator.credentials;
  let go;
  navigator.credentials.create = async (options) => {
    await new Promise((resolve) => { go = resolve; });
    return create(options);
  };
  await client.login({ email: "ana@example.com", password: "Secreto123" });
  const creation = client.createPasskeySilently();
  await later(context);
  assert.deepEqual(signals, []);
  go();
  await creation;
  await later(context);
  assert.deepEqual(signals, [ACCEPTED]);
});

test("a silent creation asks for options of its own, is conditional, and has no name", async () => {
  const { client, calls } = told();
  const asked = [];
  const { create } = navigator.credentials;
  navigator.credentials.create = (options) => (asked.push(options.mediation), create(options));
  await client.preparePasskey();
  assert.deepEqual(await client.createPasskeySilently(), { ok: true });
  assert.deepEqual(asked, ["conditional"]);
  const options = "passkeyRegisterOptions.php";
  assert.deepEqual(calls, [[options, undefined], [options, "silent=on"], ["passkeyRegister.php", { credential: { id: "AA", type: "public-key" } }]]);
});

test("a silent creation asks nobody for a proof, and only a browser that can is asked for a passkey", async () => {
  const refusal = { success: false, message: "Confirma que eres tú" };
  let asked = 0;
  const { client } = told({ refusals: { "passkeyRegisterOptions.php": refusal }, create: (options) => createAccountClient({ ...options, onConfirm: async () => { asked += 1; return true; } }) });
  assert.equal((await client.createPasskeySilently()).code, "unproved");
  assert.equal(asked, 0);
  const other = told();
  for (const capabilities of [async () => ({}), undefined]) {
    PublicKeyCredential.getClientCapabilities = capabilities;
    assert.equal((await other.client.createPasskeySilently()).code, "passkeys-unsupported");
  }
  assert.deepEqual(other.calls, []);
});

test("the client in one piece tells the browser nothing and creates nothing silently, but gives what a page needs to do so", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, signals } = told({ create: eagerClient });
  assert.equal((await client.passkeyLogin()).ok, true);
  assert.equal((await client.createPasskeySilently()).code, "passkeys-unsupported");
  const { rpId, userHandle, passkeys } = await client.passkeys();
  assert.deepEqual([rpId, userHandle, passkeys.map(({ credential }) => credential)], ["example.com", "handle", ["AA"]]);
  await later(context);
  assert.deepEqual(signals, []);
});
