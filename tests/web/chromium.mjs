// The version of Chromium that took the stored pictures. Other versions draw some text differently, so their pictures
// are taken but not compared, which this file reports after all tests.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

export const ROOT = new URL("../..", import.meta.url).pathname;

/** Debian's Chromium, and its headless shell, which takes the pictures. */
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const HEADLESS_SHELL = process.env.HEADLESS_SHELL ?? "/usr/bin/chromium-headless-shell";

/** The major version. The processes that run the tests inherit it. */
process.env.CHROMIUM_MAJOR ??= execFileSync(HEADLESS_SHELL, ["--version"], { stdio: ["ignore", "pipe", "ignore"] }).toString().match(/\d+/)[0];
const INSTALLED = process.env.CHROMIUM_MAJOR;

/** The major version that took the pictures. It is stored beside them. */
const RECORD = `${ROOT}docs/screens/chromium.txt`;
const RECORDED = readFileSync(RECORD, "utf8").trim();

/** Whether pictures that have changed are accepted. */
export const WRITING = process.env.SCREENSHOTS === "write";

/** Whether the pictures are compared. */
export const COMPARED = WRITING || INSTALLED === RECORDED;

/** The folder of the pictures that are not compared. */
export const TAKEN = `${ROOT}target/web-tests/screens/`;

/** Playwright calls this after all tests. */
export default function after() {
  if (WRITING) writeFileSync(RECORD, `${INSTALLED}\n`);
  if (COMPARED) return;
  console.log(`The pictures in docs/screens are of Chromium ${RECORDED}. This is Chromium ${INSTALLED}, so its pictures were not compared but written to target/web-tests/screens; "make screenshots" accepts new ones.`);
}
