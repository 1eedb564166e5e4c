// The client of the account service. It needs nothing else of this folder, so other front ends can take it as it is:
//
//   import { accountClient } from "./account.js";
//   const account = accountClient();
//   const result = await account.login({ email, password });
//   if (result.ok) greet(result.user); else show(result.message);
//
// Nothing is thrown: what goes wrong is a value, with a sentence in Spanish that may be shown as it is. The session is a
// cookie that scripts cannot read; nothing is stored here.

/**
 * @typedef {object} User
 * @property {number} id
 * @property {string} email
 * @property {string} name
 * @property {string} url_image  One of the predefined avatars.
 * @property {number} accept_news  1 is subscribed to the newsletter.
 */

/**
 * Why a call did not do what was asked for:
 * - `refused`: the service says no, and `message` says why (wrong password, address taken, weak password…);
 * - `unauthenticated`: there is no session, or no longer;
 * - `invalid`: the call is not one that the service takes: a mistake of the program;
 * - `unavailable`: the service failed, or too many calls are made; the same call may succeed later;
 * - `network`: no answer came. Whether the service did what was asked for is not known.
 * @typedef {"refused" | "unauthenticated" | "invalid" | "unavailable" | "network"} Reason
 */

/**
 * @typedef {{ ok: false, reason: Reason, message: string, status: number }} Failure  `status` is 0 without an answer.
 */

/**
 * @template T
 * @typedef {({ ok: true, message: string } & T) | Failure} Result
 */

/** Sentences for what has none of the service's own. */
export const MESSAGES = {
  network: "No se ha podido conectar. Comprueba tu conexión a internet e inténtalo de nuevo.",
  unavailable: "El servicio no está disponible en este momento. Inténtalo de nuevo en unos minutos.",
};

/** Seconds after which a call is given up: the gateway answers within thirty. */
const PATIENCE = 35;

/**
 * @param {object} [options]
 * @param {string} [options.baseUrl]  Address of the service, without a trailing slash; empty for the page's own origin.
 *   Another origin has to be among those that the service allows (CORS).
 * @param {typeof globalThis.fetch} [options.fetch]  What makes the calls.
 */
