import { captcha } from "../captcha.js";
import { wire } from "../form.js";
import { popupButton } from "../google.js";
import { emailProblem } from "../rules.js";
import { account, destination, notify } from "../site.js";

const REASONS = {
  error: ["No se ha podido iniciar sesión con Google. Inténtalo de nuevo.", "bad"],
  volver: ["Inicia sesión para continuar.", "good"],
  registro: ["Cuenta creada. Ya puedes iniciar sesión.", "good"],
  clave: ["Contraseña cambiada. Inicia sesión con la nueva.", "good"],
  salida: ["Has cerrado la sesión.", "good"],
  baja: ["Tu cuenta se ha eliminado.", "good"],
};

const asked = new URLSearchParams(location.search);
const [text, tone] = Object.entries(REASONS).find(([name]) => asked.has(name))?.[1] ?? [""];
notify(text, tone === "good" ? "good" : "bad");

const enter = () => location.assign(destination());

const widget = captcha();
wire({
  check: ({ email, password }) => ({ email: emailProblem(email), password: password ? "" : "Escribe tu contraseña" }),
  send: async ({ email, password }) => account.login({ email, password, captcha: await (await widget).token() }),
  done: enter,
  failed: () => {
    widget.then(({ reset }) => reset());
    return false;
  },
});

await popupButton(async (credential) => {
  const result = await account.googleLogin(credential);
  if (result.ok) enter();
  else notify(result.message);
});
