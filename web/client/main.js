// What the package exports. The pages of web/ import the modules that they need.

export { solveChallenge } from "./altcha.js";
export { AVATARS, avatarUrl } from "./avatars.js";
export { MESSAGES, createAccountClient } from "./index.js";
export { createAccountStore } from "./store.js";
