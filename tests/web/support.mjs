// Shared parts of the tests: users, repeated steps, and a page that fails the test on script errors and policy
// violations.

import { readdirSync } from "node:fs";
import { test as base, expect } from "@playwright/test";
import axe from "axe-core";

export { MESSAGES } from "../../web/client/index.js";
export { expect };

/** A token of the right form, which belongs to nobody. */
export const TOKEN = tokenUntil(4_000_000_000);

/** As `TOKEN`, with this expiry time in seconds since 1970. */
export function tokenUntil(seconds) {
  const secret = Buffer.alloc(37);
  secret.writeUIntBE(seconds, 0, 5);
  return `${"A".repeat(22)}.${secret.toString("base64url")}`;
}

/** The pages with their main headings. */
export const PAGES = {
  "/": /^Hola, /,
  "/login": "Iniciar sesión",
  "/registro": "Crear cuenta",
  "/recuperar": "Recuperar contraseña",
  [`/restablecer?token=${TOKEN}`]: "Restablecer contraseña",
  [`/verificar?token=${TOKEN}`]: "Verifica tu email",
  [`/confirmar-email?token=${TOKEN}`]: "Confirma tu email nuevo",
  [`/no-fui-yo?token=${TOKEN}`]: "Protege tu cuenta",
  "/perfil": "Perfil",
  "/seguridad": "Seguridad",
  "/llaves": "Llaves de acceso",
  "/sesiones": "Sesiones abiertas",
  "/eliminar-cuenta": "Eliminar cuenta",
  "/ayuda": "Ayuda",
  "/terminos": "Términos y condiciones",
  "/privacidad": "Política de privacidad",
  "/accesibilidad": "Accesibilidad",
  "/no-existe": "Página no encontrada",
};

/** The pages for signed-in users. */
export const PROTECTED = ["/", "/perfil", "/seguridad", "/llaves", "/sesiones", "/eliminar-cuenta"];

const SAMPLES = new URL("../../target/letters/", import.meta.url);

/** The names of the letters. */
export const LETTERS = readdirSync(SAMPLES).filter((name) => name.endsWith(".html")).map((name) => name.replace(".html", ""));

/** The address of a letter's sample. */
export const letter = (name) => new URL(`${name}.html`, SAMPLES).href;

export const PASSWORD = "Secreto123";

/** The headers of every call to the service. */
export const HEADER = { "X-Requested-With": "XMLHttpRequest" };

/** The user in all pictures. */
export const ANA = { name: "Ana García", email: "ana@example.com", password: PASSWORD };

let people = 0;

/** A new user. */
export function somebody() {
  people += 1;
  return { name: "Ana García", email: `ana.${process.pid}.${Date.now()}.${people}@example.com`, password: PASSWORD };
}

/** A page that fails the test if a script fails, the policy is violated, or another host is called. */
export const test = base.extend({
  /** Other hosts that a test allows. */
  elsewhere: [[], { option: true }],
  page: async ({ page, elsewhere }, use) => {
    const broken = [];
    watch(page, broken, elsewhere);
    page.context().on("page", (other) => watch(other, broken, elsewhere));
    await use(page);
    // What a page still asks for at the end of its test has no answer to change any more.
    for (const context of page.context().browser().contexts()) {
      for (const routed of [context, ...context.pages()]) await routed.unrouteAll({ behavior: "ignoreErrors" });
    }
    expect(broken).toEqual([]);
  },
});

function watch(page, broken, elsewhere) {
  page.on("pageerror", (error) => broken.push(`${error}`));
  page.on("console", (message) => {
    if (/Content.Security.Policy/i.test(message.text())) broken.push(message.text());
  });
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && hostname !== "localhost" && !elsewhere.includes(hostname)) broken.push(request.url());
  });
}

/** Creates the account directly with the service, for tests that are not about the registration page. */
export async function account(request, person = somebody()) {
  const form = { nombre: person.name, email: person.email, password: person.password, "confirm-password": person.password, terms: "on" };
  const answer = await request.post("/app/auth/sendRegister.php", { form, headers: HEADER });
  expect(await answer.json()).toMatchObject({ success: true });
  return person;
}

