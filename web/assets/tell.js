// What pages tell of a failed call.

import { handleLoss } from "./session.js";
import { notify } from "./site.js";

/** A proof that the user has not given is no error. @param {import("../client/types.js").Failure} failure @param {import("./types.js").More} [more] */
export function tell({ code, message }, more) {
  if (!handleLoss(code)) notify(message, code === "unproved" ? "info" : "bad", more);
}
