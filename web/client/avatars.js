// The predefined avatars.

/** @import { User } from "./types.js" */

/** The names of the avatars that the service knows. */
export const AVATARS = Object.freeze(/** @type {const} */ (["default", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10"]));

/**
 * The address of an avatar, on the host of the user's own. `changeSettings` takes it as `avatar`.
 * @param {Pick<User, "avatarUrl">} user @param {typeof AVATARS[number]} name
 */
export const avatarUrl = ({ avatarUrl }, name) => avatarUrl.replace(/[^/]*\.jpeg$/, `${name}.jpeg`);
