// The pages of mailed links that ask for one press, because programs that check mails open their links. The clock of the
// device does not decide.

import { BROKEN, FORGOTTEN, OVER, isDone, mailedLink, spend } from "./mailed.js";
import { element, notify, report } from "./site.js";
import { working } from "./working.js";

/** @type {import("./types.js").Press} */
export function press({ doing, send, done, used, after = () => {} }) {
  const { token, fault, done: before } = mailedLink();
  const finished = () => outcome(done, "good", "done");
  const over = () => outcome([OVER, used], "bad", "again");
  if (before) finished();
  else if (fault === "used") over();
  else if (fault === "forgotten") outcome(FORGOTTEN, "info", "again");
  else if (fault === "broken") outcome(BROKEN, "bad", "again");
  const button = element("press", HTMLButtonElement);
  button.addEventListener("click", () => working(button, doing, async () => {
    notify("");
    const result = await send(token);
    // Another tab may have used the link.
    if (result.ok || isDone(token)) {
      spend(token, true);
      finished();
      after(result);
    } else if (result.code === "invalid-token") {
      spend(token);
      over();
    } else report(result);
  }));
  // The HTML disables it: a press before this point would do nothing, and nobody would be told.
  button.disabled = false;
}

/**
 * Replaces the question of the page by what has become of it.
 * @param {readonly [string, string]} words  The heading, and the message.
 * @param {import("./types.js").Tone} tone
 * @param {"done" | "again"} part  What is shown below.
 */
function outcome([heading, message], tone, part) {
  element("heading").textContent = heading;
  notify(message, tone);
  element("content").hidden = true;
  element(part).hidden = false;
  element("heading").focus();
}
