// `make lighthouse`: writes Lighthouse's scores and the weight of every page to docs/lighthouse.md. Fails if
// accessibility or best practices are below 100.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

const ROOT = new URL("../../..", import.meta.url).pathname;
const PAGES = ["/", "/login", "/registro", "/recuperar", "/restablecer?token=x", "/perfil", "/eliminar-cuenta", "/terminos"];
const CATEGORIES = ["accessibility", "best-practices", "performance"];
/** The categories whose score must be 100. */
const HELD = ["accessibility", "best-practices"];
const PERSON = { email: "ana@example.com", password: "Secreto123" };

/** Starts a stack and gives its URL as soon as it answers. */
async function started() {
  const environment = { ...process.env, PORT: "0", DYNAMODB_PORT: "0", LOCAL_DATA: "memory" };
  const stack = spawn(`${ROOT}target/debug/local`, { env: environment, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve) => {
    let said = "";
    // The output is read to its end, because a full pipe would block the stack.
    stack.stdout.on("data", (text) => {
      said += text;
      if (said.includes("Ctrl-C")) resolve(said.match(/^Service\s+(\S+)/m)[1]);
    });
  });
  return { stack, address };
}

/** The session cookie of a new user. */
async function cookie(address) {
  const post = (path, form) => fetch(`${address}/app/auth/${path}.php`, {
    method: "POST",
    headers: { "X-Requested-With": "XMLHttpRequest" },
    body: new URLSearchParams(form),
  });
  await post("sendRegister", { ...PERSON, nombre: "Ana García", "confirm-password": PERSON.password, terms: "on" });
  const answer = await post("sendLogin", PERSON);
  return answer.headers.getSetCookie()[0].split(";")[0];
}

const { stack, address } = await started();
const browser = await launch({
  chromePath: process.env.CHROMIUM,
  chromeFlags: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
});
const rows = [];
let good = true;
try {
  const session = await cookie(address);
  for (const page of PAGES) {
    const asked = { port: browser.port, onlyCategories: CATEGORIES, extraHeaders: { Cookie: session }, logLevel: "error" };
    const { lhr } = await lighthouse(`${address}${page}`, asked);
    const scores = CATEGORIES.map((category) => Math.round(lhr.categories[category].score * 100));
    const bytes = lhr.audits["total-byte-weight"].numericValue;
    const lost = CATEGORIES.flatMap((category) => lhr.categories[category].auditRefs)
      .filter(({ id, weight }) => weight > 0 && lhr.audits[id].score !== null && lhr.audits[id].score < 0.9).map(({ id }) => id);
    good &&= HELD.every((category) => lhr.categories[category].score === 1);
    rows.push(`| \`${page}\` | ${scores.join(" | ")} | ${(bytes / 1000).toFixed(1)} |`);
    console.log(rows.at(-1), lost.join(" "));
  }
} finally {
  await browser.kill();
  stack.kill("SIGINT");
  await once(stack, "exit");
}
await writeFile(`${ROOT}docs/lighthouse.md`, `# Lighthouse

Made by \`make lighthouse\` (Lighthouse 12.8.2 with its emulated phone) on ${new Date().toISOString().slice(0, 10)}, on the local stack, which does not compress answers. The last column is what a first visit transfers, including the avatars.

| Page | Accessibility | Best practices | Performance | kB |
|---|---:|---:|---:|---:|
${rows.join("\n")}
`);
if (!good) {
  console.error("accessibility or best practices are below 100");
  process.exitCode = 1;
}
