// What pages tell of a failed call.

import { handleLoss } from "./session.js";
import { report } from "./site.js";

/** @param {import("../client/types.js").Failure} failure @param {import("./types.js").More} [more] */
export function tell(failure, more) {
  if (!handleLoss(failure.code)) report(failure, more);
}
