// The client with the service: every endpoint that Node can call, the shapes of the values, and the guard without other tabs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createAccountClient } from "../../../web/client/index.js";
import { PASSWORD, browserLike, shown, somebody, started } from "./stack.mjs";

const baseUrl = await started();
const client = () => createAccountClient({ baseUrl, fetch: browserLike() });
const json = async (path, body) => (await fetch(baseUrl + path, body && { method: "POST", body: JSON.stringify(body) })).json();

const SHOWN = shown(await json("/_local/openapi.json"));
/** The functions that do not act on the account of the session, or need a browser's passkeys. */
const FREE = ["session", "register", "login", "googleLogin", "captchaChallenge", "passkeyLogin", "preparePasskeyLogin", "createPasskey", "createPasskeySilently", "preparePasskey", "verifyEmail", "confirmEmail", "lockAccount", "sendResetLink", "resetPassword", "onSessionChange"];

/** The token of the newest link to this page in the mails to an address. */
async function mailed(email, page) {
  const mails = await json(`/_local/mail?to=${encodeURIComponent(email)}`);
  return mails.map(({ text }) => text.match(new RegExp(`${page}\\?token=([^&\\s]+)`))).find(Boolean)[1];
}

/** Checks that a call failed with this code, and returns the failure. */
async function fails(call, code, field) {
  const result = await call;
  assert.deepEqual([result.ok, result.code, result.field], [false, code, field]);
  return result;
}

/** Repeats a check until it passes: the service stores what has happened after its answer. */
async function eventually(check, tries = 50) {
  await check().catch(async (error) => {
    if (!tries) throw error;
    await new Promise((resolve) => { setTimeout(resolve, 100); });
    await eventually(check, tries - 1);
  });
}

/** Checks that a call succeeded, and returns its result. */
async function succeeds(call) {
  const result = await call;
  assert.equal(result.ok, true, JSON.stringify(result));
  return result;
}

test("the service answers every function of the client, except those that need a browser's passkeys, and all users have the same shape", async () => {
  const uncalled = new Set(Object.keys(client()));
  const account = new Proxy(client(), { get: (methods, name) => (uncalled.delete(name), methods[name]) });
  const person = somebody();
  const { name, email } = person;
  assert.deepEqual(await account.register(person), { ok: true });
  await fails(account.session(), "no-session");
  await fails(account.captchaChallenge(), "misconfigured");
  const changes = [];
  const stop = account.onSessionChange((change) => changes.push(change));

  const { user } = await succeeds(account.login({ email, password: PASSWORD }));
  assert.deepEqual({ ...user, id: 0 }, { id: 0, email, name, avatarUrl: `${baseUrl}/assets/avatars/default.jpeg`, acceptsNews: false });
  const mine = { account: user.id };
  const avatar = user.avatarUrl.replace("default", "03");
  assert.deepEqual(await account.updateSettings({ name: "Eva", avatar, news: true }, mine), { ok: true });
  assert.deepEqual((await account.session()).user, { ...user, name: "Eva", avatarUrl: avatar, acceptsNews: true });
  await succeeds(account.updateSettings({ name: "Eva", password: "Otra12345", confirmation: "Otra12345", news: false }, mine));

  assert.deepEqual(await account.changeSettings({ news: true }, mine), { ok: true });
  assert.deepEqual((await account.session()).user, { ...user, name: "Eva", avatarUrl: avatar, acceptsNews: true }, "the others stay");
  assert.deepEqual(await account.changeSettings({ news: false }), { ok: true });

  const { sessions: [only, ...others], emailVerified, hasPassword, passwordSetAt, googleLinked } = await succeeds(account.sessions(mine));
  assert.deepEqual([emailVerified, hasPassword, googleLinked], [false, true, false]);
  assert.deepEqual(Object.keys(only).sort(), ["browser", "createdAt", "current", "id", "lastSeenAt"]);
  assert.deepEqual([only.current, others], [true, []]);
  for (const date of [passwordSetAt, only.createdAt, only.lastSeenAt]) assert.ok(Math.abs(Date.now() - date) < 20 * 60 * 1000, `${date}`);
  await succeeds(account.closeOtherSessions(mine));
  await eventually(async () => {
    const { activity } = await succeeds(account.activity(mine));
    assert.deepEqual(activity.map(({ kind, method, count }) => [kind, method, count]).sort(), [["login", "password", 1], ["password-changed", undefined, 1], ["registered", undefined, 1]]);
    for (const { at, browser } of activity) assert.ok(Math.abs(Date.now() - at) < 60_000 && [undefined, "Navegador desconocido"].includes(browser), `${at} ${browser}`);
  });
  await fails(account.closeSession(only.id, mine), "unknown-session", "id");
  await succeeds(account.receiveData({ importe: 12.5 }, mine));
  const kept = await succeeds(account.exportAccount(mine));
  assert.deepEqual(Object.keys(kept), ["ok", "account", "sessions", "browsers", "passkeys", "activity", "entries"]);
  assert.deepEqual([kept.account.email, kept.sessions.length, kept.browsers, kept.passkeys, kept.entries[0].body], [email, 1, [], [], '{"importe":12.5}']);
  await fails(account.confirm({ password: PASSWORD }, mine), "not-confirmed", "password");
  await fails(account.confirm({ password: "" }, mine), "invalid-request", "password");
  await fails(account.confirm({ credential: "a.b.c" }, mine), "not-confirmed");
  await succeeds(account.confirm({ password: "Otra12345" }, mine));
  await fails(account.verifyEmail("x"), "invalid-token", "token");
  await fails(account.lockAccount("x"), "invalid-token", "token");
  await fails(account.confirmEmail({ token: "x" }), "invalid-token", "token");
  await fails(account.createPasskey("Móvil", mine), "passkeys-unsupported");
  await fails(account.createPasskeySilently(mine), "passkeys-unsupported");
  await fails(account.passkeyLogin(), "passkeys-unsupported");
  await fails(account.preparePasskey(mine), "passkeys-unsupported");
  await fails(account.preparePasskeyLogin(), "passkeys-unsupported");
  assert.deepEqual(await account.passkeys(mine), { ok: true, passkeys: [], rpId: "localhost", userHandle: undefined });
  for (const [name, { values, thing }] of Object.entries(SHOWN)) if (thing) await fails(account[name](...values, mine), `unknown-${thing}`, "id");
  await fails(account.unlinkGoogle(mine), "not-linked");
  assert.deepEqual(await account.sendVerification(mine), { ok: true, alreadyVerified: false });
  await succeeds(account.logout(mine));
  await fails(account.exportAccount(mine), "no-session");

  await succeeds(account.sendResetLink(email));
  const token = await mailed(email, "restablecer");
  const reset = { token, password: "Nueva1234", confirmation: "Nueva1234" };
  await succeeds(account.resetPassword(reset));
  await fails(account.resetPassword(reset), "invalid-token", "token");

  const { credential } = await json("/_local/google/credential", { email, name });
  const google = await succeeds(account.googleLogin(credential));
  assert.deepEqual([google.created, google.user], [false, { ...user, name: "Eva", avatarUrl: avatar }]);
  await succeeds(account.unlinkGoogle(mine));
  await succeeds(account.receiveData([{ importe: 1 }, { importe: 2 }], { idempotencyKey: crypto.randomUUID() }));
  const moved = `nueva.${email}`;
  await succeeds(account.changeEmail({ email: moved }, mine));
  assert.equal((await account.session()).user.email, email, "until the new address is confirmed");
  await succeeds(account.confirmEmail({ token: await mailed(moved, "confirmar-email") }));
  assert.equal((await account.session()).user.email, moved);
  stop();
  await succeeds(account.deleteAccount(mine));
  await fails(account.deleteAccount(), "no-session");
  assert.deepEqual([...uncalled], [], "functions of the client that this test does not call");
  const unnamed = { type: "changed" };
  const [opened, changed, ended] = [{ type: "signed-in", account: user.id }, { type: "changed", account: user.id }, { type: "signed-out" }];
  assert.deepEqual(changes, [opened, changed, changed, changed, changed, changed, ended, unnamed, opened, changed, unnamed, { ...changed, email: moved }], "a listener hears each change until it stops listening");
});

