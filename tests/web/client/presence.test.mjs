// Proofs of presence with a simulated service: who is asked, how often, and what follows.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MESSAGES, createAccountClient } from "../../../web/client/index.js";
import { withPasskeys } from "./stack.mjs";

const CONFIRM = "/app/auth/confirm.php";
const refusal = (message, status) => Response.json({ success: false, message }, { status });
const unproved = () => refusal("Confirma que eres tú", 403);

/**
 * A client whose service wants a proof once `stale` is set, takes the password "Secreto123" for one, and keeps the calls. `user` is
 * the id of the signed-in user, if there is one.
 */
function service(options = {}) {
  const state = { stale: true, user: 1, calls: [] };
  const fetch = async (url, { body, headers }) => {
    const sent = body instanceof Blob ? JSON.parse(await body.text()) : Object.fromEntries(body ?? []);
    state.calls.push([url, sent, body instanceof Blob ? body.type : headers["Content-Type"]]);
    if (state.user === undefined) return refusal("No hay una sesión activa", 401);
    if (url.endsWith("session.php")) return Response.json({ success: true, user: { id: state.user, email: "ana@example.com", name: "Ana", url_image: "/a", accept_news: 0 } });
    if (url.endsWith("passkeyLoginOptions.php")) return Response.json({ success: true, publicKey: { challenge: "x" } });
    if (url === CONFIRM) {
      if (sent.password !== "Secreto123" && !sent.credential) return refusal("No hemos podido confirmar que eres tú", 200);
      state.stale = false;
      return Response.json({ success: true, message: "Identidad confirmada" });
    }
    return state.stale ? unproved() : Response.json({ success: true, message: "Hecho", entries: [], cursor: null });
  };
  return { state, fetch, client: createAccountClient({ fetch, ...options }), paths: () => state.calls.map(([url]) => url.split("/").at(-1)) };
}

/** A client that answers each question with `answer`, and counts the questions. */
function asked(answer) {
  const questions = [];
  const made = service({ onConfirm: (question) => (questions.push(question), answer(made, question)) });
  return { ...made, questions };
}

const prove = ({ client }) => client.confirm({ password: "Secreto123" }).then(({ ok }) => ok);

test("a refused call is repeated once after a proof, and its caller does not notice", async () => {
  const { client, questions, paths } = asked(prove);
  assert.deepEqual(await client.closeOtherSessions({ account: 1 }), { ok: true });
  assert.deepEqual(questions, [{ account: 1 }]);
  assert.deepEqual(paths(), ["session.php", "closeSession.php", "confirm.php", "session.php", "closeSession.php"]);
  assert.deepEqual(await client.removePasskey("x"), { ok: true });
  assert.equal(questions.length, 1, "a proof that is recent enough is not asked for again");
});

test("a call that is refused again after the proof ends with that refusal", async () => {
  const { client, state, questions, paths } = asked(async (made) => {
    await prove(made);
    state.stale = true;
    return true;
  });
  const result = await client.closeSession("x");
  assert.deepEqual(result, { ok: false, code: "unproved", message: MESSAGES.unproved });
  assert.deepEqual([questions.length, paths()], [1, ["closeSession.php", "confirm.php", "closeSession.php"]]);
});

test("without a function that asks, or if nobody gives a proof, the call ends with its refusal", async () => {
  for (const { client, paths } of [service(), asked(async () => false)]) {
    assert.equal((await client.closeOtherSessions()).code, "unproved");
    assert.deepEqual(paths(), ["closeSession.php"]);
  }
});

test("each question of its own is asked again after one that was not answered", async () => {
  const { client, questions } = asked(async () => false);
  for (let call = 0; call < 2; call += 1) assert.equal((await client.closeOtherSessions()).code, "unproved");
  assert.equal(questions.length, 2);
});

test("calls that are refused at the same time share one question", async () => {
  const { client, questions, paths } = asked(prove);
  const all = await Promise.all([client.closeOtherSessions(), client.removePasskey("x"), client.closeSession("x")]);
  assert.deepEqual(all.map(({ ok }) => ok), [true, true, true]);
  assert.equal(questions.length, 1);
  assert.equal(paths().length, 3 + 1 + 3);
});

