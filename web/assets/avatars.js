// The eleven predefined avatars. The service stores their addresses on any host; the pages show their own copies.

/** What each picture shows, for users who do not see it. */
const WORDS = new Map([
  ["default", "Sin imagen: una silueta gris"],
  ["01", "Pelo corto castaño, fondo naranja"],
  ["02", "Pelo rizado negro, fondo verde agua"],
  ["03", "Pelo largo pelirrojo, fondo azul"],
  ["04", "Moño oscuro y gafas, fondo rosa"],
  ["05", "Melena rubia, fondo verde lima"],
  ["06", "Pelo a cepillo negro y gafas, fondo celeste"],
  ["07", "Cabeza rapada y gafas, fondo lila"],
  ["08", "Barba castaña, fondo crema"],
  ["09", "Trenzas castañas, fondo verde claro"],
  ["10", "Flequillo morado, fondo rosa claro"],
]);
const FOLDER = "/assets/avatars/";

/** The name of the avatar at an address; "default" if it is another address. @param {string} address */
export function nameOf(address) {
  const name = address.split(FOLDER).at(-1)?.replace(/\.jpeg$/, "") ?? "";
  return WORDS.has(name) ? name : "default";
}

/** The address of the pages' own copy. @param {string} name */
export const picture = (name) => `${FOLDER}${name}.jpeg`;

/**
 * Returns the service's address of an avatar. It has the same host as the user's current one.
 * @param {string} current  The address of the user's current avatar.
 * @param {string} name  The name of the new avatar.
 */
export const addressOf = (current, name) => current.slice(0, Math.max(0, current.lastIndexOf(FOLDER))) + picture(name);

/** Fills the picker. @param {HTMLElement} picker @param {string} chosen */
export function fill(picker, chosen) {
  picker.replaceChildren(...[...WORDS].map(([name, alt]) => {
    const [label, input, image] = [document.createElement("label"), document.createElement("input"), new Image(64, 64)];
    Object.assign(input, { type: "radio", name: "avatar", value: name, checked: name === chosen, defaultChecked: name === chosen });
    Object.assign(image, { src: picture(name), alt });
    label.append(input, image);
    return label;
  }));
}
