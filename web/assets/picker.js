// The choice of one of the eleven predefined avatars.

import { nameOf, picture } from "./avatars.js";
import { create } from "./site.js";

/** The names, and what each picture shows, for users who do not see it. */
const WORDS = [
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
];

/** The service's address of an avatar, on the host of the user's current one. @param {string} current @param {string} name */
export const addressOf = (current, name) => current.slice(0, Math.max(0, current.lastIndexOf("/assets/avatars/"))) + picture(name);

/** The pictures are loaded when the picker is unfolded. @param {HTMLElement} picker @param {string} current  The address of the user's avatar. */
export function fill(picker, current) {
  const chosen = nameOf(current);
  picker.replaceChildren(...WORDS.map(([name, alt]) => {
    const label = document.createElement("label");
    const input = create("input", { type: "radio", name: "avatar", value: name, checked: name === chosen, defaultChecked: name === chosen });
    label.append(input, create("img", { loading: "lazy", src: picture(name), alt, width: 64, height: 64 }), create("span", {}));
    return label;
  }));
}