test("a refusal that arrives after a proof asks nobody", async () => {
  const made = asked(prove);
  const { state, questions } = made;
  let late = () => {};
  const client = createAccountClient({
    onConfirm: (question) => (questions.push(question), client.confirm({ password: "Secreto123" }).then(({ ok }) => ok)),
    fetch: async (...call) => {
      const answer = await made.fetch(...call);
      if (call[0].endsWith("removePasskey.php") && !answer.ok) await new Promise((resolve) => { late = resolve; });
      return answer;
    },
  });
  const slow = client.removePasskey("x");
  assert.deepEqual(await client.closeOtherSessions(), { ok: true });
  late();
  assert.deepEqual(await slow, { ok: true });
  assert.deepEqual([questions.length, state.stale], [1, false]);
});

test("a call that the page cancels during the question ends, leaves no listener, and the others still wait for the answer", async () => {
  let answer = () => {};
  const { client } = asked((made) => new Promise((resolve) => { answer = () => resolve(prove(made)); }));
  const controller = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = controller.signal;
  Object.assign(controller.signal, {
    addEventListener(...given) { listeners += 1; addEventListener.apply(this, given); },
    removeEventListener(...given) { listeners -= 1; removeEventListener.apply(this, given); },
  });
  const cancelled = client.closeOtherSessions({ signal: controller.signal });
  const other = client.removePasskey("x");
  setTimeout(() => controller.abort(), 10);
  assert.equal((await cancelled).code, "aborted");
  answer();
  assert.deepEqual(await other, { ok: true });
  assert.equal(listeners, 0);
});

test("after a question that failed by a mistake, the call ends with its refusal, and the mistake is reported", async (context) => {
  // The client throws the mistake outside the call.
  const thrown = [];
  const { setTimeout } = globalThis;
  context.mock.method(globalThis, "setTimeout", (work, ...wait) => (wait.length ? setTimeout(work, ...wait) : thrown.push(work)));
  for (const fail of [() => { throw new Error("mine"); }, async () => { throw new Error("mine"); }]) {
    const { client, questions } = asked(fail);
    for (let call = 0; call < 2; call += 1) {
      assert.equal((await client.closeOtherSessions()).code, "unproved");
      assert.throws(thrown.pop(), { message: "mine" });
    }
    assert.equal(questions.length, 2);
  }
});

test("a session that has ended or changed during the question is told by the repeated call", async () => {
  for (const [user, code] of [[undefined, "no-session"], [2, "session-changed"]]) {
    const { client } = asked(async ({ state }) => {
      state.user = user;
      return true;
    });
    assert.equal((await client.closeOtherSessions({ account: 1 })).code, code);
  }
});

test("a proof is sent as the password in a form, or as the credential in JSON", async () => {
  withPasskeys({ id: "AA" });
  const { client, state } = service();
  for (const proof of [{ password: "Secreto123" }, { credential: "a.b.c" }, { credential: { id: "BB" } }, { passkey: true }]) {
    assert.deepEqual(await client.confirm(proof), { ok: true });
  }
  assert.deepEqual(state.calls.filter(([url]) => url === CONFIRM).map(([, sent, type]) => [sent, type]), [
    [{ password: "Secreto123" }, undefined], [{ credential: "a.b.c" }, "application/json"],
    [{ credential: { id: "BB" } }, "application/json"], [{ credential: { id: "AA" } }, "application/json"],
  ]);
});

test("a wrong proof has a code, and a password is named as its field", async () => {
  const { client } = service();
  assert.deepEqual(await client.confirm({ password: "Otra12345" }), { ok: false, code: "not-confirmed", message: MESSAGES["not-confirmed"], field: "password" });
  assert.equal((await client.confirm({ credential: "" })).field, undefined);
});

test("a proof by a passkey that the person does not give sends nothing", async () => {
  withPasskeys();
  navigator.credentials.get = async () => { throw new DOMException("no", "NotAllowedError"); };
  const { client, paths } = service();
  assert.equal((await client.confirm({ passkey: true })).code, "passkey-cancelled");
  assert.deepEqual(paths(), ["passkeyLoginOptions.php"]);
});

test("a proof for another account than the signed-in one is not sent", async () => {
  const { client, paths } = service();
  assert.equal((await client.confirm({ password: "Secreto123" }, { account: 2 })).code, "session-changed");
  assert.deepEqual(paths(), ["session.php"]);
});

test("a new password removes the passkeys only if that is asked for", async () => {
  const { client, state } = service();
  state.stale = false;
  const reset = { token: "t", password: "Nueva1234", confirmation: "Nueva1234" };
  for (const more of [{}, { removePasskeys: false }, { removePasskeys: true }]) await client.resetPassword({ ...reset, ...more });
  assert.deepEqual(state.calls.map(([, { passkeys }]) => passkeys), [undefined, undefined, "remove"]);
});
