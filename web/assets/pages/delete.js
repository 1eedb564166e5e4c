import { wire } from "../form.js";
import { account, element, signedIn } from "../site.js";

const user = await signedIn();
if (user) {
  element("who", HTMLElement).textContent = user.email;
  wire({
    check: ({ confirmation }) => ({
      confirmation: confirmation.trim().toLowerCase() === user.email ? "" : "Escribe el email de tu cuenta para confirmar",
    }),
    send: () => account.deleteAccount(),
    done: () => location.assign("/login?baja=1"),
  });
}