test("a call that names another account than the signed-in one changes nothing and reveals nothing", async () => {
  const account = client();
  const person = somebody();
  await succeeds(account.register(person));
  const { user } = await succeeds(account.login(person));
  const other = { account: user.id + 1 };
  const names = Object.keys(account).filter((name) => !FREE.includes(name));
  assert.ok(names.length > 11, `${names}`);
  await Promise.all(names.map((name) => fails(account[name](...(SHOWN[name]?.values ?? []), other), "session-changed")));
  assert.deepEqual((await account.session()).user, user);
  const { entries, sessions } = await account.exportAccount({ account: user.id });
  assert.deepEqual([entries, sessions.length], [[], 1]);
});

test("a refusal has a code and names its parameter", async () => {
  const account = client();
  const person = somebody();
  await fails(account.login(person), "wrong-credentials");
  await fails(account.login({ ...person, password: "corta" }), "outdated-password");
  await fails(account.register({ ...person, confirmation: "Otra12345" }), "passwords-differ", "confirmation");
  await fails(account.register({ ...person, email: "ana" }), "invalid-email", "email");
  await fails(account.register({ ...person, email: "" }), "email-required", "email");
  await fails(account.register({ ...person, password: "corta" }), "weak-password", "password");
  await fails(account.register({ ...person, terms: false }), "terms-required", "terms");
  await fails(account.register({ ...person, name: "Ana\tGarcía" }), "invalid-request", "name");
  await fails(account.register({ ...person, name: "" }), "invalid-request", "name");
  await fails(account.sendResetLink(person.email), "unknown-email", "email");
  await fails(account.googleLogin("a.b.c"), "invalid-credential", "credential");
  await fails(account.receiveData([{ text: "x".repeat(500_000) }]), "too-large", "entries");
  await succeeds(account.register(person));
  await fails(account.register(person), "email-taken", "email");
  await succeeds(account.login(person));
  await fails(account.changeEmail({ email: "" }), "email-required", "email");
  await fails(account.changeEmail({ email: "ana" }), "invalid-email", "email");
  await fails(account.changeEmail(person), "email-taken", "email");
  await fails(account.changeSettings({ name: "Ana\tGarcía" }), "invalid-request", "name");
  await fails(account.changeSettings({ avatar: "https://evil.example/x.jpeg" }), "invalid-request", "avatar");
  await fails(account.updateSettings({ name: "Ana", avatar: "https://evil.example/x.jpeg", news: true }), "invalid-request", "avatar");
});
