// The OpenAPI document for the tools of others: two linters find nothing in it, and the clients that three generators make of
// it compile. The files in `uses` use these clients, also wrongly.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { ROOT, started } from "../web/client/stack.mjs";

const HERE = new URL("tests/openapi/", ROOT).pathname;
const GENERATED = new URL("target/openapi/", ROOT).pathname;
const DOCUMENT = join(GENERATED, "openapi.json");

await rm(GENERATED, { recursive: true, force: true });
await mkdir(GENERATED, { recursive: true });
await writeFile(DOCUMENT, await (await fetch(`${await started()}/_local/openapi.json`)).text());

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
