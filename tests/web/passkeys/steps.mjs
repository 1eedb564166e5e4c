// Steps of the tests of passkeys, and browsers that lack something.

import { expect } from "../support.mjs";

/** Disables the browser's autofill of passkeys. */
export const withoutAutofill = (page) => page.addInitScript(() => {
  PublicKeyCredential.isConditionalMediationAvailable = async () => false;
});

/** A browser that creates no passkey without a question. */
export const withoutSilence = (page) => page.addInitScript(() => {
  PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: false });
});

/**
 * A browser that creates a passkey without a question if `agrees`, or refuses to. Chromium's own decision depends on its password
 * manager, which tests have none of.
 */
export const withSilence = (page, agrees) => page.addInitScript((agrees) => {
  const { create } = CredentialsContainer.prototype;
  CredentialsContainer.prototype.create = async function asked({ mediation, ...options }) {
    if (mediation === "conditional" && !agrees) throw new DOMException("no", "NotAllowedError");
    return create.call(this, options);
  };
}, agrees);

/** A browser that cannot be told which passkeys an account has. */
export const withoutSignals = (page) => page.addInitScript(() => {
  delete PublicKeyCredential.signalAllAcceptedCredentials;
  delete PublicKeyCredential.signalUnknownCredential;
});

/** Creates a passkey on its page. */
export async function create(page, name) {
  await page.goto("/llaves");
  await page.getByLabel("Nombre de la llave nueva").fill(name);
  await page.getByRole("button", { name: "Crear llave de acceso" }).click();
}

/** Creates a passkey, and ends the session. */
export async function createdAndOut(page, name = "Portátil") {
  await create(page, name);
  await expect(page.getByText("Llave de acceso creada")).toBeVisible();
  await page.context().clearCookies();
}

/** Asks for a login with the button of the login page. */
export async function useKey(page) {
  await page.goto("/login");
  await page.getByRole("button", { name: "Entrar con una llave de acceso" }).click();
}

/** Waits until the start page has all its answers. If the session ended before, the page would go on to the login page. */
export async function atHome(page) {
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("heading", { level: 1, name: /^Hola, ./ })).toBeVisible();
  await expect(page.locator("#next-waiting")).toBeHidden();
}

/** Waits for the notice of a new passkey. */
export const mailedNotice = (request, email) => expect(async () => {
  const mails = await (await request.get(`/_local/mail?to=${encodeURIComponent(email)}`)).json();
  expect(mails.map(({ subject }) => subject)).toContain("Tu cuenta tiene una llave de acceso nueva");
}).toPass();

export const keys = (page) => page.locator("#passkeys").getByRole("listitem");
