// The button that unlinks Google: the page about security loads this module if the account is linked.

import { near } from "./form.js";
import { question } from "./question.js";
import { account, notify } from "./site.js";
import { tell } from "./tell.js";
import { working } from "./working.js";

/** @param {HTMLElement} choice  The place of the button. @param {{ account: number }} mine @param {() => void} unlinked */
export function offer(choice, mine, unlinked) {
  if (choice.childElementCount) return;
  const there = near(choice.parentElement);
  const asked = question({
    text: "Desvincular",
    name: " Google",
    loss: "Google dejará de servir para entrar, y se cerrarán tus demás sesiones.",
    no: "No, conservarlo",
    act: (button) => working(button, "Desvinculando…", async () => {
      const result = await account.unlinkGoogle(mine);
      // Another tab may have unlinked it already.
      if (!result.ok && result.code !== "not-linked") return tell(result, there);
      unlinked();
      notify(result.ok ? "Google desvinculado. Las demás sesiones se han cerrado." : "Google ya estaba desvinculado.", "good", there);
      there.place?.focus();
    }, there),
  });
  choice.append(asked.warning, asked.choice);
}
