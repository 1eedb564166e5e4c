// The OpenAPI document for the tools of others: two linters find nothing in it, and the clients that three generators make of
// it compile. The files in `uses` use these clients, also wrongly.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { PASSWORD, ROOT, started } from "../web/client/stack.mjs";

const HERE = new URL("tests/openapi/", ROOT).pathname;
const GENERATED = new URL("target/openapi/", ROOT).pathname;
const DOCUMENT = join(GENERATED, "openapi.json");

await rm(GENERATED, { recursive: true, force: true });
await mkdir(GENERATED, { recursive: true });
const STACK = await started();
await writeFile(DOCUMENT, await (await fetch(`${STACK}/_local/openapi.json`)).text());

/** Runs a program of a package here, and returns its output. An error contains the output too. */
async function tool(name, ...args) {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", SCARF_ANALYTICS: "false" };
  try {
    return (await promisify(execFile)(join(HERE, "node_modules/.bin", name), args, { cwd: HERE, env })).stdout;
  } catch (error) {
    throw new Error(`${name} ${args.join(" ")}\n${error.stdout}${error.stderr}`);
  }
}

test("the recommended rules of Redocly find nothing in the document", async () => {
  const { totals, problems } = JSON.parse(await tool("redocly", "lint", "--extends=recommended", "--format=json", DOCUMENT));
  assert.deepEqual([totals.errors, totals.warnings], [0, 0], JSON.stringify(problems, null, 1));
});

test("the rules of Spectral find nothing in the document", () => tool("spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint", DOCUMENT));

test("three generated clients compile, and tell the user of a login from a refusal", async () => {
  await Promise.all([
    tool("openapi-typescript", DOCUMENT, "--output", join(GENERATED, "openapi-typescript.ts")),
    tool("openapi-ts", "--input", DOCUMENT, "--output", join(GENERATED, "hey-api"), "--no-log-file", "--plugins", "@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"),
    tool("orval", "--input", DOCUMENT, "--output", join(GENERATED, "orval.ts"), "--client", "fetch"),
  ]);
  await tool("tsc", "--project", ".");
});

test("a generated client signs in, and stores an entry", async () => {
  const email = "ana@example.com";
  const form = { nombre: "Ana", email, password: PASSWORD, "confirm-password": PASSWORD, terms: "on" };
  const headers = { "X-Requested-With": "XMLHttpRequest" };
  await fetch(`${STACK}/app/auth/sendRegister.php`, { method: "POST", headers, body: new URLSearchParams(form) });
  const answers = [];
  let cookie = "";
  // As in a browser: an address without a host is of the page's, and cookies are kept.
  const { fetch: call } = globalThis;
  globalThis.fetch = async (resource, init) => {
    const request = new Request(resource instanceof Request ? resource : new URL(resource, STACK), init);
    if (cookie) request.headers.set("Cookie", cookie);
    const answer = await call(request);
    cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
    answers.push(await answer.clone().json());
    return answer;
  };
  try {
    for (const name of ["hey-api", "orval"]) {
      const bundle = join(GENERATED, `${name}.bundle.mjs`);
      await tool("esbuild", `uses/${name}.ts`, "--bundle", "--format=esm", `--outfile=${bundle}`);
      const client = await import(bundle);
      client.connect?.(STACK);
      assert.equal(await client.signIn(email, "Otra1234"), "Email o contraseña incorrectas", name);
      assert.equal(await client.signIn(email, PASSWORD), 1, name);
      assert.equal(await client.confirm("Otra1234"), "No hemos podido confirmar que eres tú", name);
      assert.equal(await client.confirm(PASSWORD), "Identidad confirmada", name);
      await client.save();
      assert.equal(answers.at(-1).success, true, `${name} ${JSON.stringify(answers.at(-1))}`);
    }
  } finally {
    globalThis.fetch = call;
  }
});
