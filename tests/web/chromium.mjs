// The version of Chromium that the stored pictures are of. Another version draws text differently in places, so its pictures
// are not compared: the tests take them, and this file says so when all tests have run.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

export const ROOT = new URL("../..", import.meta.url).pathname;

/** Debian's Chromium, and its headless shell, which takes the pictures. */
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const HEADLESS_SHELL = process.env.HEADLESS_SHELL ?? "/usr/bin/chromium-headless-shell";

/** The first part of the version. The processes that run the tests do not ask again. */
process.env.CHROMIUM_MAJOR ??= execFileSync(HEADLESS_SHELL, ["--version"], { stdio: ["ignore", "pipe", "ignore"] }).toString().match(/\d+/)[0];
const INSTALLED = process.env.CHROMIUM_MAJOR;

/** The first part of the version that the pictures are of, beside the pictures. */
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
