// A page that was loaded before a new deployment, whose modules may be gone or may not fit any more.

import { MESSAGES, expect, signedIn, test } from "../support.mjs";

/** Calls a function of a module that is loaded later. */
const ask = (page) => page.evaluate(async () => {
  const { createAccountClient } = await import("/client/index.js");
  return (await createAccountClient().verifyEmail("x")).code;
});

/** What may have become of a module. */
const GONE = {
  "is gone": (route) => route.fulfill({ status: 404, contentType: "text/html", body: "<!doctype html>" }),
  "needs something that its older neighbours lack": (route) => route.fulfill({ contentType: "text/javascript", body: 'import { invented } from "./failures.js"; export const more = invented;' }),
  "has lost the function": (route) => route.fulfill({ contentType: "text/javascript", body: "export const more = () => ({});" }),
};

for (const [name, answer] of Object.entries(GONE)) {
  test(`a call whose module ${name} says that there is a new version`, async ({ page }) => {
    await page.goto("/terminos");
    await page.route("**/client/more.js", answer);
    expect(await ask(page)).toBe("outdated");
  });
}

test("a call whose module cannot be loaded because the connection is lost does not mention a new version", async ({ page }) => {
  await page.goto("/terminos");
  await page.evaluate(() => import("/client/index.js").then(() => {}));
  await page.route("**/client/**", (route) => route.abort("internetdisconnected"));
  expect(await ask(page)).toBe("network");
});

test("what is typed in the profile stays after the reload for a new version, whichever module is gone", async ({ page }) => {
  await signedIn(page);
  for (const [gone, act] of [["client/settings.js", "Guardar cambios"], ["assets/export.js", "Descargar mis datos"]]) {
    await page.goto("/perfil");
    await expect(page.getByLabel("Nombre completo")).not.toHaveValue("");
    await page.route(`**/${gone}`, (route) => route.fulfill({ status: 404, contentType: "text/html", body: "" }));
    await page.getByLabel("Nombre completo").fill("Ana sin guardar");
    await page.getByRole("button", { name: act }).click();
    await expect(page.getByText(MESSAGES.outdated.split(". ")[0])).toBeVisible();
    expect(await page.title()).not.toMatch(/^Error/);
    await page.unroute(`**/${gone}`);
    await page.getByRole("link", { name: "Recargar" }).click();
    await expect(page.getByText("Aquí están tus cambios de antes.")).toBeVisible();
    await expect(page.getByLabel("Nombre completo")).toHaveValue("Ana sin guardar");
  }
});
