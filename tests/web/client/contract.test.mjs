// Compares the codes of the client with the refusals in the OpenAPI document. None may be missing on either side.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { MESSAGES, createAccountClient } from "../../../web/client/index.js";
import { REFUSALS } from "../../../web/client/refusals.js";
import { ROOT, shown, started, withPasskeys } from "./stack.mjs";

const document = await (await fetch(`${await started()}/_local/openapi.json`)).json();
/** The endpoint that only Google's page calls. */
const NOT_CALLED = "/app/auth/google-callback.php";

/** `value`, or what its reference names. */
function resolved(value) {
  if (!value?.$ref) return value;
  return resolved(value.$ref.slice(2).split("/").reduce((place, name) => place[name.replaceAll("~1", "/")], document));
}

/** The answers of a response that are refusals: those with a message, unless they are a success. */
function refusals([status, response]) {
  const schemas = Object.values(resolved(response).content ?? {}).map(({ schema }) => resolved(schema));
  const bodies = schemas.flatMap((schema) => (schema.oneOf ?? [schema]).map((one) => resolved(one).properties ?? {}));
  return bodies.filter(({ message, success }) => message && success?.const !== true).flatMap(({ message, success }) => (
    (message.enum ?? [message.const]).map((text) => ({ status: Number(status), answer: { ...(success && { success: false }), message: text } }))
  ));
}

const operations = Object.entries(document.paths).map(([path, { post }]) => {
  const shared = [["405", document["x-any-other-method"]], ["404", document["x-any-other-path"]]];
  return { path, answers: [...Object.entries(post.responses), ...shared].flatMap(refusals) };
});

withPasskeys();

/** The client's function for each path, and the paths that it calls before. */
const CALLS = {};
/** The paths that each function calls. */
const PATHS = {};
/**
 * The argument of every function. It is enough for each to send its requests: `news` is the only field that a function
 * checks itself.
 */
const ANYTHING = { news: true };
for (const name of Object.keys(createAccountClient({ fetch }))) {
  const paths = [];
  const fetch = async (url) => (paths.push(url), Response.json({ success: true, publicKey: {} }));
  await createAccountClient({ fetch })[name](ANYTHING);
  PATHS[name] = paths;
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
    const fetch = async (url) => (paths.push(url), Response.json({ success: true, publicKey: {}, challenge: {}, sessions: [], passkeys: [], activity: [], entries: [] }));
    const call = new Function("account", `return ${post["x-codeSamples"][0].source}`);
    await call(createAccountClient({ fetch }));
    assert.ok(paths.includes(path), `${path} is not among ${paths}`);
  }
});

/** The codes that a function returns instead of those in the table. */
const INSTEAD = {
  "/app/auth/sendLogin.php weak-password": "outdated-password",
  "/app/auth/unlinkGoogle.php invalid-request": "not-linked",
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
  const own = ["outdated-password", "session-changed", "unknown-session", "unknown-passkey", "not-linked", "passkey-cancelled", "passkey-exists", "passkeys-unsupported", "network", "offline", "timeout", "aborted", "too-many-requests", "outdated"];
  const codes = new Set([...Object.values(REFUSALS).map(([code]) => code), ...own]);
  assert.deepEqual(Object.keys(MESSAGES).sort(), [...codes].sort());
  for (const message of Object.values(MESSAGES)) assert.doesNotMatch(message, /\b(usted|debe|su|sus|introduzca|escriba|revise)\b/i);
});

/** The codes and fields that a function has without a refusal of the service, except the code of its guard. */
const OWN = { codes: ["passkey-cancelled", "passkey-exists", "passkeys-unsupported"], createPasskey: ["name"], register: ["name"], updateSettings: ["name", "avatar"], changeSettings: ["name", "avatar"], confirm: ["password"] };

test("the type of each function has the codes and fields that the document has for it, and no others", async (context) => {
  const union = (names) => [...new Set(names)].map((name) => JSON.stringify(name)).join(" | ") || "never";
  const lines = [`import type { AccountClient, CodeOf, CommonCode, FieldOf } from "${new URL("web/client/types.js", ROOT).pathname}";
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
type Told<Name extends Exclude<keyof AccountClient, "onSessionChange">> = Exclude<CodeOf<Name>, CommonCode | ${union(OWN.codes)}>;`];
  const client = createAccountClient({ fetch: async () => Response.json({ success: true }) });
  const { onSessionChange: _, ...functions } = client;
  for (const name of Object.keys(functions)) {
    const told = operations.filter(({ path }) => (name === "changeSettings" ? PATHS.updateSettings : PATHS[name]).includes(path)).flatMap(({ path, answers }) => answers.map(({ answer }) => [path, ...REFUSALS[answer.message]]));
    const codes = told.map(([path, code]) => (SHOWN[name]?.thing || name === "unlinkGoogle" || !code.startsWith("invalid-request") ? INSTEAD[`${path} ${code}`] ?? code : code));
    const fields = told.filter(([path, code]) => !INSTEAD[`${path} ${code}`]).flatMap(([, , field]) => field ?? []);
    const guarded = await client[name](...(SHOWN[name]?.values ?? []), { account: "none" }).then(() => false, ({ message }) => message.startsWith("account"));
    lines.push(`export const ${name}: [
  Same<Told<"${name}">, Exclude<${union([...codes, ...(guarded ? ["session-changed"] : [])])}, CommonCode | ${union(OWN.codes)}>>,
  Same<FieldOf<"${name}">, ${union([...fields, ...(OWN[name] ?? []), ...(SHOWN[name]?.thing ? ["id"] : [])])}>,
] = [true, true];`);
  }
  assert.equal(lines.length, Object.keys(functions).length + 1);
  const folder = await mkdtemp(join(tmpdir(), "codes-"));
  context.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "codes.mts"), lines.join("\n"));
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--allowJs", "--module", "nodenext", "--target", "ES2022", "--lib", "ES2022,DOM,DOM.Iterable", "--types", "", "codes.mts"];
  const checked = await promisify(execFile)(new URL("tests/web/node_modules/.bin/tsc", ROOT).pathname, options, { cwd: folder }).catch((error) => error);
  assert.equal(checked.stdout, "");
});
