// The eleven predefined avatars. The service knows them by whole addresses, which may lie on another host; the pages show
// their own copies.

const NAMES = ["default", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10"];
const FOLDER = "/assets/avatars/";

/**
 * Name of the avatar with an address; the default one for an address that is none.
 * @param {string} address
 */
export function nameOf(address) {
  const name = address.split(FOLDER).at(-1)?.replace(/\.jpeg$/, "") ?? "";
  return NAMES.includes(name) ? name : "default";
}

/** @param {string} name */
export const picture = (name) => `${FOLDER}${name}.jpeg`;

/**
 * The address by which the service knows an avatar: it begins as the one that the user has.
 * @param {string} current
 * @param {string} name
 */
export const addressOf = (current, name) => current.slice(0, Math.max(0, current.lastIndexOf(FOLDER))) + picture(name);

/**
 * Fills the picker with a radio button for each avatar.
 * @param {HTMLElement} picker
 * @param {string} chosen
 */
export function fill(picker, chosen) {
  picker.replaceChildren(...NAMES.map((name) => {
    const [label, input, image] = [document.createElement("label"), document.createElement("input"), new Image(64, 64)];
    Object.assign(input, { type: "radio", name: "avatar", value: name, checked: name === chosen });
    Object.assign(image, { src: picture(name), alt: name === "default" ? "Sin avatar" : `Avatar ${Number(name)}` });
    label.append(input, image);
    return label;
  }));
}
