import { carry, emailProblem } from "../address.js";
import { again } from "../again.js";
import { wire } from "../form.js";
import { account, element, notify, report } from "../site.js";
import { working } from "../working.js";

const field = element("email", HTMLInputElement);
const resend = element("resend", HTMLButtonElement);
carry(field);

const form = wire({
  doing: "Enviando…",
  check: ({ email }) => ({ email: emailProblem(email) }),
  send: ({ email }) => account.sendResetLink(email),
  done: () => show(true),
});

/** @param {boolean} sent  Whether to show that the link has been sent, or the form. */
function show(sent) {
  notify("");
  form.hidden = sent;
  element("content").hidden = sent;
  for (const id of ["sent", "sent-actions"]) element(id).hidden = !sent;
  if (!sent) return field.focus();
  element("sent-to").textContent = field.value.trim();
  element("sent-heading").focus();
  again(resend);
}

resend.addEventListener("click", async () => {
  let sent = false;
  await working(resend, "Enviando…", async () => {
    const result = await account.sendResetLink(field.value);
    sent = result.ok;
    if (result.ok) notify("Lo hemos enviado otra vez. Usa el último que te llegue.", "good");
    else report(result);
  });
  if (!sent) return;
  again(resend);
  // The button takes no focus meanwhile.
  element("notice").focus();
});
element("change", HTMLButtonElement).addEventListener("click", () => show(false));