export function accountClient({ baseUrl = "", fetch: send = (...call) => globalThis.fetch(...call) } = {}) {
  /**
   * @param {string} path
   * @param {BodyInit} [body]
   * @param {Record<string, string>} [headers]
   * @returns {Promise<Result<any>>}
   */
  async function call(path, body, headers = {}) {
    let response, answer;
    try {
      response = await send(baseUrl + path, {
        method: "POST",
        headers: { "X-Requested-With": "XMLHttpRequest", ...headers },
        body,
        // To another origin the cookie goes only when it is asked for.
        credentials: baseUrl ? "include" : "same-origin",
        cache: "no-store",
        redirect: "error",
        signal: AbortSignal.timeout(PATIENCE * 1000),
      });
      answer = await response.text();
    } catch {
      return { ok: false, reason: "network", message: MESSAGES.network, status: 0 };
    }
    return read(response.status, answer);
  }

  return {
    /**
     * Who is signed in.
     * @returns {Promise<Result<{ user: User }>>}
     */
    session: () => call("/app/auth/session.php"),

    /**
     * Makes an account. It opens no session.
     * @param {{ name: string, email: string, password: string, confirmation: string, terms: boolean, news?: boolean }} person
     * @returns {Promise<Result<{}>>}
     */
    register: ({ name, email, password, confirmation, terms, news = false }) =>
      call("/app/auth/sendRegister.php", form({
        nombre: name, email, password, "confirm-password": confirmation, terms: on(terms), notifications: on(news),
      })),

    /**
     * Opens a session. `captcha` is the widget's token, where the service asks for one.
     * @param {{ email: string, password: string, captcha?: string }} credentials
     * @returns {Promise<Result<{ user: User }>>}
     */
    login: ({ email, password, captcha }) =>
      call("/app/auth/sendLogin.php", form({ email, password, "g-captcha-response": captcha })),

    /**
     * Opens a session for the identity of `credential`, the JWT that Google's script hands out; an account is made when
     * there is none yet, which `status` tells.
     * @param {string} credential
     * @returns {Promise<Result<{ status: "exists" | "inserted", user: { id: number, email: string, name: string } }>>}
     */
    googleLogin: (credential) => call("/app/auth/google-callback-login.php", ...json({ credential })),

    /**
     * Ends the session, if there is one.
     * @returns {Promise<Result<{}>>}
     */
    logout: () => call("/app/auth/logout.php"),

    /**
     * Changes the account. An `avatar` or `password` that is absent or empty stays as it is; a new password ends all other
     * sessions.
     * @param {{ name: string, avatar?: string, password?: string, confirmation?: string, news?: boolean }} settings
     * @returns {Promise<Result<{}>>}
     */
    updateSettings: ({ name, avatar, password, confirmation, news = false }) =>
      call("/app/auth/sendUserConfig.php", form({
        name, avatar, password, confirm_password: confirmation, notifications: on(news),
      })),

    /**
     * Deletes the account of the session, for ever.
     * @returns {Promise<Result<{}>>}
     */
    deleteAccount: () => call("/app/auth/deleteAccount.php"),

    /**
     * Sends a mail with a link to set a new password.
     * @param {string} email
     * @returns {Promise<Result<{}>>}
     */
    sendResetLink: (email) => call("/app/auth/sendResetLink.php", form({ email })),

    /**
     * Sets a new password with the token of that link. It opens no session.
     * @param {{ token: string, password: string, confirmation: string }} reset
     * @returns {Promise<Result<{}>>}
     */
    resetPassword: ({ token, password, confirmation }) =>
      call("/app/auth/resetPassword.php", form({ token, new_password: password, confirm_password: confirmation })),

    /**
     * Stores an object, or each object of a list. Calls with the same `idempotencyKey` store it once; take a random one,
     * `crypto.randomUUID()`, for the keys of all clients are one space.
     * @param {object | object[]} entries
     * @param {{ idempotencyKey?: string }} [options]
     * @returns {Promise<Result<{}>>}
     */
    receiveData: (entries, { idempotencyKey } = {}) => {
      const [body, headers] = json(entries);
      return call("/receive-data.php", body, idempotencyKey ? { ...headers, "Idempotency-Key": idempotencyKey } : headers);
    },
  };
}

/**
 * @param {number} status
 * @param {string} text
 * @returns {Result<any>}
 */
function read(status, text) {
  /** @param {Reason} reason @param {unknown} [message] @returns {Failure} */
  const failure = (reason, message) => ({
    ok: false, reason, status, message: typeof message === "string" && message ? message : MESSAGES.unavailable,
  });
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    // A proxy on the way, or a hotel's page for its guests.
    return failure("unavailable");
  }
  if (answer === null || typeof answer !== "object") return failure("unavailable");
  // The identity provider's login has a `status` where the others have `success`.
  const done = answer.success === true || answer.status === "exists" || answer.status === "inserted";
  if (status === 200 && done) return { message: "", ...answer, ok: true };
  if (status === 401 && answer.message === "Credencial inválida") return failure("refused", answer.message);
  if (status === 401 || answer.message === "No hay una sesión activa con email.") {
    return failure("unauthenticated", answer.message);
  }
  if (status === 200 && answer.success === false) return failure("refused", answer.message);
  // What the gateway says of too many calls or its own failures is English and not for people.
  if (status === 429 || status >= 500) return failure("unavailable");
  return failure("invalid", answer.message);
}

/**
 * A form of the fields that have a value.
 * @param {Record<string, string | undefined>} fields
 */
function form(fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(/** @type {[string, string][]} */ (given));
}

/** @param {boolean} checked */
const on = (checked) => (checked ? "on" : "");

/**
 * @param {unknown} value
 * @returns {[string, Record<string, string>]}
 */
const json = (value) => [JSON.stringify(value), { "Content-Type": "application/json" }];
