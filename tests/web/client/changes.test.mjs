// What listeners are told of a session: its end elsewhere, and changes of an account that a mailed link has named.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createAccountClient } from "../../../web/client/index.js";

/** A client whose service knows the signed-in user in `state.user`, what its listener has heard, and its calls. */
function watched() {
  const state = { user: 1, email: "ana@example.com" };
  const calls = [];
  const none = () => Response.json({ success: false, message: "No hay una sesión activa" }, { status: 401 });
  const fetch = async (url) => {
    calls.push(url.split("/").at(-1));
    if (/verifyEmail|confirmEmail|lockAccount|resetPassword/.test(url)) return Response.json({ success: true });
    if (!state.user) return none();
    return Response.json({ success: true, user: { id: state.user, email: state.email }, sessions: [], passkeys: [] });
  };
  const client = createAccountClient({ fetch });
  const heard = [];
  client.onSessionChange((change) => heard.push(change));
  return { state, calls, heard, client };
}

const settled = () => new Promise((resolve) => { setTimeout(resolve, 20); });
const ENDED = { type: "signed-out", ended: true };

test("a session that has ended elsewhere is announced once, whichever call finds out", async () => {
  for (const find of [(client) => client.session(), (client) => client.sessions(), (client) => client.closeOtherSessions({ account: 1 }), (client) => client.passkeys()]) {
    const { state, heard, client } = watched();
    await client.session();
    state.user = 0;
    assert.equal((await find(client)).code, "no-session");
    await settled();
    await find(client);
    await settled();
    assert.deepEqual(heard, [ENDED]);
  }
});

test("whoever was not signed in hears of no end, and a listener that asks again does not ask for ever", async () => {
  const { state, calls, heard, client } = watched();
  state.user = 0;
  client.onSessionChange(() => client.session());
  await client.session();
  await settled();
  assert.deepEqual([heard, calls.length], [[], 1]);
  state.user = 1;
  await client.session();
  state.user = 0;
  await client.sessions();
  await settled();
  assert.deepEqual(heard, [{ type: "signed-in", account: 1 }, ENDED]);
  assert.ok(calls.length < 10, `${calls}`);
});

test("another address of the signed-in user is told once, by whichever call finds out, and not as that of another user", async () => {
  const email = "ana@example.org";
  for (const find of [(client) => client.session(), (client) => client.closeOtherSessions({ account: 1 }), (client) => client.confirmEmail({ token: "t" })]) {
    const { state, heard, client } = watched();
    await client.session();
    state.email = email;
    await find(client);
    await client.session();
    await settled();
    assert.deepEqual(heard.filter((change) => change.email), [{ type: "changed", account: 1, email }]);
    heard.length = 0;
    Object.assign(state, { user: 2, email: "eva@example.com" });
    await client.session();
    assert.deepEqual(heard, [{ type: "signed-in", account: 2 }]);
  }
});

test("a session that another tab is just replacing has not ended", async () => {
  const { state, heard, client } = watched();
  await client.session();
  state.user = 0;
  const refused = client.sessions();
  // The other tab's login is done before the second look.
  await refused.then(() => { state.user = 1; });
  await settled();
  assert.deepEqual(heard, []);
});

test("a call with a mailed link announces a change, and the end of the session if it was of the same account", async () => {
  const calls = [(client) => client.verifyEmail("t"), (client) => client.confirmEmail({ token: "t" }), (client) => client.lockAccount("t"), (client) => client.resetPassword({ token: "t", password: "Nueva1234", confirmation: "Nueva1234" })];
  for (const act of calls) {
    for (const [user, after] of [[1, []], [0, [ENDED]]]) {
      const { state, heard, client } = watched();
      await client.session();
      state.user = user;
      await act(client);
      await settled();
      assert.deepEqual(heard, [{ type: "changed" }, ...after]);
    }
  }
});

test("whoever returns to the page learns that the session has ended, as long as somebody listens", async (context) => {
  globalThis.document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  const page = new EventTarget();
  for (const name of ["addEventListener", "removeEventListener"]) globalThis[name] = page[name].bind(page);
  context.after(() => { for (const name of ["document", "addEventListener", "removeEventListener"]) delete globalThis[name]; });
  for (const come of [() => document.dispatchEvent(new Event("visibilitychange")), () => page.dispatchEvent(new Event("focus"))]) {
    const { state, calls, heard, client } = watched();
    const stop = client.onSessionChange(() => {});
    await client.session();
    state.user = 0;
    come();
    await settled();
    assert.deepEqual(heard, [ENDED]);
    const before = calls.length;
    come();
    await settled();
    assert.equal(calls.length, before + 1, "one question for a return");
    stop();
  }
});
