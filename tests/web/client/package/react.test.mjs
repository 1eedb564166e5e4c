// The provider and the hook of React: in strict mode, on a server, and with several components.

import assert from "node:assert/strict";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { StrictMode, act, createElement } from "react";
import { renderToString } from "react-dom/server";
import { create } from "react-test-renderer";
import { createAccountClient } from "../../../../web/client/index.js";
import { ROOT } from "../stack.mjs";

// The client's folder has no packages beside it, so React is found from a copy.
const folder = await mkdtemp(join(tmpdir(), "react-"));
after(() => rm(folder, { recursive: true }));
await cp(new URL("web/client", ROOT), join(folder, "client"), { recursive: true });
await symlink(new URL("tests/web/node_modules", ROOT).pathname, join(folder, "node_modules"));
const { AccountProvider, useAccount } = await import(pathToFileURL(join(folder, "client", "react.js")));
assert.equal(createRequire(join(folder, "client", "react.js")).resolve("react"), createRequire(import.meta.url).resolve("react"));

globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const errors = [];
// Only here do a server and a browser's renderer share one process.
console.error = (text) => { if (!/react-test-renderer is deprecated|multiple renderers/.test(text)) errors.push(text); };

/** A client that counts its questions, and the settings of its service. */
function counted() {
  const state = { user: 1 };
  const questions = [];
  const account = createAccountClient({
    fetch: async (url) => {
      if (url.endsWith("session.php")) questions.push(url);
      if (url.endsWith("logout.php")) state.user = 0;
      if (!state.user && !url.endsWith("logout.php")) return Response.json({ success: false, message: "No hay una sesión activa" }, { status: 401 });
      return Response.json({ success: true, user: { id: state.user, email: "ana@example.com", name: "Ana" } });
    },
  });
  return { state, questions, account };
}

function Name() {
  const { status, ...rest } = useAccount();
  return status === "signed-in" ? rest.user.name : status;
}
const app = (account, ...views) => createElement(StrictMode, null, createElement(AccountProvider, { account }, ...views.map((view, key) => createElement(view, { key }))));
const settled = () => act(() => new Promise((resolve) => { setTimeout(resolve, 20); }));

/** Ends an app, and waits until its store listens no more. */
async function unmounted(root) {
  await act(() => root.unmount());
  await settled();
}

/** Renders an element until everything has been answered. */
async function rendered(element) {
  let root;
  await act(() => { root = create(element); });
  await settled();
  return root;
}

test("all components of a strict app share one question, and each shows the user", async () => {
  const { account, questions } = counted();
  const root = await rendered(app(account, Name, Name, Name));
  assert.deepEqual([root.toJSON(), questions.length], [["Ana", "Ana", "Ana"], 1]);
  await act(() => account.logout());
  assert.deepEqual([root.toJSON(), questions.length], [["signed-out", "signed-out", "signed-out"], 1]);
  await unmounted(root);
});

test("two providers of a client share one question, and those of another client have their own", async () => {
  const [one, other] = [counted(), counted()];
  other.state.user = 0;
  const roots = [];
  for (const { account } of [one, one, other]) roots.push(await rendered(app(account, Name)));
  assert.deepEqual(roots.map((root) => root.toJSON()), ["Ana", "Ana", "signed-out"]);
  assert.deepEqual([one.questions.length, other.questions.length], [1, 1]);
  for (const root of roots) await unmounted(root);
});

test("a page that replaces another below the provider asks nothing, and an app that is unmounted listens no more", async (context) => {
  const page = new EventTarget();
  let listeners = 0;
  globalThis.addEventListener = (...given) => { listeners += 1; page.addEventListener(...given); };
  globalThis.removeEventListener = (...given) => { listeners -= 1; page.removeEventListener(...given); };
  context.after(() => { delete globalThis.addEventListener; delete globalThis.removeEventListener; });
  const { account, questions } = counted();
  const root = await rendered(app(account, Name));
  await act(() => root.update(app(account)));
  await settled();
  await act(() => root.update(app(account, Name)));
  assert.deepEqual([root.toJSON(), questions.length], ["Ana", 1]);
  assert.ok(listeners > 0);
  await unmounted(root);
  assert.equal(listeners, 0);
});

test("a server renders the loading state of a client without an address, and asks nothing", () => {
  assert.equal(typeof location, "undefined");
  assert.equal(renderToString(app(createAccountClient(), Name)), "loading");
});

test("the hook gives the client and a function that asks again, and the same object until something changes", async () => {
  const { account, questions, state } = counted();
  const seen = [];
  function View() {
    seen.push(useAccount());
    return null;
  }
  const root = await rendered(app(account, View));
  const last = seen.at(-1);
  assert.equal(last.account, account);
  await act(() => root.update(app(account, View)));
  assert.equal(seen.at(-1), last);
  Object.assign(state, { user: 2 });
  await act(() => last.refresh());
  assert.deepEqual([seen.at(-1).user.id, questions.length], [2, 2]);
  await unmounted(root);
});

test("the hook without a provider says what is missing", () => {
  assert.throws(() => renderToString(createElement(Name)), { message: /useAccount needs an AccountProvider/ });
});

test("nothing above made React complain", () => assert.deepEqual(errors, []));
