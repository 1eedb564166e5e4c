import { nameOf, picture } from "../avatars.js";
import { near } from "../form.js";
import { addressOf, fill } from "../picker.js";
import { nameProblem } from "../rules.js";
import { reveal, section, unfold } from "../section.js";
import { keepEdits, signedIn } from "../session.js";
import { account, element } from "../site.js";
import { working } from "../working.js";

/** @import { Changes } from "../types.js" */

const user = await signedIn();
if (user) {
  const mine = { account: user.id };
  const name = element("name", HTMLInputElement);
  name.value = name.defaultValue = user.name;
  const news = element("news", HTMLInputElement);
  news.checked = news.defaultChecked = user.acceptsNews;
  const portrait = element("portrait", HTMLImageElement);
  portrait.src = picture(nameOf(user.avatarUrl));
  const avatars = element("avatars");
  fill(avatars, user.avatarUrl);

  /** Sections are saved one after the other, also without locks. @type {Promise<unknown>} */
  let saved = Promise.resolve();
  /** @param {Changes} changes @param {string} told */
  const save = async (changes, told) => {
    const saving = saved.then(() => account.changeSettings(changes, mine));
    saved = saving.catch(() => {});
    const result = await saving;
    return result.ok ? { ...result, told } : result;
  };

  /** @param {string} name */
  const choose = async (name) => {
    /** @param {string} current */
    const like = async (current) => {
      const result = await save({ avatar: addressOf(current, name) }, "Imagen guardada.");
      if (result.ok) portrait.src = picture(name);
      return result;
    };
    const result = await like(user.avatarUrl);
    if (result.ok || result.code !== "invalid-request") return result;
    // The avatars may have moved to another host since the page was loaded.
    const now = await account.session();
    return now.ok ? like(now.user.avatarUrl) : now;
  };

  await keepEdits([
    section("profile-form", ({ name }) => save({ name }, "Nombre guardado."), ({ name }) => ({ name: nameProblem(name) })),
    section("avatar-form", ({ avatar }) => choose(avatar)),
    section("news-form", ({ news }) => save({ news: news === "on" }, news ? "Te has apuntado al boletín." : "Te has dado de baja del boletín.")),
  ]);

  const button = element("export", HTMLButtonElement);
  const there = near(button.parentElement);
  button.addEventListener("click", () => working(button, "Descargando…", async () => (await import("../export.js")).download(mine, there), there));
  // A picture that was chosen before is shown.
  if (avatars.querySelector(":checked:not(:default)")) unfold(element("imagen"));
  reveal();
}
