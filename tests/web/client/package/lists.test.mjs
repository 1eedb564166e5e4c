// What a front end needs beside the calls: the list of the avatars, and the solver of the service's own captcha.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";
import { AVATARS, avatarUrl, createAccountClient, solveChallenge } from "../../../../web/client/main.js";
import { PASSWORD, ROOT, browserLike, somebody, started } from "../stack.mjs";

const COST = "50";
const baseUrl = await started({ CAPTCHA_PROVIDER: "altcha", CAPTCHA_SECRET: "0123456789abcdef".repeat(2), CAPTCHA_REQUIRED: "true", CAPTCHA_COST: COST });
const account = createAccountClient({ baseUrl, fetch: browserLike() });
const person = somebody();
await account.register(person);
const { challenge } = await account.captchaChallenge();

test("the exported avatars are those that the service knows and the front end has", async () => {
  const source = await readFile(new URL("shared/src/account/avatar.rs", ROOT), "utf8");
  const [, names] = source.match(/const NAMES: \[&str; \d+\] = \[([^\]]+)\];/);
  assert.deepEqual([...AVATARS], names.match(/\w+/g));
  const files = await readdir(new URL("web/assets/avatars", ROOT));
  assert.deepEqual([...AVATARS].sort(), files.map((name) => name.replace(".jpeg", "")).sort());
});

test("a login with the solution of a challenge succeeds, and one without is refused", async () => {
  const { email } = person;
  assert.equal((await account.login({ email, password: PASSWORD })).code, "invalid-captcha");
  const captcha = await solveChallenge(challenge);
  const { ok, user } = await account.login({ email, password: PASSWORD, captcha });
  assert.ok(ok);
  for (const name of AVATARS) {
    assert.deepEqual(await account.changeSettings({ avatar: avatarUrl(user, name) }), { ok: true });
    assert.equal((await account.session()).user.avatarUrl, avatarUrl(user, name));
  }
});

test("a solver that is cancelled stops with the signal's reason", async () => {
  const endless = { ...challenge, parameters: { ...challenge.parameters, keyPrefix: "x" } };
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("left")), 20);
  await assert.rejects(solveChallenge(endless, { signal: controller.signal }), { message: "left" });
});
