// The API page of the local stack: a section for each endpoint of the OpenAPI document, with its command and its form.

import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { promisify } from "node:util";
import { expect, session, somebody, test } from "../support.mjs";

const run = promisify(execFile);

/** The section of an endpoint. */
const section = (page, path) => page.getByRole("article", { name: path, exact: true });

/** Opens the page. */
async function open(page) {
  await page.goto("/_local/api");
  await expect(page.getByRole("heading", { level: 1, name: "API" })).toBeVisible();
}

test("every endpoint of the document has a section with its fields, its answers, a command and a call of the client", async ({ page }) => {
  await page.goto("/_local/");
  await page.getByRole("link", { name: "API page" }).click();
  const { paths } = await (await page.request.get("/_local/openapi.json")).json();
  await expect(page.getByRole("article").getByRole("heading", { level: 2 })).toHaveText(Object.keys(paths));
  const sections = await page.getByRole("article").evaluateAll((all) => all.map((one) => ({
    text: one.textContent, names: [...one.querySelectorAll("th[scope=row]")].map((name) => name.textContent),
  })));
  for (const [index, { post }] of Object.values(paths).entries()) {
    const { text, names } = sections[index];
    const [body] = Object.values(post.requestBody?.content ?? {});
    expect(names).toEqual(expect.arrayContaining([...Object.keys(body?.schema.properties ?? {}), ...Object.keys(post.responses)]));
    expect(text).toContain(post.summary);
    expect(text).toContain("curl ");
    for (const { source } of post["x-codeSamples"] ?? []) expect(text).toContain(`const result = await ${source};`);
  }
  await page.getByRole("link", { name: "/app/auth/sendLogin.php" }).click();
  await expect(section(page, "/app/auth/sendLogin.php").getByRole("heading", { level: 2 })).toBeInViewport();
});

test("the command of every section reaches its endpoint as it is shown", async ({ page }, { outputDir }) => {
  await open(page);
  mkdirSync(outputDir, { recursive: true });
  for (const command of await page.locator("article pre").filter({ hasText: /^curl / }).allTextContents()) {
    const { stdout } = await run("bash", ["-c", `${command} -s -o /dev/null -w '%{http_code}'`], { cwd: outputDir });
    // 400 and 401 are answers to the invented values of the examples. Other statuses mean that the request itself is
    // wrong.
    expect(["200", "400", "401"], command).toContain(stdout);
  }
});

test("a command and a call of the client can be copied", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page);
  const here = section(page, "/app/auth/logout.php");
  await here.getByRole("button", { name: "Copy client" }).click();
  await expect(here.getByRole("button", { name: "Copied client" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("const result = await account.logout();");
  await here.getByRole("button", { name: "Copy command" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^curl .*\/app\/auth\/logout\.php/);
});

test("the forms, opened and sent with Enter, register a user, sign in and save an entry, and show the answers", async ({ page }) => {
  const { email } = somebody();
  await open(page);
  /** Opens a form, changes fields and sends it. */
  const send = async (path, fields) => {
    const here = section(page, path);
    await here.getByText("Try it").press("Enter");
    for (const [name, value] of Object.entries(fields)) await here.getByLabel(name, { exact: true }).fill(value);
    await here.getByRole("button", { name: "Send" }).press("Enter");
    await expect(here.getByRole("status")).toHaveText(/^\d+ /);
    const [headers, json] = (await here.locator(".answer").textContent()).split("\n\n");
    return [await here.getByRole("status").textContent(), headers, JSON.parse(json)];
  };
  const [refused] = await send("/app/auth/session.php", {});
  expect(refused).toBe("401 Unauthorized");
  const [created, headers, registered] = await send("/app/auth/sendRegister.php", { email });
  expect([created, registered]).toEqual(["200 OK", { success: true, message: "Usuario registrado correctamente" }]);
  expect(headers).toContain("content-type: application/json; charset=utf-8");
  expect((await send("/app/auth/sendLogin.php", { email }))[2]).toMatchObject({ success: true, user: { email } });
  expect(await session(page)).toMatchObject({ email, accept_news: 1 });
  expect((await send("/receive-data.php", { JSON: '[{"importe":3}]' }))[2]).toEqual({ success: true, message: "Data saved successfully" });
  const [, , { entries }] = await send("/app/auth/exportAccount.php", {});
  expect(entries.map(({ body }) => JSON.parse(body))).toEqual([{ importe: 3 }]);
});

test("a form of the API page says so when the service is not reached", async ({ page }) => {
  await open(page);
  await page.route("**/app/auth/session.php", (route) => route.abort());
  const here = section(page, "/app/auth/session.php");
  await here.getByText("Try it").click();
  await here.getByRole("button", { name: "Send" }).click();
  await expect(here.getByRole("status")).toHaveText("The service was not reached");
});