/** Opens a session in the browser's own cookie jar. */
export async function signedIn(page, person) {
  const someone = person ?? (await account(page.request));
  const form = { email: someone.email, password: someone.password };
  const answer = await page.request.post("/app/auth/sendLogin.php", { form, headers: HEADER });
  expect(await answer.json()).toMatchObject({ success: true });
  return someone;
}

/** Signs in a new user with an avatar and the newsletter, whom the page shows as Ana. */
export async function ana(page) {
  await signedIn(page, await account(page.request));
  await page.route("**/app/auth/session.php", async (route) => {
    const response = await route.fetch();
    const { user, ...rest } = await response.json();
    const url_image = user.url_image.replace(/[^/]+$/, "03.jpeg");
    await route.fulfill({ response, json: { ...rest, user: { ...user, email: ANA.email, url_image, accept_news: 1 } } });
  });
  const activity = [{ at: "2026-01-14T20:30:00Z", kind: "login", method: "password", browser: "Firefox en Windows", count: 1 }];
  await page.route("**/app/auth/activity.php", (route) => route.fulfill({ json: { success: true, activity } }));
}

/** Takes the session from the browser, after the page is left: what a page still asks for without a session leads it to the login. */
export async function withoutSession(page) {
  await page.goto("/.well-known/security.txt");
  await page.context().clearCookies();
}

/** The faults that axe finds: the rule, and the HTML of each place. It does not check frames, because they may not run scripts. */
export async function faults(page) {
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run({ iframes: false, resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
  });
}

/** The service's answer about the current session. */
export async function session(page) {
  const answer = await page.request.post("/app/auth/session.php", { headers: HEADER });
  return (await answer.json()).user;
}

/**
 * Holds the next call of this kind. `seen` waits for the call. `release` lets it continue, also if the call
 * comes only afterwards.
 */
export async function held(context, path) {
  let [reach, release] = [];
  const reached = new Promise((resolve) => { reach = resolve; });
  const released = new Promise((resolve) => { release = resolve; });
  await context.route(`**/app/auth/${path}`, async (route) => {
    reach();
    await released;
    await route.fallback();
  }, { times: 1 });
  return { seen: () => reached, release };
}

/** Watches the pages that are opened from now on, and returns a function that gives the part of the screen that has moved, times how far. */
export async function watchMoves(page) {
  await page.addInitScript(() => {
    globalThis.moved = 0;
    const add = (list) => { for (const entry of list.getEntries()) globalThis.moved += entry.value; };
    new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
  });
  return () => page.evaluate(() => globalThis.moved);
}

/**
 * Opens the login form in another tab, and waits until the page knows that nobody is signed in. After an earlier login
 * it would redirect to the start page.
 */
export async function loginTab(page) {
  const other = await page.context().newPage();
  const answered = other.waitForResponse("**/session.php");
  await other.goto("/login");
  await answered;
  return other;
}

