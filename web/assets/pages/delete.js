import { wire } from "../form.js";
import { ending, handleLoss, signedIn } from "../session.js";
import { account, element } from "../site.js";

const user = await signedIn();
if (user) {
  element("who").textContent = user.email;
  wire({
    doing: "Eliminando…",
    check: ({ confirmation }) => ({
      confirmation: confirmation.trim().toLowerCase() === user.email ? "" : "Escribe el email de tu cuenta para confirmar.",
    }),
    send: () => ending(() => account.deleteAccount({ account: user.id })),
    done: () => "/login?baja=1",
    failed: ({ code }) => handleLoss(code),
  });
}
