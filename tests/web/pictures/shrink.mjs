// Shrinks new pictures with a palette of 256 colours. Text, lines and areas look the same. Pictures with the
// photographs of avatars would not, and are left unchanged.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import upng from "upng-js";

const FOLDER = new URL("../../../docs/screens/", import.meta.url).pathname;
const COLOURS = 256;
/** A picture with more colours than this contains photographs. Smoothed text has fewer than 3,000. */
const PHOTOGRAPHIC = 5_000;
/** The colour type of a PNG with a palette (PNG specification, 11.2.1). */
const PALETTE = 3;

for (const name of readdirSync(FOLDER, { recursive: true }).filter((file) => file.endsWith(".png"))) {
  const picture = upng.decode(readFileSync(FOLDER + name));
  if (picture.ctype === PALETTE) continue;
  const pixels = upng.toRGBA8(picture)[0];
  if (new Set(new Uint32Array(pixels)).size > PHOTOGRAPHIC) continue;
  writeFileSync(FOLDER + name, Buffer.from(upng.encode([pixels], picture.width, picture.height, COLOURS)));
}
