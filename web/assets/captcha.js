// The widget of a captcha. The three providers have the same interface.

import { element } from "./site.js";
import { TIMEOUT, blocked as say, load } from "./script.js";

const PROVIDERS = {
  recaptcha: { script: "https://www.google.com/recaptcha/api.js?render=explicit&hl=es", name: "grecaptcha" },
  hcaptcha: { script: "https://js.hcaptcha.com/1/api.js?render=explicit&hl=es", name: "hcaptcha" },
  turnstile: { script: "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit", name: "turnstile" },
};

/** @type {import("./types.js").Captcha} */
const NONE = { token: () => undefined, reset: () => {} };

/**
 * Shows the widget. If it is blocked, the form says what to do. It is still sent, without a token, because the service
 * may accept that.
 * @param {import("./types.js").Widget} wanted
 * @returns {Promise<import("./types.js").Captcha>}
 */
export async function captcha(wanted) {
  const provider = PROVIDERS[wanted.provider];
  if (!provider) return NONE;
  const place = element("captcha");
  place.classList.add("captcha");
  place.hidden = false;
  const blocked = () => {
    say("captcha", `No hemos podido comprobar que no eres un robot. Permite ${new URL(provider.script).host} en tu bloqueador de contenidos y recarga la página.`);
    return NONE;
  };
  if (!(await load(provider.script))) return blocked();
  const api = /** @type {any} */ (globalThis)[provider.name];
  // Some blockers replace the script with an empty one.
  if (!api) return blocked();
  // reCAPTCHA's script loads further scripts, so its API is not ready at once. Those may be blocked too.
  const ready = provider !== PROVIDERS.recaptcha || new Promise((resolve) => {
    api.ready(() => resolve(true));
    setTimeout(() => resolve(false), TIMEOUT);
  });
  if (!(await ready)) return blocked();
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
