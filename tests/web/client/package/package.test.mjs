// The package as published: its checkers, and a project with Vite, React and strict TypeScript that installs it. The
// built project is served on its own origin.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { chromium } from "@playwright/test";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { MESSAGES, createAccountClient } from "../../../../web/client/index.js";
import { guards } from "./routes.mjs";
import { PASSWORD, ROOT, browserLike, somebody, started } from "../stack.mjs";

const CLIENT = new URL("web/client/", ROOT).pathname;
const MODULES = new URL("tests/web/node_modules/", ROOT).pathname;
/** The examples that are files. */
const GUARDS = ["examples/react-router.tsx", "examples/next/proxy.ts", "examples/next/providers.tsx", "examples/next/protected.tsx"];
/** The address in the examples. */
const EXAMPLE = "https://api.example.com";

const folder = await mkdtemp(join(tmpdir(), "package-"));
after(() => rm(folder, { recursive: true }));
/** What the example of React says without a session. */
const SIGNED_OUT = "Entra en tu cuenta";
const readme = await readFile(join(CLIENT, "README.md"), "utf8");

/** Runs a program, and returns its output. An error contains the output too. */
async function run(program, args, cwd) {
  try {
    return (await promisify(execFile)(program, args, { cwd })).stdout;
  } catch (error) {
    throw new Error(`${program} ${args.join(" ")}\n${error.stdout}${error.stderr}`);
  }
}
/** The exported types. */
const TYPES = [
  "AccountClient", "AccountState", "AccountStore", "Activity", "ActivityKind", "Answer", "CallOptions", "Challenge", "ClientOptions", "Code", "CodeOf", "CommonCode", "Export", "Failure", "Field", "FieldOf", "GuardedOptions", "OnConfirm", "Passkey",
  "PasskeyLoginOptions", "Proof", "Result", "Session", "SessionChange", "Settings", "User",
];
const tool = (name, args, cwd) => run(join(MODULES, ".bin", name), args, cwd);

const [packed] = JSON.parse(await run("npm", ["pack", "--json", "--pack-destination", folder], CLIENT));
const tarball = join(folder, packed.filename);

const project = join(folder, "project");
/** Two origins that serve the built project. The service lists only the first. */
const [listed, unlisted] = [await served(), await served()];
// Started after the package is built, because a running stack keeps the process alive if the build fails.
/** The packages that an installation adds. */
const added = await install();
const baseUrl = await started({ CORS_ORIGINS: listed });
const manifest = JSON.parse(await readFile(join(CLIENT, "package.json"), "utf8"));

test("the package has its modules, their types, the README and the licence, and nothing else", async () => {
  const modules = (await readdir(CLIENT)).filter((name) => name.endsWith(".js"));
  const types = [...modules.filter((name) => name !== "react-native.js").map((name) => name.replace(".js", ".d.ts")), "types.d.ts", "internals.d.ts"].map((name) => `types/${name}`);
  const expected = [...modules, ...types, "README.md", "LICENSE", "package.json"];
  assert.deepEqual(packed.files.map(({ path }) => path).sort(), expected.sort());
});

test("the package has the version and the licence of the workspace, and needs Node 20", async () => {
  const workspace = await readFile(new URL("Cargo.toml", ROOT), "utf8");
  const value = (key) => workspace.match(new RegExp(`^${key} = "(.+)"`, "m"))[1];
  assert.deepEqual([manifest.version, manifest.license, manifest.engines.node], [value("version"), value("license"), ">=20"]);
  assert.ok(readme.includes(packed.filename), "the README installs this version");
});

test("the installation adds no other package, not even React", () => assert.deepEqual(added, [manifest.name]));

test("the package exports its functions and public types, and nothing of its own modules", async () => {
  const exported = async (entry) => Object.keys(await import(pathToFileURL(join(project, "node_modules", manifest.name, manifest.exports[entry].default)))).sort();
  assert.deepEqual(Object.keys(manifest.exports), [".", "./eager", "./react", "./server", "./package.json"]);
  assert.deepEqual(await exported("."), ["AVATARS", "MESSAGES", "avatarUrl", "createAccountClient", "createAccountStore", "solveChallenge"]);
  assert.deepEqual(await exported("./eager"), ["MESSAGES", "createAccountClient"]);
  assert.deepEqual(await exported("./react"), ["AccountProvider", "useAccount"]);
  assert.deepEqual(await exported("./server"), ["RequestRefused", "requireUser"]);
  const types = async (name) => [...(await readFile(join(project, "node_modules", manifest.name, "types", name), "utf8")).matchAll(/^export (?:declare )?(?:type|interface) (\w+)/gm)].map(([, type]) => type);
  assert.deepEqual((await types("types.d.ts")).sort(), TYPES);
  for (const name of ["eager.d.ts", "react.d.ts"]) assert.deepEqual(await types(name), [], name);
});

