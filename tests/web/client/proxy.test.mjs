// The proxy of Vite's server that docs/front-end.md shows, in front of a local stack, with a page in Chromium.

import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { chromium } from "@playwright/test";
import { createServer as vite } from "vite";
import { ROOT, started } from "./stack.mjs";

/** A free port. */
const port = await new Promise((resolve) => {
  const server = createServer().listen(0, "localhost", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});
const origin = `http://localhost:${port}`;
const baseUrl = await started({ FRONT_END_URL: origin });

const folder = await mkdtemp(join(tmpdir(), "proxy-"));
const [, config] = (await readFile(new URL("docs/front-end.md", ROOT), "utf8")).match(/```js\n(\/\/ vite\.config\.js\n.*?)```/s);
await writeFile(join(folder, "vite.config.mjs"), config.replace("http://localhost:3000", baseUrl));
await cp(new URL("web/client", ROOT), join(folder, "client"), { recursive: true });
await writeFile(join(folder, "index.html"), `<!doctype html>
<html lang="es"><title>Page</title><div id="google"></div><p></p>
<script src="/_local/google/client.js"></script><script type="module" src="/main.js"></script></html>`);
await writeFile(join(folder, "main.js"), `import { createAccountClient } from "./client/index.js";
globalThis.account = createAccountClient();
google.accounts.id.initialize({ callback: async ({ credential }) => {
  const result = await account.googleLogin(credential);
  document.querySelector("p").textContent = result.ok ? "Hola, " + result.user.name : result.message;
} });
google.accounts.id.renderButton(document.querySelector("#google"), { text: "signin_with" });`);
const server = await vite({ root: folder, configFile: join(folder, "vite.config.mjs"), logLevel: "error", server: { host: "localhost", port, strictPort: true } });
await server.listen();
after(async () => { await server.close(); await rm(folder, { recursive: true }); });

test("a page on Vite's server signs in with the stand-in of Google's button, creates a passkey and signs in with it", async (context) => {
  const browser = await chromium.launch({ executablePath: process.env.HEADLESS_SHELL ?? "/usr/bin/chromium-headless-shell", args: ["--no-sandbox"] });
  context.after(() => browser.close());
  const page = await browser.newPage();
  const device = await page.context().newCDPSession(page);
  await device.send("WebAuthn.enable");
  const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  await device.send("WebAuthn.addVirtualAuthenticator", { options });
  await page.goto(origin);

  const [chooser] = await Promise.all([page.waitForEvent("popup"), page.getByRole("button", { name: "Iniciar sesión con Google" }).click()]);
  assert.equal(new URL(chooser.url()).origin, origin);
  await chooser.getByRole("button", { name: "ana@example.com" }).click();
  await page.getByText("Hola, Ana García").waitFor();

  const calls = await page.evaluate(async () => [
    await account.createPasskey("Móvil"), await account.logout(), (await account.session()).code, await account.passkeyLogin(),
  ]);
  const { user, ...last } = calls.pop();
  assert.deepEqual([...calls, last, user.email], [{ ok: true }, { ok: true }, "no-session", { ok: true }, "ana@example.com"]);
});
