// Compares the codes of the client with the refusals in the OpenAPI document. None may be missing on either side.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MESSAGES, createAccountClient } from "../../../web/client/index.js";
import { REFUSALS } from "../../../web/client/refusals.js";
import { shown, started, withPasskeys } from "./stack.mjs";

const document = await (await fetch(`${await started()}/_local/openapi.json`)).json();
/** The endpoint that only Google's page calls. */
const NOT_CALLED = "/app/auth/google-callback.php";

/** `value`, or what its reference names. */
function resolved(value) {
  if (!value?.$ref) return value;
  return resolved(value.$ref.slice(2).split("/").reduce((place, name) => place[name.replaceAll("~1", "/")], document));
}

/** The fixed answers of a response that are refusals. */
function refusals([status, response]) {
  const schemas = Object.values(resolved(response).content ?? {}).map(({ schema }) => resolved(schema));
  const answers = schemas.flatMap((schema) => (schema.oneOf ?? [schema]).map((one) => resolved(one).const));
  return answers.filter((answer) => answer && answer.success !== true).map((answer) => ({ status: Number(status), answer }));
}

const operations = Object.entries(document.paths).map(([path, { post }]) => {
  const shared = [["405", document["x-any-other-method"]], ["404", document["x-any-other-path"]]];
  return { path, answers: [...Object.entries(post.responses), ...shared].flatMap(refusals) };
});

withPasskeys();

/** The client's function for each path, and the paths that it calls before. */
const CALLS = {};
/**
 * The argument of every function. It is enough for each to send its requests: `news` is the only field that a function
 * checks itself.
 */
const ANYTHING = { news: true };
for (const name of Object.keys(createAccountClient({ fetch }))) {
  const paths = [];
  const fetch = async (url) => (paths.push(url), Response.json({ success: true, publicKey: {} }));
  await createAccountClient({ fetch })[name](ANYTHING);
  paths.forEach((path, place) => (CALLS[path] ??= { name, before: paths.slice(0, place) }));
}

test("the client calls every endpoint of the API except the one that only Google's page calls", () => {
  assert.deepEqual(operations.map(({ path }) => path).filter((path) => !CALLS[path]), [NOT_CALLED]);
});

const SHOWN = shown(document);

test("every function can be cancelled", async () => {
  const { onSessionChange: _, ...calls } = createAccountClient({ fetch: async (_, { signal }) => (signal.throwIfAborted(), new Promise(() => {})) });
  for (const [name, call] of Object.entries(calls)) {
    assert.equal((await call(...(SHOWN[name]?.values ?? []), { signal: AbortSignal.abort() })).code, "aborted", name);
  }
});

test("the call of the client that the document shows for an endpoint calls it", async () => {
  for (const [path, { post }] of Object.entries(document.paths).filter(([path]) => path !== NOT_CALLED)) {
    const paths = [];
    const fetch = async (url) => (paths.push(url), Response.json({ success: true, publicKey: {}, challenge: {}, sessions: [], passkeys: [], entries: [] }));
    const call = new Function("account", `return ${post["x-codeSamples"][0].source}`);
    await call(createAccountClient({ fetch }));
    assert.ok(paths.includes(path), `${path} is not among ${paths}`);
  }
});

/** The codes that a function returns instead of those in the table. */
const INSTEAD = {
  "/app/auth/sendLogin.php weak-password": "wrong-credentials",
  "/app/auth/captcha.php invalid-request": "misconfigured",
  "/app/auth/passkeyRegisterOptions.php invalid-request": "passkeys-unsupported",
  "/app/auth/passkeyLoginOptions.php invalid-request": "passkeys-unsupported",
};
// What is wrong with the request of a function that takes an id is the id.
for (const { path, thing } of Object.values(SHOWN)) if (thing) INSTEAD[`${path} invalid-request`] = `unknown-${thing}`;

for (const { path, answers } of operations.filter(({ path }) => path !== NOT_CALLED)) {
  test(`every refusal of ${path} has the code of its sentence`, async () => {
    assert.ok(answers.length >= 5, "the document has refusals");
    const { name, before } = CALLS[path];
    for (const { status, answer } of answers) {
      const paths = [];
      const fetch = async (url) => {
        if (before.includes(url)) return Response.json({ success: true, publicKey: {} });
        paths.push(url);
        return Response.json(answer, { status });
      };
      const result = await createAccountClient({ fetch })[name](ANYTHING);
      const [code] = REFUSALS[answer.message] ?? [];
      assert.ok(code, `"${answer.message}" has a code`);
      assert.deepEqual([paths, result.ok, result.code], [[path], false, INSTEAD[`${path} ${code}`] ?? code], answer.message);
      assert.equal(result.code === "unavailable", status >= 500, `only a failure of the service is unavailable: ${answer.message}`);
    }
  });
}

test("every sentence with a code is in the document", () => {
  const told = new Set(operations.flatMap(({ answers }) => answers.map(({ answer }) => answer.message)));
  assert.deepEqual(Object.keys(REFUSALS).filter((sentence) => !told.has(sentence)), []);
});

test("the sentence that the function sendVerification looks for is in the document", () => {
  assert.ok(JSON.stringify(document.paths["/app/auth/sendVerification.php"]).includes('"El email ya está verificado"'));
});

test("every code has a message, and says tú and not usted", () => {
  const own = ["session-changed", "unknown-session", "unknown-passkey", "passkey-cancelled", "passkey-exists", "passkeys-unsupported", "network", "offline", "timeout", "aborted", "too-many-requests", "outdated"];
  const codes = new Set([...Object.values(REFUSALS).map(([code]) => code), ...own]);
  assert.deepEqual(Object.keys(MESSAGES).sort(), [...codes].sort());
  for (const message of Object.values(MESSAGES)) assert.doesNotMatch(message, /\b(usted|debe|su|sus|introduzca|escriba|revise)\b/i);
});