test("React Native gets an error that says that it is not supported", async () => {
  for (const entry of [manifest.name, `${manifest.name}/eager`, `${manifest.name}/react`]) {
    await assert.rejects(run(process.execPath, ["--conditions=react-native", "--input-type=module", "--eval", `import "${entry}";`], project), /does not support React Native: /);
  }
  assert.equal(manifest["react-native"], manifest.exports["."]["react-native"], "a bundler that ignores the exports reads this field");
});

test("whoever packs the package without the tests' packages gets the same TypeScript", async () => {
  const { devDependencies } = JSON.parse(await readFile(new URL("tests/web/package.json", ROOT), "utf8"));
  assert.ok(manifest.scripts.prepack.includes(`typescript@${devDependencies.typescript} `));
});

test("publint finds no fault in the package", () => tool("publint", ["run", "--strict", tarball]));

test("the types are right for every way to import an ES module", () => tool("attw", ["--profile", "esm-only", "--no-definitely-typed", tarball]));

test("the README explains every code", () => {
  const [, table] = readme.split("| Code | When |");
  const explained = table.split("\n\n")[0].split("\n").flatMap((row) => [...row.split("|")[1]?.matchAll(/`([a-z-]+)`/g) ?? []].map(([, code]) => code));
  assert.deepEqual(explained.sort(), Object.keys(MESSAGES).sort());
});

