// The function of infra/web.yaml that finds the file of an address, as CloudFront runs it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { ROOT } from "./stack.mjs";

const template = await readFile(new URL("infra/web.yaml", ROOT), "utf8");
const [, code] = template.match(/FunctionCode: !Sub \|\n((?: {8}.*\n)+)/);
const handler = new Function(`${code.replace("${DomainName}", "app.example.com")}; return handler;`)();

test("the address of a page leads to its file, with or without a slash at its end, and keeps its query", () => {
  for (const [uri, file] of [
    ["/", "/index.html"], ["/login", "/login.html"], ["/login/", "/login.html"], ["/restablecer/", "/restablecer.html"], ["/restablecer//", "/restablecer.html"],
    ["/assets/style.css", "/assets/style.css"], ["/assets/style.css/", "/assets/style.css.html"], ["/client/index.js", "/client/index.js"],
  ]) {
    const querystring = { token: { value: "x" } };
    assert.deepEqual(handler({ request: { uri, querystring } }), { uri: file, querystring }, uri);
  }
});

test("browsers and password managers find the pages of the password and the passkeys", () => {
  const change = handler({ request: { uri: "/.well-known/change-password" } });
  assert.deepEqual([change.statusCode, change.headers.location.value], [302, "/seguridad#contrasena"]);
  const { statusCode, headers, body } = handler({ request: { uri: "/.well-known/passkey-endpoints" } });
  const page = "https://app.example.com/llaves";
  assert.deepEqual([statusCode, headers["content-type"].value, JSON.parse(body)], [200, "application/json", { enroll: page, manage: page }]);
});
