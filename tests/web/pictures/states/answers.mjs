// Answers of the service that the states of the pages need.

import { session } from "../../support.mjs";

const answer = (path, given) => (page) => page.route(`**/app/auth/${path}`, (route) => route.fulfill(given));

/** The service never answers. */
export const hang = (path) => (page) => page.route(`**/app/auth/${path}`, () => {});

/** The service is down. */
export const down = (path) => answer(path, { status: 503, json: { message: "Service Unavailable" } });

/** The service refuses the call. */
export const refused = (path, status, message) => answer(path, { status, json: { success: false, message } });

/** The service answers with this. */
export const says = (path, json) => answer(path, { json });

/** The user that is signed in has another address now. */
export const readdressed = async (page) => says("session.php", { success: true, user: { ...(await session(page)), email: "ana@example.org" } })(page);
