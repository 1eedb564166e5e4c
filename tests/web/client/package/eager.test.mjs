// The entry that has all modules at once: its size, and the functions that the other entry loads later.

import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { build } from "vite";
import * as eager from "../../../../web/client/eager.js";
import * as lazy from "../../../../web/client/index.js";
import { ROOT, withPasskeys } from "../stack.mjs";

/** The most bytes of the whole client, minified and compressed with Brotli, as a CDN sends it. */
const COMPRESSED = 7_000;

/** The chunks that Vite builds of an entry. */
async function built(entry) {
  const input = new URL(`web/client/${entry}`, ROOT).pathname;
  const { output } = await build({ configFile: false, logLevel: "error", build: { write: false, modulePreload: false, rolldownOptions: { input, preserveEntrySignatures: "strict" } } });
  return output;
}

test("the eager entry is one file of at most 7 kB, and loads nothing later", async () => {
  const [{ code }, ...others] = await built("eager.js");
  assert.deepEqual(others, []);
  assert.doesNotMatch(code, /\bimport\b/);
  assert.ok(brotliCompressSync(code).length <= COMPRESSED, `${brotliCompressSync(code).length} bytes`);
  assert.ok((await built("index.js")).length > 5, "the other entry loads modules later");
});

test("both entries export the same, and their clients have the same functions", () => {
  assert.deepEqual(Object.keys(eager), Object.keys(lazy));
  const functions = ({ createAccountClient }) => Object.keys(createAccountClient()).sort();
  assert.deepEqual(functions(eager), functions(lazy));
});

test("a client of the eager entry knows refusals, asks for a proof, and reads the credentials of every password manager", async () => {
  withPasskeys();
  const bytes = (text) => new TextEncoder().encode(text).buffer;
  navigator.credentials.get = async () => ({ id: "AA", rawId: bytes("a"), response: { clientDataJSON: bytes("b") } });
  const sent = [];
  let proved = false;
  const client = eager.createAccountClient({
    fetch: async (url, { body }) => {
      sent.push(url.split("/").at(-1));
      if (url.endsWith("sendLogin.php")) return Response.json({ success: false, message: "La contraseña es demasiado común" });
      if (url.endsWith("Options.php")) return Response.json({ success: true, publicKey: {} });
      if (url.endsWith("confirm.php")) {
        assert.equal(JSON.parse(await body.text()).credential.response.clientDataJSON, "Yg");
        proved = true;
      }
      return proved ? Response.json({ success: true }) : Response.json({ success: false, message: "Confirma que eres tú" }, { status: 403 });
    },
    onConfirm: async (asked) => (await client.confirm({ passkey: true }, asked)).ok,
  });
  const { code, field } = await client.login({ email: "ana@example.com", password: "Secreto123" });
  assert.deepEqual([code, field], ["common-password", "password"]);
  assert.deepEqual(await client.closeOtherSessions(), { ok: true });
  assert.deepEqual(sent, ["sendLogin.php", "closeSession.php", "passkeyLoginOptions.php", "confirm.php", "closeSession.php"]);
});
