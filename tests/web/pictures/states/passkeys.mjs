// The states of the pages with passkeys. The browser's API is replaced, so that each state is reached without a device.

import { ANA, MESSAGES } from "../../support.mjs";
import { down, hang, refused, says } from "./answers.mjs";

/** The endpoint that removes a passkey. */
export const REMOVAL = "removePasskey.php";
const KEYS = [
  { id: "A".repeat(43), name: "Móvil", created_at: "2026-01-03T17:30:00Z", last_used_at: "2026-01-14T20:30:00Z" },
  { id: "B".repeat(43), name: "Portátil del trabajo", created_at: "2026-01-12T08:30:00Z", last_used_at: null },
  { id: "C".repeat(43), name: "Llave USB", created_at: "2026-01-15T10:30:00Z", last_used_at: null },
];
/** The service lists these passkeys. */
export const keys = (end, start = 0) => says("passkeys.php", { success: true, passkeys: KEYS.slice(start, end) });

const press = (name) => (page) => page.getByRole("button", { name, exact: true }).click();

/** Disables the browser's autofill, and sets its only answer: the name of an error, "nothing", or "a passkey". */
const device = (answer, ...steps) => async (page) => {
  await page.addInitScript((answer) => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable = async () => true;
    PublicKeyCredential.getClientCapabilities = async () => ({});
    const reply = () => {
      if (answer === "nothing") return new Promise(() => {});
      if (answer === "a passkey") return Promise.resolve({ toJSON: () => ({}) });
      return Promise.reject(new DOMException("", answer));
    };
    CredentialsContainer.prototype.get = reply;
    CredentialsContainer.prototype.create = reply;
  }, answer);
  for (const step of steps) await step(page);
};

const both = (...steps) => async (page) => {
  for (const step of steps) await step(page);
};

const login = (text, state) => ({ at: "/login", heading: "Iniciar sesión", text, reach: press("Entrar con una llave de acceso"), ...state });

const create = async (page) => {
  await page.getByLabel("Nombre de la llave nueva").fill("Llave USB");
  await press("Crear llave de acceso")(page);
};
/** The service accepts a change, and answers with `list` from then on. */
const changed = (path, message, list) => (page) => page.route(`**/app/auth/${path}`, async (route) => {
  await list(page);
  await route.fulfill({ json: { success: true, message } });
});
const created = changed("passkeyRegister.php", "Llave de acceso creada", keys(3));
const removed = changed(REMOVAL, "Llave de acceso eliminada", keys(2, 1));

const remove = async (page) => {
  await press("Eliminar la llave Móvil")(page);
  await press("Sí, eliminar la llave Móvil")(page);
};
const list = (text, state) => ({ at: "/llaves", heading: "Llaves de acceso", text, user: true, before: keys(2), ...state });

/** @type {Record<string, import("./index.mjs").State>} */
export const PASSKEYS = {
  "login-passkey": login("Entrar con una llave de acceso", { before: device("nothing"), reach: undefined }),
  "login-passkey-working": login("Confirma que eres tú…", { before: device("nothing") }),
  "login-passkey-cancelled": login(MESSAGES["passkey-cancelled"], { before: device("NotAllowedError") }),
  "login-passkey-refused": login("Esa llave de acceso no sirve aquí.", {
    before: device("a passkey", refused("passkeyLogin.php", 401, "Llave de acceso inválida")), bad: true,
  }),

  "login-passkey-unsupported": login("Este navegador no puede usar llaves de acceso aquí.", {
    before: device("nothing", (page) => page.addInitScript(() => { delete PublicKeyCredential.parseCreationOptionsFromJSON; })),
  }),

  "inicio-passkey-offer": {
    at: "/", heading: `Hola, ${ANA.name}`, text: "Entra sin contraseña", user: true, part: "#passkey-offer",
    before: device("nothing", keys(0), (page) => page.addInitScript(() => sessionStorage.setItem("offer", "1"))),
  },

  "llaves": list("Portátil del trabajo"),
  "llaves-loading": list("Cargando…", { before: hang("passkeys.php") }),
  "llaves-none": list("Aún no tienes ninguna llave de acceso.", { before: keys(0) }),
  "llaves-unsupported": list(MESSAGES["passkeys-unsupported"], { before: device("NotSupportedError", keys(2)), reach: create, part: "#create" }),
  "llaves-invalid": list("Escribe un nombre para la llave.", { bad: true, reach: press("Crear llave de acceso"), part: "#create" }),
  "llaves-working": list("Confirma que eres tú…", { before: device("nothing", keys(2)), reach: create, part: "#create" }),
  "llaves-created": list("La próxima vez, elígela al escribir tu email", { before: device("a passkey", keys(2), created), reach: create }),
  "llaves-cancelled": list(MESSAGES["passkey-cancelled"], { before: device("NotAllowedError", keys(2)), reach: create, part: "#create" }),
  "llaves-exists": list(MESSAGES["passkey-exists"], { before: device("InvalidStateError", keys(2)), reach: create, part: "#create" }),
  "llaves-last": list("Es tu única llave de acceso.", { before: keys(1), reach: press("Eliminar la llave Móvil") }),
  "llaves-removing": list("Dejará de servir para entrar", { reach: press("Eliminar la llave Móvil") }),
  "llaves-deleting": list("Eliminando…", {
    before: device("nothing", keys(2), hang(REMOVAL)),
    reach: remove,
  }),
  "llaves-removed": list("Llave de acceso eliminada", { before: both(keys(2), removed), reach: remove }),
  "llaves-down": list(MESSAGES.unavailable, { before: down("passkeys.php"), bad: true }),
};
