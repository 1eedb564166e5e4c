// A client for the account service. It imports nothing, so other front ends can copy this file unchanged:
//
//   import { accountClient } from "./account.js";
//   const account = accountClient();
//   const result = await account.login({ email, password });
//   if (result.ok) greet(result.user); else show(result.message);
//
// The functions never throw. They return failures as values, each with a message in Spanish that can be shown to the user.
// The session is a cookie that scripts cannot read. The client stores nothing.

/**
 * @typedef {object} User
 * @property {number} id
 * @property {string} email
 * @property {string} name
 * @property {string} url_image  The address of one of the predefined avatars.
 * @property {number} accept_news  1 if the user is subscribed to the newsletter, otherwise 0.
 */

/**
 * A session of the account.
 * @typedef {object} Session
 * @property {string} id
 * @property {string} created_at
 * @property {string} last_seen_at  With a precision of ten minutes.
 * @property {string} browser  A name such as "Firefox en Windows".
 * @property {boolean} current  Whether it is the caller's own.
 */

/**
 * A challenge in ALTCHA's format, version 2.
 * @typedef {object} Challenge
 * @property {{ algorithm: string, cost: number, expiresAt: number, keyLength: number, keyPrefix: string, nonce: string, salt: string }} parameters
 * @property {string} signature
 */

/**
 * Why a call failed:
 * - `refused`: the service refused the request, and `message` explains why (wrong password, address taken, weak password…);
 * - `unauthenticated`: there is no session, or it has ended;
 * - `invalid`: the request is malformed, which is a bug in the calling program;
 * - `unavailable`: the service failed, or received too many calls. The same call may succeed later;
 * - `network`: no response arrived. The service may or may not have carried out the request.
 * @typedef {"refused" | "unauthenticated" | "invalid" | "unavailable" | "network"} Reason
 */

/**
 * @typedef {{ ok: false, reason: Reason, message: string, status: number }} Failure  `status` is 0 if no response arrived.
 */

/**
 * @template T
 * @typedef {({ ok: true, message: string } & T) | Failure} Result
 */

/** Messages for failures for which the service sends no message. */
export const MESSAGES = {
  network: "No se ha podido conectar. Comprueba tu conexión a internet e inténtalo de nuevo.",
  unavailable: "El servicio no está disponible en este momento. Inténtalo de nuevo en unos minutos.",
};

/** Seconds until a call is aborted. API Gateway answers within thirty seconds. */
const PATIENCE = 35;

