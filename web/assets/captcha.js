// The captcha of the login, if one is configured. reCAPTCHA, hCaptcha and Turnstile show a widget and have the same interface.
// With ALTCHA the service itself asks for a proof of work, which the page computes without showing anything.

import { account, config, element } from "./site.js";
import { load } from "./script.js";

const PROVIDERS = {
  recaptcha: { script: "https://www.google.com/recaptcha/api.js?render=explicit&hl=es", name: "grecaptcha" },
  hcaptcha: { script: "https://js.hcaptcha.com/1/api.js?render=explicit&hl=es", name: "hcaptcha" },
  turnstile: { script: "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit", name: "turnstile" },
};

/** Milliseconds for which a proof is kept. A challenge can be solved for five minutes. */
const PROOF_AGE = 4 * 60 * 1000;

/**
 * @typedef {object} Captcha
 * @property {() => string | undefined | Promise<string | undefined>} token  Gives the current token. It can be used once.
 * @property {() => void} reset  Requests a new token.
 */

/**
 * Shows the widget, or begins to compute a proof.
 * @returns {Promise<Captcha>}
 */
export async function captcha() {
  const { captcha: wanted } = await config();
  if (wanted?.provider === "altcha") return proofs();
  const provider = wanted && PROVIDERS[wanted.provider];
  if (!provider || !(await load(provider.script))) return { token: () => undefined, reset: () => {} };
  const api = /** @type {any} */ (globalThis)[provider.name];
  // reCAPTCHA's script loads further scripts, so its API is not ready at once.
  if (provider === PROVIDERS.recaptcha) await new Promise((resolve) => api.ready(resolve));
  const place = element("captcha", HTMLElement);
  place.hidden = false;
  /** @type {string | undefined} */
  let token;
  const widget = api.render(place, {
    sitekey: wanted.siteKey,
    callback: (/** @type {string} */ given) => { token = given; },
    "expired-callback": () => { token = undefined; },
  });
  return {
    token: () => token,
    reset: () => {
      token = undefined;
      api.reset(widget);
    },
  };
}

/**
 * Computes a proof when the user begins to fill in the form, so that it is ready when the form is sent.
 * @returns {Captcha}
 */
function proofs() {
  let begun = 0;
  /** @type {Promise<string | undefined> | undefined} */
  let current;
  const begin = () => {
    if (current && Date.now() - begun < PROOF_AGE) return current;
    begun = Date.now();
    return (current = proof());
  };
  document.querySelector("form")?.addEventListener("focusin", begin);
  return { token: begin, reset: () => { current = undefined; } };
}

/** A proof, or nothing if the service gives no challenge: the login then shows why. */
async function proof() {
  const [{ solve }, asked] = await Promise.all([import("./proof.js"), account.captchaChallenge()]);
  return asked.ok ? solve(asked.challenge) : undefined;
}
