// The addresses of the predefined avatars. Their host depends on the deployment; the pages show their own copies.

/** The name of the avatar at an address; "default" if it is another address. @param {string} address */
export const nameOf = (address) => /\/assets\/avatars\/(0[1-9]|10)\.jpeg$/.exec(address)?.[1] ?? "default";

/** The address of the pages' own copy. @param {string} name */
export const picture = (name) => `/assets/avatars/${name}.jpeg`;