test("the examples of the README compile and work in a project that has the package", async (context) => {
  const examples = [...readme.matchAll(/```tsx?\n\/\/ (\S+)\n(.*?)```/gs)];
  assert.deepEqual(examples.map(([, name]) => name), ["plain.ts", "account.ts", "react.tsx", "vue.ts", "svelte.ts", "server.ts", "api.ts", "confirm.ts", "guard.ts"]);
  const files = await Promise.all(GUARDS.map(async (name) => [, name, await readFile(join(CLIENT, name), "utf8")]));
  await mkdir(join(project, "src/examples/next"), { recursive: true });
  for (const [, name, text] of [...examples, ...files]) await writeFile(join(project, "src", name), text.replaceAll(EXAMPLE, baseUrl));
  await tool("tsc", ["--project", "."], project);
  await tool("vite", ["build", "--logLevel", "warn"], project);
  const compiled = (name) => import(pathToFileURL(join(project, "compiled", name)));
  // The pages that are served are rendered before, as on a server.
  const page = join(project, "dist/index.html");
  const { Whole } = await compiled("main.js");
  await writeFile(page, (await readFile(page, "utf8")).replace('<div id="root">', `$&${renderToString(createElement(Whole))}`));

  await context.test("a project without the types of browsers compiles, and sees no type of the package's own modules", async () => {
    await writeFile(join(project, "server.mts"), `import { createAccountClient, type AccountClient } from "account-session-client";
export const client: AccountClient = createAccountClient({ baseUrl: "https://api.example.com" });`);
    await tool("tsc", ["--ignoreConfig", "--noEmit", "--strict", "--lib", "ES2023", "--types", "node", "--module", "nodenext", "--target", "ES2023", "server.mts"], project);
    const types = await readFile(join(project, "node_modules", manifest.name, "types/types.d.ts"), "utf8");
    assert.doesNotMatch(types, /\b(Internals|AnsweredUser|BodyInit|Connection|Tabs|Later)\b/);
  });

  const network = globalThis.fetch;
  globalThis.fetch = browserLike();
  context.after(() => { globalThis.fetch = network; });
  const person = somebody();
  assert.deepEqual(await createAccountClient({ baseUrl }).register(person), { ok: true });

  await context.test("plain", async () => {
    const { signIn } = await compiled("plain.js");
    assert.equal(await signIn(person.email, "Otra12345"), "¿Has olvidado tu contraseña?");
    assert.equal(await signIn("ana", PASSWORD), MESSAGES["invalid-email"]);
    assert.equal(await signIn(person.email, PASSWORD), `Hola, ${person.name}`);
  });

  await context.test("a composable of Vue and a store of Svelte", async () => {
    const { account } = await compiled("account.js");
    const { session } = await compiled("svelte.js");
    const { useAccount } = await compiled("vue.js");
    const { effectScope } = await import("vue");
    const told = [];
    const unsubscribe = session.subscribe((state) => told.push(state.status));
    const scope = effectScope();
    const state = scope.run(() => useAccount());
    assert.equal(state.value.status, "loading");
    await until(() => state.value.user?.email === person.email && told.at(-1) === "signed-in");
    assert.deepEqual(await account.logout(), { ok: true });
    await until(() => state.value.status === "signed-out" && told.at(-1) === "signed-out");
    assert.deepEqual(told, ["loading", "signed-in", "signed-out"]);
    scope.stop();
    unsubscribe();
    assert.equal((await account.login(person)).ok, true);
    assert.equal(state.value.status, "signed-out", "the scope has ended");
  });

  await guards(context, compiled, person, (name) => import(createRequire(join(project, "index.js")).resolve(name)));

  await context.test("a hook of React, on another origin than the service's", async (part) => {
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    context.after(() => browser.close());
    const tabs = await browser.newContext();
    const complaints = [];
    tabs.on("weberror", (error) => complaints.push(error.error()));
    const signIn = async (origin) => {
      const page = await tabs.newPage();
      await page.goto(origin);
      await page.getByText(SIGNED_OUT).or(page.getByText(MESSAGES.misconfigured)).waitFor();
      await page.getByLabel("Email").fill(person.email);
      await page.getByLabel("Contraseña").fill(PASSWORD);
      await page.getByRole("button", { name: "Entrar" }).click();
      return page;
    };
    await part.test("that the service does not list, nobody can log in", async () => {
      const page = await signIn(unlisted);
      await page.getByRole("alert").getByText(MESSAGES.misconfigured).waitFor();
      assert.deepEqual(await tabs.cookies(), []);
    });
    await part.test("that the service lists, a user logs in, and every tab shows it, also after a reload", async () => {
      const other = await tabs.newPage();
      await other.goto(listed);
      await other.getByText(SIGNED_OUT).waitFor();
      const page = await signIn(listed);
      for (const each of [page, other]) await each.getByText(`Hola, ${person.name}`).waitFor();
      await other.reload();
      await other.getByText(`Hola, ${person.name}`).waitFor();
      assert.notEqual(new URL(page.url()).origin, baseUrl);
      const [{ name, httpOnly }] = await tabs.cookies(baseUrl);
      assert.deepEqual([name, httpOnly], ["session", true]);
    });
    await part.test("React takes over the page that a server has rendered, without a complaint", async () => {
      const page = await tabs.newPage();
      const html = await (await page.goto(listed)).text();
      assert.match(html, /<div id="root"><p>Cargando…<\/p><form>/);
      await page.getByText(`Hola, ${person.name}`).waitFor();
      assert.deepEqual(complaints, []);
    });
  });

  await context.test("a server", async () => {
    globalThis.fetch = network;
    const { server } = await compiled("server.js");
    await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
    context.after(() => server.close());
    const address = `http://127.0.0.1:${server.address().port}`;
    const signIn = await fetch(`${baseUrl}/app/auth/sendLogin.php`, {
      method: "POST", headers: { "X-Requested-With": "XMLHttpRequest" }, body: new URLSearchParams({ email: person.email, password: PASSWORD }),
    });
    const headers = { cookie: signIn.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ") };
    const asked = async (path, options) => fetch(address + path, options);
    assert.equal(await (await asked("/", { headers })).text(), `Hola, ${person.name}`);
    assert.equal((await asked("/")).status, 401);
    const { api } = await compiled("api.js");
    await new Promise((resolve) => { api.listen(0, "127.0.0.1", resolve); });
    context.after(() => api.close());
    const movements = (options) => fetch(`http://127.0.0.1:${api.address().port}`, options);
    assert.match(await (await movements({ headers })).text(), /^Movimientos de \d+$/);
    assert.equal((await movements({ method: "POST", headers })).status, 403);
    const left = await asked("/logout", { headers });
    assert.equal(await left.text(), "Adiós");
    assert.match(left.headers.getSetCookie().join(), /^session=;.*Max-Age=0/i);
    assert.equal((await asked("/", { headers })).status, 401);
  });
});

/** Installs the package in the project, and then the packages of the examples. */
async function install() {
  await cp(new URL("project", import.meta.url), project, { recursive: true });
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], project);
  const added = (await readdir(join(project, "node_modules"))).filter((name) => !name.startsWith("."));
  for (const name of ["@types", "react", "react-dom", "react-router", "svelte", "vue"]) await symlink(join(MODULES, name), join(project, "node_modules", name));
  await symlink(new URL("next", import.meta.url).pathname, join(project, "node_modules", "next"));
  return added;
}

/** Serves the built project on a free port, and returns its origin. */
async function served() {
  const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript" };
  const server = createServer(async ({ url }, response) => {
    const path = join(project, "dist", url === "/" ? "index.html" : url);
    const content = await readFile(path).catch(() => undefined);
    response.writeHead(content ? 200 : 404, { "Content-Type": types[extname(path)] ?? "text/plain" }).end(content);
  });
  await new Promise((resolve) => { server.listen(0, "localhost", resolve); });
  after(() => { server.close(); server.closeAllConnections(); });
  return `http://localhost:${server.address().port}`;
}

/** Waits for a condition. */
async function until(condition) {
  for (let turn = 0; !condition(); turn += 1) {
    assert.ok(turn < 2_000, "the condition has not come about");
    await new Promise((resolve) => { setTimeout(resolve, 5); });
  }
}
