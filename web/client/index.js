// A client for the account service that loads most modules when they are needed. types.ts describes each function.

import { client } from "./client.js";
import { MESSAGES, failure, unloaded } from "./failures.js";

export { MESSAGES };

/** @import { Parts } from "./internals.js" */
/** @import { AccountClient, ClientOptions } from "./types.js" */

/** The functions of each module. @type {Record<string, [() => Promise<any>, ...string[]]>} */
const MODULES = {
  creation: [() => import("./creation.js"), "createPasskey", "preparePasskey"],
  email: [() => import("./email.js"), "changeEmail", "confirmEmail", "verifyEmail", "lockAccount", "resetPassword"],
  entry: [() => import("./entry.js"), "login", "logout", "deleteAccount"],
  more: [() => import("./more.js"), "googleLogin", "captchaChallenge", "removePasskey", "unlinkGoogle", "closeSession", "closeOtherSessions",
    "sendVerification", "sendResetLink", "receiveData"],
  passkeys: [() => import("./passkeys.js"), "passkeyLogin", "preparePasskeyLogin"],
  presence: [() => import("./presence.js"), "confirm", "again"],
  silent: [() => import("./silent.js"), "createPasskeySilently"],
  settings: [() => import("./settings.js"), "register", "updateSettings", "changeSettings", "exportAccount"],
};

/** The functions after which the browser is told which passkeys the account has. */
const TELLING = /^(login|googleLogin|passkeyLogin|create|removeP)/;

/** Nobody waits for it. @param {(signals: typeof import("./signals.js")) => void} tell */
const signal = (tell) => {
  if ("signalUnknownCredential" in (globalThis.PublicKeyCredential ?? {})) import("./signals.js").then(tell).catch(() => {});
};

/** @type {Parts} */
const PARTS = {
  credentials: () => import("./credentials.js"),
  diagnosis: () => import("./diagnosis.js"),
  refusals: () => import("./refusals.js"),
  answered: (result, ...passkey) => !result.ok && result.unknown && signal(({ unknown }) => unknown(...passkey)),
  unloaded,
  functions(base) {
    const all = /** @type {any} */ ({});
    let creating = 0;
    for (const [module, [load, ...names]] of Object.entries(MODULES)) {
      /** @type {any} */
      let made;
      const ready = () => Promise.all([load(), import("./writes.js")])
        .then(([loaded, { writes }]) => (made ??= loaded[module]({ ...base, ...writes(base) })));
      for (const name of names) {
        all[name] = async (/** @type {any} */ ...values) => {
          const creates = Number(name.startsWith("create"));
          creating += creates;
          const result = await ready().then(() => made[name]?.(...values) ?? failure("outdated"), unloaded).finally(() => { creating -= creates; });
          if (result.ok && TELLING.test(name)) signal(({ later }) => later(base.passkeys, () => creating > 0));
          return result;
        };
      }
    }
    return all;
  },
};

/** Creates a client. Throws a TypeError for a `baseUrl` that is no address. @param {ClientOptions} [options] @returns {AccountClient} */
export const createAccountClient = (options = {}) => /** @type {AccountClient} */ (client(options, PARTS));
