// Starts a local stack for a test file, with tables in memory.

import { spawn } from "node:child_process";
import { after } from "node:test";

export const ROOT = new URL("../../../", import.meta.url);
export const PASSWORD = "Secreto123";

/** Starts a stack with these settings that ends after the tests of the file, and returns its address. */
export async function started(settings = {}) {
  const env = { ...process.env, PORT: "0", DYNAMODB_PORT: "0", LOCAL_DATA: "memory", ...settings };
  const stack = spawn(new URL("target/debug/local", ROOT).pathname, { env, stdio: ["ignore", "pipe", "inherit"] });
  after(() => stack.kill());
  return new Promise((resolve, reject) => {
    let said = "";
    stack.once("error", reject);
    stack.once("exit", (code) => reject(new Error(`the stack has ended with ${code}`)));
    // The output is read to its end, because a full pipe would block the stack.
    stack.stdout.on("data", (text) => {
      said += text;
      if (said.includes("Ctrl-C")) resolve(said.match(/^Service\s+(\S+)/m)[1]);
    });
  });
}

/**
 * The calls of the client that the document shows, by function: the endpoint's path, the values, and what has the id, if the
 * endpoint takes one: the word at the end of its path. The document shows one of the two functions for the settings.
 */
export function shown(document) {
  const calls = {};
  for (const [path, { post }] of Object.entries(document.paths).filter(([, { post }]) => post["x-codeSamples"])) {
    const takesId = Object.values(post.requestBody?.content ?? {}).some(({ schema }) => schema.properties?.id);
    const thing = takesId ? path.match(/([A-Z][a-z]+)\.php$/)[1].toLowerCase() : undefined;
    const recorder = new Proxy({}, { get: (_, name) => (...values) => { calls[name] = { path, values, thing }; } });
    new Function("account", post["x-codeSamples"][0].source)(recorder);
  }
  return { ...calls, changeSettings: calls.updateSettings };
}

let people = 0;

/** The registration form of a new user. */
export function somebody() {
  people += 1;
  const email = `ana.${process.pid}.${people}@example.com`;
  return { name: "Ana García", email, password: PASSWORD, confirmation: PASSWORD, terms: true, news: false };
}

/** Adds the browser's API for passkeys to Node. Its device answers every ceremony with `answer`. */
export function withPasskeys(answer = { id: "AA", type: "public-key" }) {
  const parse = (options) => options;
  globalThis.PublicKeyCredential = {
    parseCreationOptionsFromJSON: parse, parseRequestOptionsFromJSON: parse, isConditionalMediationAvailable: async () => true,
    getClientCapabilities: async () => ({ conditionalCreate: true }),
  };
  const ceremony = async ({ signal }) => (signal?.throwIfAborted(), { toJSON: () => answer });
  Object.defineProperty(globalThis, "navigator", { value: { credentials: { create: ceremony, get: ceremony } }, configurable: true });
}

/** A `fetch` that keeps the cookies of one origin, as a browser does. */
export function browserLike() {
  const { fetch } = globalThis;
  const jar = new Map();
  return async (url, { credentials, ...options }) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = credentials === "include" && cookie ? { ...options.headers, cookie } : options.headers;
    const response = await fetch(url, { ...options, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
      if (/max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
}
