// Two tabs of one browser: the second logs in as somebody else on the login page, and the first still shows the old account.

import { account, expect, logIn, loginTab, session, signedIn, somebody, test } from "../support.mjs";

const press = (name) => (page) => page.getByRole("button", { name }).click();

/** What a user does to an account: the page, the call, and the action. */
const ACTIONS = {
  settings: ["/perfil", "sendUserConfig.php", async (page) => {
    await page.getByLabel("Nombre completo").fill("Nombre de Ana");
    await press("Guardar cambios")(page);
  }],
  deletion: ["/eliminar-cuenta", "deleteAccount.php", async (page, { email }) => {
    await page.getByLabel("Email de tu cuenta").fill(email);
    await press("Eliminar para siempre")(page);
  }],
  export: ["/perfil", "exportAccount.php", press("Descargar mis datos")],
  "end of sessions": ["/sesiones", "closeSession.php", press("Cerrar las demás sesiones")],
};

for (const [name, [address, call, act]] of Object.entries(ACTIONS)) {
  for (const [hearing, hears] of Object.entries({ "hears of it": true, "cannot hear of it": false })) {
    test(`the ${name} in one tab changes nothing of the account that another tab has logged in to, if the first tab ${hearing}`, async ({ page, browser }) => {
      const first = await account(page.request);
      const second = await account(page.request, { ...somebody(), name: "Eva Pérez" });
      // Each has a session on another device too, which the page could end.
      const people = name === "end of sessions" ? [first, second] : [];
      const phones = await Promise.all(people.map(async (person) => {
        const phone = await browser.newContext();
        await signedIn({ request: phone.request }, person);
        return phone;
      }));
      const other = await loginTab(page);
      if (!hears) await page.addInitScript(() => { delete globalThis.BroadcastChannel; });
      const sent = [];
      page.on("request", (request) => sent.push(new URL(request.url()).pathname));
      await page.goto(address);
      await logIn(page, first);
      await expect(page).toHaveURL(address);
      await expect(page.getByRole("button", { name: "Cerrar sesión" })).toBeVisible();
      await expect(page.locator("#content")).toBeVisible();
      if (name === "end of sessions") await expect(page.getByRole("button", { name: "Cerrar las demás sesiones" })).toBeVisible();

      await logIn(other, second);
      await expect(other).toHaveURL("/");
      // A tab that hears of it hides its content, so that nobody can act in it.
      if (!hears) await act(page, first);
      await expect(page.getByText("En otra pestaña has iniciado sesión con otra cuenta.")).toBeVisible();
      await expect(page.locator("#content")).toBeHidden();
      expect(sent.filter((path) => path.endsWith(call))).toEqual([]);
      expect(await session(page)).toMatchObject({ email: second.email, name: second.name });
      await page.getByRole("link", { name: "Seguir con esa cuenta" }).click();
      await expect(page.locator("#content")).toBeVisible();
      for (const [index, phone] of phones.entries()) {
        expect(await session({ request: phone.request })).toMatchObject({ email: people[index].email });
        await phone.close();
      }
    });
  }
}
