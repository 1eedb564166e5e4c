// The words of the pages: they say tú and never usted.

import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "../support.mjs";

const WEB = new URL("../../../web/", import.meta.url);

/** Forms of usted, without words that may also refer to a thing or a third person, such as "debe". */
const USTED = /(?<!\p{L})(usted|ustedes|sus?|suy[oa]s?|acepte|compruebe|confirme|descargue|desea|elija|escriba|espere|guarde|haga|inicie|inténtelo|introduzca|lea|pida|pruebe|pulse|recargue|revise|seleccione|solicite|vuelva)(?!\p{L})/giu;

/** Words about things: the button of a thing is "su botón" in any form of address. */
const OF_A_THING = [
  "muestra su botón", "su lógica y consecuencias", "perturbar su funcionamiento",
  "si las creas: su nombre, su clave pública", "cuando vuelva la conexión", "bórrala en sus ajustes",
];

test("the pages and their scripts say tú and never usted", () => {
  const names = readdirSync(WEB, { recursive: true }).filter((name) => /^[^/]+\.html$|^assets\/.*\.js$/.test(name));
  expect(names.length).toBeGreaterThan(30);
  for (const name of names) {
    const text = readFileSync(new URL(name, WEB), "utf8");
    // Comments are English.
    const read = OF_A_THING.reduce((rest, phrase) => rest.replaceAll(phrase, ""), text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""));
    expect([...read.matchAll(USTED)].map(({ index }) => read.slice(Math.max(0, index - 30), index + 30)), name).toEqual([]);
  }
});
