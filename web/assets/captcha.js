// Shows the captcha widget if a captcha is configured. reCAPTCHA, hCaptcha and Turnstile have the same interface.

import { config, element } from "./site.js";
import { load } from "./script.js";

const PROVIDERS = {
  recaptcha: { script: "https://www.google.com/recaptcha/api.js?render=explicit&hl=es", name: "grecaptcha" },
  hcaptcha: { script: "https://js.hcaptcha.com/1/api.js?render=explicit&hl=es", name: "hcaptcha" },
  turnstile: { script: "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit", name: "turnstile" },
};

/**
 * Shows the widget. Returns a function that gives its current token and a function that requests a new one. A token can be
 * used only once.
 * @returns {Promise<{ token: () => string | undefined, reset: () => void }>}
 */
export async function captcha() {
  const { captcha: wanted } = await config();
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
