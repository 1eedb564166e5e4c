// The client of the API without a page, with the stack and with faulty answers.

import { readFile } from "node:fs/promises";
import { test, expect } from "@playwright/test";
import { PASSWORD, somebody } from "./support.mjs";

// Imports the module from its text, as a browser does.
const source = await readFile(new URL("../../web/assets/account.js", import.meta.url), "base64");
const { MESSAGES, accountClient } = await import(`data:text/javascript;base64,${source}`);

/** A `fetch` that keeps the cookies of one origin. */
function browserLike() {
  const jar = new Map();
  return async (url, { credentials, ...options }) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = credentials === "include" && cookie ? { ...options.headers, cookie } : options.headers;
    const response = await fetch(url, { ...options, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
      if (/max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
}

const client = () => accountClient({ baseUrl: process.env.SERVICE_URL, fetch: browserLike() });

/** A client that gets this answer to every call. */
const answered = (status, body) => accountClient({ fetch: async () => new Response(body, { status }) });

test("every endpoint can be called and gives its message", async ({ request }) => {
  const uncalled = new Set(Object.keys(client()));
  const account = new Proxy(client(), { get: (methods, name) => (uncalled.delete(name), methods[name]) });
  const { name, email } = somebody();
  const fields = { name, email, password: PASSWORD, confirmation: PASSWORD, terms: true };
  expect(await account.register(fields)).toMatchObject({ ok: true, message: "Usuario registrado correctamente" });
  expect(await account.session()).toMatchObject({ ok: false, reason: "unauthenticated", status: 401 });

  expect(await account.captchaChallenge()).toMatchObject({ ok: false, reason: "invalid", status: 400 });
  const login = await account.login({ email, password: PASSWORD });
  expect(login).toMatchObject({ ok: true, user: { email, name, accept_news: 0 } });
  const avatar = login.user.url_image.replace("default", "03");
  expect(await account.updateSettings({ name: "Eva", avatar, news: true })).toMatchObject({ ok: true });
  expect(await account.session()).toMatchObject({ ok: true, user: { name: "Eva", url_image: avatar, accept_news: 1 } });
  const changed = { name: "Eva", password: "Otra12345", confirmation: "Otra12345" };
  expect(await account.updateSettings(changed)).toMatchObject({ ok: true });
  expect(await account.session()).toMatchObject({ ok: true, user: { accept_news: 0 } });
  const listed = await account.sessions();
  expect(listed).toMatchObject({ ok: true, sessions: [{ current: true }] });
  expect(await account.closeOtherSessions()).toMatchObject({ ok: true, message: "Sesión cerrada correctamente" });
  expect(await account.closeSession(listed.sessions[0].id)).toMatchObject({ ok: false, reason: "invalid" });
  expect(await account.receiveData({ importe: 12.5 })).toMatchObject({ ok: true });
  expect(await account.exportAccount()).toMatchObject({
    ok: true, account: { email, name: "Eva" }, sessions: [{ current: true }], browsers: [], entries: [{ body: '{"importe":12.5}' }],
  });
  expect(await account.verifyEmail("x")).toMatchObject({ ok: false, message: "Token inválido o expirado" });
  expect(await account.sendVerification()).toMatchObject({ ok: true, message: "Correo de verificación enviado" });
  expect(await account.logout()).toMatchObject({ ok: true });
  expect(await account.exportAccount()).toMatchObject({ ok: false, reason: "unauthenticated" });

  expect(await account.sendResetLink(email)).toMatchObject({ ok: true });
  const [mail] = await (await request.get(`${process.env.SERVICE_URL}/_local/mail?to=${email}`)).json();
  const token = mail.text.match(/token=(\S+)/)[1];
  const reset = { token, password: "Nueva1234", confirmation: "Nueva1234" };
  expect(await account.resetPassword(reset)).toMatchObject({ ok: true });
  expect(await account.resetPassword(reset)).toMatchObject({ ok: false, reason: "refused", message: "Token inválido o expirado" });

  const { credential } = await (await request.post(`${process.env.SERVICE_URL}/_local/google/credential`, { data: { email, name } })).json();
  expect(await account.googleLogin(credential)).toMatchObject({ ok: true, status: "exists", user: { email } });
  expect(await account.receiveData([{ importe: 1 }, { importe: 2 }], { idempotencyKey: "una" })).toMatchObject({ ok: true });
  expect(await account.deleteAccount()).toMatchObject({ ok: true });
  expect(await account.deleteAccount()).toMatchObject({ ok: false, reason: "unauthenticated" });
  expect([...uncalled], "functions of the client that this test does not call").toEqual([]);
});

test("the client calls every endpoint of the API except the one that only Google's page calls", async ({ request }) => {
  const { paths } = await (await request.get(`${process.env.SERVICE_URL}/_local/openapi.json`)).json();
  const text = Buffer.from(source, "base64").toString();
  const missing = Object.keys(paths).filter((path) => !text.includes(`"${path}"`));
  expect(missing, "paths that web/assets/account.js does not call").toEqual(["/app/auth/google-callback.php"]);
});

test("a refusal is returned, not thrown, and has the message of the service", async () => {
  const account = client();
  const { name, email } = somebody();
  expect(await account.login({ email, password: PASSWORD }))
    .toEqual({ ok: false, reason: "refused", status: 200, message: "Email o contraseña incorrectas" });
  const fields = { name, email, password: PASSWORD, confirmation: "Otra12345", terms: true };
  expect(await account.register(fields)).toMatchObject({ reason: "refused", message: "Las contraseñas no coinciden" });
  expect(await account.register({ ...fields, confirmation: PASSWORD, terms: false }))
    .toMatchObject({ reason: "refused", message: "Debe aceptar los términos y condiciones" });
  expect(await account.googleLogin("a.b.c")).toMatchObject({ reason: "refused", status: 401, message: "Credencial inválida" });
  expect(await account.register({ ...fields, name: "", confirmation: PASSWORD })).toMatchObject({ reason: "invalid", status: 400 });
  expect(await account.updateSettings({ name })).toMatchObject({ reason: "unauthenticated", status: 401 });
});

test("an unexpected answer throws nothing and has a Spanish message", async () => {
  for (const [status, body] of [
    [200, ""], [200, "<html>"], [200, "null"], [200, "[]"], [200, "7"], [200, '"success"'], [204, null],
    [429, '{"message":"Too Many Requests"}'], [500, '{"message":"Internal Server Error"}'], [502, "<html>"],
    [503, '{"message":"Service Unavailable"}'], [500, '{"success":false,"message":"Error interno del servidor"}'],
  ]) {
    const result = await answered(status, body).login({ email: "a@b.es", password: PASSWORD });
    expect(result, `${status} ${body}`).toMatchObject({ ok: false, message: MESSAGES.unavailable });
  }
});

test("success depends on the body and not on the status", async () => {
  for (const [status, body] of [[200, '{"success":"true"}'], [500, '{"success":true}'], [200, '{"success":1}'], [200, '{"status":"other"}']]) {
    expect(await answered(status, body).logout(), `${status} ${body}`).toMatchObject({ ok: false });
  }
  expect(await answered(200, '{"success":true,"ok":false}').logout()).toEqual({ ok: true, success: true, message: "" });
});

test("a missing answer is a failure of the network", async () => {
  const failing = accountClient({ fetch: async () => { throw new TypeError("failed to fetch"); } });
  expect(await failing.session()).toEqual({ ok: false, reason: "network", status: 0, message: MESSAGES.network });
  const cut = accountClient({ fetch: async () => new Response(new ReadableStream({ start: (body) => body.error(new Error("cut")) })) });
  expect(await cut.session()).toMatchObject({ ok: false, reason: "network" });
});

test("each call is a POST with the required header, to the page's origin unless another one is set", async () => {
  const calls = [];
  const fetch = async (url, options) => {
    calls.push([url, options]);
    return new Response('{"success":true}');
  };
  await accountClient({ fetch }).logout();
  await accountClient({ fetch, baseUrl: "https://api.example" }).logout();
  const [[own, first], [other, second]] = calls;
  expect([own, first.credentials, other, second.credentials])
    .toEqual(["/app/auth/logout.php", "same-origin", "https://api.example/app/auth/logout.php", "include"]);
  expect(first).toMatchObject({ method: "POST", headers: { "X-Requested-With": "XMLHttpRequest" }, redirect: "error" });
});
