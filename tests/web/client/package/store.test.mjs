// The store of who is signed in, with a simulated service: how often it asks, and what it shows meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createAccountClient } from "../../../../web/client/index.js";
import { createAccountStore } from "../../../../web/client/store.js";

/**
 * A store whose service knows the user in `state.user` and is away while `state.down`. `shown` are the states that a subscriber has seen,
 * and `held` the answers of `session` that wait while `state.hold`.
 */
function watched() {
  const state = { user: 1, email: "ana@example.com", down: false, hold: false };
  const [calls, shown, held] = [[], [], []];
  const account = createAccountClient({
    fetch: async (url) => {
      const path = url.split("/").at(-1);
      calls.push(path);
      if (state.down) throw new TypeError("no connection");
      if (path === "sendLogin.php") state.user = 2;
      if (path === "logout.php") state.user = 0;
      const { user, email } = state;
      if (path === "session.php" && state.hold) await new Promise((resolve) => { held.push(resolve); });
      if (!user && path !== "logout.php") return Response.json({ success: false, message: "No hay una sesión activa" }, { status: 401 });
      return Response.json({ success: true, user: { id: user, email }, sessions: [] });
    },
  });
  const store = createAccountStore(account);
  const subscribe = () => store.subscribe(() => shown.push(brief(store.getSnapshot())));
  return { state, calls, shown, held, account, store, subscribe };
}

/** A state in a few words. */
const brief = ({ status, user, ended, failure }) => [status, user?.id ?? failure?.code, ...(ended ? ["ended"] : [])].filter(Boolean).join(" ");
const settled = () => new Promise((resolve) => { setTimeout(resolve, 20); });

test("a store asks once for all its subscribers, and not before there is one", async () => {
  const { store, calls, shown, subscribe } = watched();
  await settled();
  assert.deepEqual([store.getSnapshot().status, calls], ["loading", []]);
  for (let view = 0; view < 3; view += 1) subscribe();
  await settled();
  assert.deepEqual([calls, shown], [["session.php"], ["signed-in 1", "signed-in 1", "signed-in 1"]]);
  subscribe();
  await settled();
  assert.deepEqual(calls, ["session.php"]);
});

test("a snapshot stays the same object until something changes, and its functions need no this", async () => {
  const { store: { subscribe, getSnapshot, getServerSnapshot }, account } = watched();
  subscribe(() => {});
  await settled();
  const before = getSnapshot();
  assert.equal(getSnapshot(), before);
  await account.closeOtherSessions();
  await account.logout();
  assert.notEqual(getSnapshot(), before);
  assert.deepEqual([getServerSnapshot().status, getServerSnapshot()], ["loading", getServerSnapshot()]);
});

test("a view that subscribes again at once does not ask again, and one that comes back later does", async () => {
  const { calls, subscribe } = watched();
  subscribe()();
  const leave = subscribe();
  await settled();
  assert.deepEqual(calls, ["session.php"]);
  leave();
  leave();
  await settled();
  subscribe();
  await settled();
  assert.deepEqual(calls, ["session.php", "session.php"]);
});

test("after its last subscriber a store keeps nothing, and shows the next one no old user", async () => {
  const { state, account, store, calls, subscribe } = watched();
  const leave = subscribe();
  await settled();
  leave();
  await settled();
  await account.logout();
  await store.refresh();
  assert.equal(store.getSnapshot().status, "loading");
  subscribe();
  await settled();
  assert.deepEqual([state.user, brief(store.getSnapshot()), calls.filter((path) => path === "session.php").length], [0, "signed-out", 3]);
});

test("a login is shown as loading until the user is there, never as signed out, and a logout at once", async () => {
  const { state, account, shown, subscribe, store } = watched();
  state.user = 0;
  subscribe();
  await settled();
  const done = await account.login({ email: "eva@example.com", password: "Secreto123" });
  assert.deepEqual([done.ok, store.getSnapshot().status], [true, "loading"]);
  await settled();
  await account.logout();
  assert.deepEqual(shown, ["signed-out", "loading", "signed-in 2", "signed-out"]);
});

test("a session that any call finds ended is shown as ended, without a look by that caller", async () => {
  const { state, account, shown, subscribe } = watched();
  subscribe();
  await settled();
  state.user = 0;
  assert.equal((await account.sessions()).code, "no-session");
  await settled();
  assert.deepEqual(shown, ["signed-in 1", "signed-out ended"]);
});

test("another address is shown without another question, and other changes after one", async () => {
  const { state, account, store, calls, shown, subscribe } = watched();
  subscribe();
  await settled();
  state.email = "ana@example.org";
  await account.session();
  assert.equal(store.getSnapshot().user.email, "ana@example.org");
  assert.equal(calls.length, 2);
  await account.closeOtherSessions();
  await settled();
  assert.deepEqual([calls.slice(2), shown.length], [["closeSession.php", "session.php"], 3]);
});

test("another account that the question itself finds takes one question", async () => {
  const { state, store, calls, shown, subscribe } = watched();
  subscribe();
  await settled();
  state.user = 3;
  await store.refresh();
  assert.deepEqual([calls, shown], [["session.php", "session.php"], ["signed-in 1", "loading", "signed-in 3"]]);
});

test("an answer that is older than a change is not shown", async () => {
  const { state, held, account, shown, subscribe } = watched();
  state.hold = true;
  subscribe();
  await settled();
  await account.login({ email: "eva@example.com", password: "Secreto123" });
  state.hold = false;
  held[0]();
  await settled();
  assert.deepEqual(shown.filter((each) => each !== "loading"), ["signed-in 2"]);
});

test("a failure takes no user from the view, and without one it is shown until an answer comes", async (context) => {
  const page = new EventTarget();
  for (const name of ["addEventListener", "removeEventListener"]) globalThis[name] = page[name].bind(page);
  context.after(() => { for (const name of ["addEventListener", "removeEventListener"]) delete globalThis[name]; });
  for (const retry of [() => page.dispatchEvent(new Event("online")), () => page.dispatchEvent(new Event("focus")), (store) => store.refresh()]) {
    const { state, store, shown, calls, subscribe } = watched();
    state.down = true;
    const leave = subscribe();
    await settled();
    state.down = false;
    retry(store);
    await settled();
    state.down = true;
    await store.refresh();
    assert.deepEqual(shown, ["failed network", "signed-in 1"]);
    leave();
    await settled();
    const before = calls.length;
    page.dispatchEvent(new Event("online"));
    assert.equal(calls.length, before);
  }
});