/** Fills in the login form and sends it. */
export async function logIn(page, { email, password }) {
  const address = page.getByLabel("Email", { exact: true });
  // Without this, Playwright appends to the text in an email field of Firefox.
  await address.clear();
  await address.fill(email);
  await page.getByLabel("Contraseña", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
}

/** Fills in the registration form and sends it. */
export async function register(page, person) {
  await page.getByLabel("Nombre completo").fill(person.name);
  await page.getByLabel("Email", { exact: true }).fill(person.email);
  await page.getByLabel("Contraseña", { exact: true }).fill(person.password);
  await page.getByLabel("Repite la contraseña", { exact: true }).fill(person.password);
  await page.getByLabel("Acepto los términos").check();
  await page.getByRole("button", { name: "Crear cuenta" }).click();
}

/** Waits for a mail to an address with a link to this page, and returns the newest link. */
export async function mailedLink(request, email, page) {
  let link;
  await expect(async () => {
    const mails = await (await request.get(`/_local/mail?to=${encodeURIComponent(email)}`)).json();
    const found = mails.map(({ text }) => text.match(new RegExp(`http\\S+/${page}\\?token=\\S+`)));
    link = found.find(Boolean)[0];
  }).toPass();
  return link;
}

/** The link of the notice that the password of this account, which is signed in, was changed. */
export async function noticeLink(page, { name, email }, password = "Nueva1234") {
  const form = { name, password, confirm_password: password };
  const answer = await page.request.post("/app/auth/sendUserConfig.php", { form, headers: HEADER });
  expect(await answer.json()).toMatchObject({ success: true });
  return mailedLink(page.request, email, "no-fui-yo");
}

/** The link in the newest mail that resets the password. */
export const resetLink = (request, email) => mailedLink(request, email, "restablecer");

/** Signs in a new user whose address is verified. */
export async function verified(page) {
  const person = await signedIn(page);
  await page.request.post("/app/auth/sendVerification.php", { headers: HEADER });
  const link = await mailedLink(page.request, person.email, "verificar");
  await page.request.post("/app/auth/verifyEmail.php", { headers: HEADER, form: { token: new URL(link).searchParams.get("token") } });
  return person;
}

/** Makes a session idle by changing the time of its last use in the table. */
export async function makeIdle(page, seconds) {
  // Otherwise the page's own calls could find it before the action of the test does.
  await page.waitForLoadState("networkidle");
  const [session] = await sessionsOf(page);
  await moved(session, "last_seen", Number(session.last_seen.N) - seconds);
}

/** Makes the last proof of presence older than the service accepts, in all sessions of the account. */
export async function makeStale(page) {
  for (const session of await sessionsOf(page)) await moved(session, "proved_at", Number(session.created_at.N) - 60 * 60);
}

/** The sessions of the account that is signed in, in the table. */
async function sessionsOf(page) {
  const { value } = (await page.context().cookies()).find(({ name }) => name === "session");
  const { Items } = await table("Query", {
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :session)",
    ExpressionAttributeValues: { ":pk": { S: value.split(".")[0] }, ":session": { S: "session#" } },
  });
  return Items;
}

const moved = ({ pk, sk }, attribute, seconds) => table("UpdateItem", {
  Key: { pk, sk }, UpdateExpression: "SET #time = :time", ExpressionAttributeNames: { "#time": attribute }, ExpressionAttributeValues: { ":time": { N: String(seconds) } },
});

/** Adds an authenticator for passkeys to the page, in Chromium. It verifies its user without asking. */
export async function device(page, more = {}) {
  const browser = await page.context().newCDPSession(page);
  await browser.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true, ...more,
  };
  const { authenticatorId } = await browser.send("WebAuthn.addVirtualAuthenticator", { options });
  return {
    credentials: async () => (await browser.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
    holds: (credential) => browser.send("WebAuthn.addCredential", { authenticatorId, credential }),
    forget: () => browser.send("WebAuthn.clearCredentials", { authenticatorId }),
    verifies: (isUserVerified) => browser.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
    answers: (enabled) => browser.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled }),
  };
}

/** A browser that creates no passkey without a question. */
export const withoutSilence = (page) => page.addInitScript(() => {
  PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: false });
});

/** A browser that cannot be told which passkeys an account has. */
export const withoutSignals = (page) => page.addInitScript(() => {
  delete PublicKeyCredential.signalAllAcceptedCredentials;
  delete PublicKeyCredential.signalUnknownCredential;
});

/** Calls the embedded DynamoDB, which accepts any signature. */
async function table(operation, asked) {
  const answer = await fetch(`http://localhost:${process.env.SERVICE_DYNAMODB_PORT}`, {
    method: "POST",
    headers: {
      "Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
      "Content-Type": "application/x-amz-json-1.0",
      "X-Amz-Date": "20260101T000000Z",
      "X-Amz-Target": `DynamoDB_20120810.${operation}`,
    },
    body: JSON.stringify({ TableName: "accounts", ...asked }),
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(said));
  return said;
}

/** Unfolds a form of the page about security. */
export const unfold = (page, name) => page.locator("summary", { hasText: name }).click();
