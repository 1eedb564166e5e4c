// The front end in Debian's Chromium and Firefox with separate local stacks, which use free ports and keep their tables in memory.

import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { defineConfig } from "@playwright/test";
import { CHROMIUM, HEADLESS_SHELL, ROOT, WRITING } from "./chromium.mjs";

/** Prints a free port. */
const FREE_PORT =
  'const server = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); })';

const taken = new Set();

/** Ports are chosen once and passed to the processes that run the tests. */
function port(name) {
  while (!process.env[name]) {
    const free = execFileSync(process.execPath, ["--eval", FREE_PORT]).toString().trim();
    if (!taken.has(free)) process.env[name] = free;
    taken.add(free);
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

/** A page of a site other than localhost. It has only the client. */
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
  stack("CROSS_SITE", { CORS_ORIGINS, SESSION_SAME_SITE: "none", COOKIE_SECURE: "true" }),
  stack("SAME_SITE", { CORS_ORIGINS }),
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
    // A pixel differs if its colour has changed by about 13 steps of 256 in grey. The palettes of the stored pictures make no more
    // than ten pixels differ, and smoothed edges do not count.
    toHaveScreenshot: { pathTemplate: `${ROOT}docs/screens/{arg}{ext}`, threshold: 0.05, maxDiffPixels: 50 },
  },
  updateSnapshots: WRITING ? "changed" : "none",
  // For tests that hang: see hangs.mjs.
  retries: 1,
  reporter: [["list"], ["./hangs.mjs"]],
  globalTeardown: "./chromium.mjs",
  webServer,
  use: { baseURL: process.env.SERVICE_URL, locale: "es-ES" },
  projects: [
    // Chromium's headless shell halves the time of the tests. Only the whole browser has a back/forward cache.
    { name: "chromium", use: { launchOptions: chromium(HEADLESS_SHELL) }, grepInvert: /@whole/ },
    { name: "whole-chromium", use: { launchOptions: chromium(CHROMIUM) }, grep: /@whole/ },
    {
      name: "firefox",
      // Playwright drives Debian's own Firefox with WebDriver BiDi. It runs the tests with the tag.
      use: {
        browserName: "firefox",
        channel: "moz-firefox",
        launchOptions: { executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr" },
      },
      grep: /@firefox/,
    },
  ],
});
