// The front end in Debian's Chromium and Firefox. A local stack for each set of settings uses free ports and keeps its tables in memory.

import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { defineConfig } from "@playwright/test";
import { CHROMIUM, HEADLESS_SHELL, ROOT, WRITING } from "./chromium.mjs";

/** The ports that are tried. Of those above, the system may give one to a connection before its server starts. */
const [FIRST_PORT, LAST_PORT] = [16000, 32000];
/** Fails if the port is taken. */
const LISTEN = 'require("net").createServer().listen(process.argv[1], "127.0.0.1", function () { this.close(); })';

const tried = new Set();

/** Whether a port is tried for the first time, and is free. */
function isFree(port) {
  if (tried.has(port)) return false;
  tried.add(port);
  return spawnSync(process.execPath, ["--eval", LISTEN, String(port)]).status === 0;
}

/** Ports are chosen once and passed to the processes that run the tests. */
function port(name) {
  while (!process.env[name]) {
    const chosen = randomInt(FIRST_PORT, LAST_PORT);
    if (isFree(chosen)) process.env[name] = String(chosen);
  }
  return process.env[name];
}

/** A stack with these settings. */
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

/** An empty page of another site than localhost, which can load the package `web/client` and nothing else. */
function elsewhere(name) {
  const PORT = port(`${name}_PORT`);
  process.env[`${name}_ORIGIN`] = `http://127.0.0.1:${PORT}`;
  return { command: `${process.execPath} other-site.mjs`, env: { PORT }, url: `http://127.0.0.1:${PORT}/` };
}

/** The launch options of Chromium. */
const chromium = (executablePath) => ({
  executablePath,
  // Playwright turns the back/forward cache off, but users have it.
  ignoreDefaultArgs: ["--disable-back-forward-cache"],
  env: { ...process.env, FONTCONFIG_FILE: `${ROOT}tests/web/pictures/fonts.conf` },
  args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

const pages = [elsewhere("LISTED"), elsewhere("UNLISTED")];
const CORS_ORIGINS = process.env.LISTED_ORIGIN;

const webServer = [
  ...pages,
  stack("SERVICE"),
  stack("COOKIE_NONE", { CORS_ORIGINS, SESSION_SAME_SITE: "none", COOKIE_SECURE: "true" }),
  stack("COOKIE_LAX", { CORS_ORIGINS }),
  stack("ALTCHA", { CAPTCHA_PROVIDER: "altcha", CAPTCHA_SECRET: "0123456789abcdef".repeat(2), CAPTCHA_REQUIRED: "true", CAPTCHA_COST: "50" }),
  stack("CAPTCHA", { CAPTCHA_PROVIDER: "turnstile", CAPTCHA_SITE_KEY: "site-key" }),
];

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.mjs",
  outputDir: `${ROOT}target/web-tests`,
  fullyParallel: true,
  forbidOnly: true,
  // A browser keeps about two processors busy.
  workers: Math.max(2, Math.floor(availableParallelism() / 2)),
  // Long timeouts cost nothing when all tests pass, and a busy machine must not fail a test.
  timeout: 120_000,
  expect: {
    timeout: 30_000,
    // With this threshold, a pixel counts as changed if its grey differs by about 13 of 256 steps or more. Antialiased
    // edges are ignored. The stored pictures are reduced to a palette, which alone changes up to ten pixels.
    toHaveScreenshot: { pathTemplate: `${ROOT}docs/screens/{arg}{ext}`, threshold: 0.05, maxDiffPixels: 50 },
  },
  updateSnapshots: WRITING ? "changed" : "none",
  reporter: "list",
  globalTeardown: "./chromium.mjs",
  webServer,
  // An action that waits too long fails by its name, before the time of the test is over.
  use: { baseURL: process.env.SERVICE_URL, locale: "es-ES", actionTimeout: 30_000, navigationTimeout: 30_000 },
  projects: [
    // Chromium's headless shell halves the time of the tests. Only the whole browser has a back/forward cache.
    { name: "chromium", use: { launchOptions: chromium(HEADLESS_SHELL) }, grepInvert: /@whole/ },
    { name: "whole-chromium", use: { launchOptions: chromium(CHROMIUM) }, grep: /@whole/ },
    {
      name: "firefox",
      // Debian's own Firefox, which Playwright drives with WebDriver BiDi, runs the tests with this tag.
      use: {
        browserName: "firefox",
        channel: "moz-firefox",
        launchOptions: { executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr" },
      },
      grep: /@firefox/,
    },
  ],
});
