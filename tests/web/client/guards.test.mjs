// Arguments that protect somebody: one that is there but names nothing is a mistake of the program, and nothing is sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createAccountClient } from "../../../web/client/index.js";
import { withPasskeys } from "./stack.mjs";

/** The functions without a guard. */
const UNGUARDED = ["session", "register", "login", "googleLogin", "captchaChallenge", "passkeyLogin", "preparePasskeyLogin", "verifyEmail", "confirmEmail", "lockAccount", "sendResetLink", "resetPassword", "onSessionChange"];
/** What a function takes before its options. */
const VALUES = {
  confirm: [{ password: "Secreto123" }], createPasskey: ["Móvil"], removePasskey: ["x"], closeSession: ["x"], receiveData: [{}],
  changeEmail: [{ email: "ana@example.com" }], updateSettings: [{ name: "Ana", news: true }], changeSettings: [{ news: true }],
};

/** A client, and the requests that it has made. */
function counted() {
  const sent = [];
  return { sent, client: createAccountClient({ fetch: async (url) => (sent.push(url), Response.json({ success: true, publicKey: {} })) }) };
}

test("a guard that names no account is a mistake, whatever is in its place, and nothing is sent", async () => {
  withPasskeys();
  const { client, sent } = counted();
  const guarded = Object.keys(client).filter((name) => !UNGUARDED.includes(name));
  assert.ok(guarded.length > 12, `${guarded}`);
  for (const name of guarded) {
    for (const account of [undefined, null, Number.NaN, "7", { id: 7 }]) {
      await assert.rejects(async () => client[name](...(VALUES[name] ?? []), { account }), { name: "TypeError", message: /account/ }, `${name} ${account}`);
    }
    await assert.rejects(async () => client[name](...(VALUES[name] ?? []), 7), TypeError, `${name} with the id in place of the options`);
  }
  assert.deepEqual(sent, []);
});

test("a key against repetition, or the wish to remove the passkeys, that is there but says nothing is a mistake too", async () => {
  const { client, sent } = counted();
  for (const idempotencyKey of [undefined, null, "", 7]) {
    await assert.rejects(async () => client.receiveData({}, { idempotencyKey }), { name: "TypeError", message: /idempotencyKey/ }, `${idempotencyKey}`);
  }
  for (const removePasskeys of [undefined, null, "no"]) {
    const reset = { token: "t", password: "Nueva1234", confirmation: "Nueva1234", removePasskeys };
    await assert.rejects(async () => client.resetPassword(reset), { name: "TypeError", message: /removePasskeys/ }, `${removePasskeys}`);
  }
  assert.deepEqual(sent, []);
});

test("an address of the service that is there but undefined does not mean the page's own origin", () => {
  globalThis.location = { origin: "https://app.example.com" };
  try {
    createAccountClient();
    assert.throws(() => createAccountClient({ baseUrl: undefined }), { name: "TypeError", message: /baseUrl is undefined/ });
  } finally {
    delete globalThis.location;
  }
});

test("the list of another account than the page's is not given, however the service answers for it, and a change is not even asked for", async () => {
  const listed = Response.json({ success: true, sessions: [{ id: "of Eva" }] });
  for (const answer of [listed, new Response("", { status: 503 })]) {
    const sent = [];
    const client = createAccountClient({
      fetch: async (url) => {
        sent.push(url.split("/").at(-1));
        return url.endsWith("/session.php") ? Response.json({ success: true, user: { id: 8, email: "eva@example.com" } }) : answer;
      },
    });
    assert.equal((await client.sessions({ account: 7 })).code, "session-changed");
    assert.equal((await client.deleteAccount({ account: 7 })).code, "session-changed");
    assert.deepEqual(sent, ["session.php", "sessions.php", "session.php"]);
  }
});
