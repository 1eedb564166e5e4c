// The front end in Debian's Chromium, against a local stack of its own on free ports, with its tables in memory.

import { execFileSync } from "node:child_process";
import { defineConfig } from "@playwright/test";

const ROOT = new URL("../..", import.meta.url).pathname;

/** Says a port that is free. */
const FREE_PORT =
  'const server = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); })';

/** Ports are chosen once, and handed on to the processes that run the tests. */
function port(name) {
  process.env[name] ??= execFileSync(process.execPath, ["--eval", FREE_PORT]).toString().trim();
  return process.env[name];
}

/** A stack with settings of its own. */
function stack(name, settings = {}) {
  const [PORT, DYNAMODB_PORT] = [port(`${name}_PORT`), port(`${name}_DYNAMODB_PORT`)];
  process.env[`${name}_URL`] = `http://localhost:${PORT}`;
  return {
    command: `${ROOT}target/debug/local`,
    env: { PORT, DYNAMODB_PORT, LOCAL_DATA: "memory", ...settings },
    url: `http://127.0.0.1:${PORT}/_local/openapi.json`,
    stdout: "ignore",
  };
}

/** A page of another site than localhost's, with the client alone. */
function elsewhere(name) {
  const PORT = port(`${name}_PORT`);
  process.env[`${name}_ORIGIN`] = `http://127.0.0.1:${PORT}`;
  return { command: `${process.execPath} other-site.mjs`, env: { PORT }, url: `http://127.0.0.1:${PORT}/` };
}

const pages = [elsewhere("LISTED"), elsewhere("UNLISTED")];
const CORS_ORIGINS = process.env.LISTED_ORIGIN;

const webServer = [
  ...pages,
  stack("SERVICE"),
  stack("CROSS_SITE", { CORS_ORIGINS, SESSION_SAME_SITE: "none", COOKIE_SECURE: "true" }),
  stack("SAME_SITE", { CORS_ORIGINS }),
  stack("CAPTCHA", { CAPTCHA_PROVIDER: "turnstile", CAPTCHA_SITE_KEY: "site-key" }),
];

export default defineConfig({
  testDir: ".",
  // They write into docs/, and claim nothing.
  testIgnore: process.env.SCREENSHOTS === "write" ? [] : ["screenshots.spec.mjs"],
  outputDir: `${ROOT}target/web-tests`,
  fullyParallel: true,
  forbidOnly: true,
  workers: 2,
  // Patience costs nothing where all is well, and a busy machine is no fault of the pages.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: "list",
  webServer,
  use: {
    baseURL: process.env.SERVICE_URL,
    locale: "es-ES",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    },
  },
});