/**
 * Creates a client.
 * @param {object} [options]
 * @param {string} [options.baseUrl]  The address of the service, without a trailing slash; empty if the service has the
 *   page's origin. Otherwise, the service must allow the page's origin (CORS).
 * @param {typeof globalThis.fetch} [options.fetch]  The function that sends the requests.
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
        // Browsers send cookies to another origin only with "include".
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
     * Returns the signed-in user.
     * @returns {Promise<Result<{ user: User }>>}
     */
    session: () => call("/app/auth/session.php"),

    /**
     * Creates an account. It opens no session.
     * @param {{ name: string, email: string, password: string, confirmation: string, terms: boolean, news?: boolean }} person
     * @returns {Promise<Result<{}>>}
     */
    register: ({ name, email, password, confirmation, terms, news = false }) =>
      call("/app/auth/sendRegister.php", form({
        nombre: name, email, password, "confirm-password": confirmation, terms: on(terms), notifications: on(news),
      })),

    /**
     * Opens a session. `captcha` is the token of the captcha. It is needed only if the service has one.
     * @param {{ email: string, password: string, captcha?: string }} credentials
     * @returns {Promise<Result<{ user: User }>>}
     */
    login: ({ email, password, captcha }) =>
      call("/app/auth/sendLogin.php", form({ email, password, "g-captcha-response": captcha })),

    /**
     * Returns a challenge for one login, if the service is its own captcha provider (`altcha`). The login's `captcha` is its
     * solution. Otherwise the reason is "invalid".
     * @returns {Promise<Result<{ challenge: Challenge }>>}
     */
    captchaChallenge: () => call("/app/auth/captcha.php"),

    /**
     * Opens a session for the Google user of `credential`, the JWT that Google's script gives to the page. Creates the
     * account if it does not exist yet; then `status` is "inserted".
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
     * Returns the sessions of the account, the last used first.
     * @returns {Promise<Result<{ sessions: Session[] }>>}
     */
    sessions: () => call("/app/auth/sessions.php"),

    /**
     * Ends the session with this id.
     * @param {string} id
     * @returns {Promise<Result<{}>>}
     */
    closeSession: (id) => call("/app/auth/closeSession.php", form({ id })),

    /**
     * Ends all sessions of the account but the caller's.
     * @returns {Promise<Result<{}>>}
     */
    closeOtherSessions: () => call("/app/auth/closeSession.php", form({ others: "on" })),

    /**
     * Mails a link that proves the address of the signed-in user.
     * @returns {Promise<Result<{}>>}
     */
    sendVerification: () => call("/app/auth/sendVerification.php"),

    /**
     * Proves an address with the token of the link.
     * @param {string} token
     * @returns {Promise<Result<{}>>}
     */
    verifyEmail: (token) => call("/app/auth/verifyEmail.php", form({ token })),

    /**
     * Returns everything that is stored of the signed-in user, except hashes. It makes a call for each page of entries.
     * @returns {Promise<Result<{ account: object, sessions: object[], browsers: object[], entries: object[] }>>}
     */
    exportAccount: async () => {
      /** @type {object[]} */
      const entries = [];
      let cursor = "";
      for (;;) {
        const page = await call("/app/auth/exportAccount.php", form({ cursor }));
        if (!page.ok) return page;
        entries.push(...page.entries);
        if (!page.cursor) {
          const { account, sessions, browsers } = page;
          return { ok: true, message: "", account, sessions, browsers, entries };
        }
        cursor = page.cursor;
      }
    },

    /**
     * Changes the account. If `avatar` or `password` is absent or empty, it does not change. A new password ends all other
     * sessions.
     * @param {{ name: string, avatar?: string, password?: string, confirmation?: string, news?: boolean }} settings
     * @returns {Promise<Result<{}>>}
     */
    updateSettings: ({ name, avatar, password, confirmation, news = false }) =>
      call("/app/auth/sendUserConfig.php", form({
        name, avatar, password, confirm_password: confirmation, notifications: on(news),
      })),

    /**
     * Deletes the signed-in user's account permanently.
     * @returns {Promise<Result<{}>>}
     */
    deleteAccount: () => call("/app/auth/deleteAccount.php"),

    /**
     * Sends an email with a link to set a new password.
     * @param {string} email
     * @returns {Promise<Result<{}>>}
     */
    sendResetLink: (email) => call("/app/auth/sendResetLink.php", form({ email })),

    /**
     * Sets a new password with the token from that link. It opens no session.
     * @param {{ token: string, password: string, confirmation: string }} reset
     * @returns {Promise<Result<{}>>}
     */
    resetPassword: ({ token, password, confirmation }) =>
      call("/app/auth/resetPassword.php", form({ token, new_password: password, confirm_password: confirmation })),

    /**
     * Stores an object, or each object of a list. Calls with the same `idempotencyKey` store it only once. Use a random key
     * such as `crypto.randomUUID()`, because all clients share one set of keys.
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
 * Turns an HTTP response into a result.
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
    // The response comes from a proxy, or from the login page of a public Wi-Fi network.
    return failure("unavailable");
  }
  if (answer === null || typeof answer !== "object") return failure("unavailable");
  // The login with Google answers with `status`; all other endpoints answer with `success`.
  const done = answer.success === true || answer.status === "exists" || answer.status === "inserted";
  if (status === 200 && done) return { message: "", ...answer, ok: true };
  if (status === 401 && answer.message === "Credencial inválida") return failure("refused", answer.message);
  if (status === 401 || answer.message === "No hay una sesión activa con email.") {
    return failure("unauthenticated", answer.message);
  }
  if (status === 200 && answer.success === false) return failure("refused", answer.message);
  // API Gateway's own messages (too many calls, internal errors) are in English and are not for users.
  if (status === 429 || status >= 500) return failure("unavailable");
  return failure("invalid", answer.message);
}

/**
 * Encodes the fields as a form, without the fields that have no value.
 * @param {Record<string, string | undefined>} fields
 */
function form(fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(/** @type {[string, string][]} */ (given));
}

/**
 * The form value of a checkbox.
 * @param {boolean} checked
 */
const on = (checked) => (checked ? "on" : "");

/**
 * A JSON body and its header.
 * @param {unknown} value
 * @returns {[string, Record<string, string>]}
 */
const json = (value) => [JSON.stringify(value), { "Content-Type": "application/json" }];
