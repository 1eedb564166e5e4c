// The pages in forced colours and at work, and the colours of the browser's own UI.

import { MESSAGES, expect, logIn, signedIn, somebody, test } from "../support.mjs";

test("the chosen avatar differs from the others in forced colours", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await signedIn(page);
  await page.goto("/perfil#imagen");
  const look = (name) => page.getByRole("img", { name }).evaluate((image) => {
    const { borderColor, outlineStyle } = getComputedStyle(image);
    return { borderColor, outlineStyle, tick: getComputedStyle(image.nextElementSibling, "::after").content !== "none" };
  });
  const [chosen, other] = [await look("Sin imagen"), await look("Melena rubia")];
  expect(chosen).toMatchObject({ outlineStyle: "solid", tick: true });
  expect(other).toMatchObject({ outlineStyle: "none", tick: false });
  expect(chosen.borderColor).not.toBe(other.borderColor);
});

test("the header on a phone keeps its height while the session is being closed", async ({ page }) => {
  await signedIn(page);
  await page.route("**/logout.php", () => {});
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 640 });
    await page.goto("/");
    await expect(page.getByRole("heading", { name: /^Hola, / })).toBeVisible();
    const height = () => page.locator("header").evaluate((header) => header.offsetHeight);
    const before = await height();
    await page.getByRole("button", { name: "Cerrar sesión" }).click();
    await expect(page.getByRole("button", { name: "Saliendo…" })).toBeVisible();
    expect(await height(), `${width} pixels`).toBeLessThanOrEqual(before);
  }
});

test("a button is at least as wide at work as before", async ({ page }) => {
  await signedIn(page);
  await page.route("**/sendUserConfig.php", () => {});
  await page.goto("/perfil");
  const button = page.locator("#news-form button");
  await expect(button).toBeEnabled();
  const { width } = await button.boundingBox();
  await button.click();
  await expect(button).toHaveText("Guardando…");
  expect((await button.boundingBox()).width).toBeGreaterThan(width - 1);
});

test("an account that is being deleted offers no way back", async ({ page }) => {
  const { email } = await signedIn(page);
  await page.route("**/deleteAccount.php", () => {});
  await page.goto("/eliminar-cuenta");
  const back = page.getByRole("link", { name: "No, volver al perfil" });
  await expect(back).toBeVisible();
  await page.getByLabel("Email de tu cuenta").fill(email);
  await page.getByRole("button", { name: "Eliminar para siempre" }).click();
  await expect(page.getByRole("button", { name: "Eliminando…" })).toBeVisible();
  await expect(back).toBeHidden();
});

test("a short page with the motif fits into the window", async ({ page }) => {
  for (const viewport of [{ width: 1120, height: 700 }, { width: 1280, height: 800 }]) {
    await page.setViewportSize(viewport);
    for (const address of ["/recuperar", "/verificar", "/no-existe"]) {
      await page.goto(address);
      await expect(page.getByRole("heading", { level: 1 }).filter({ visible: true })).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollHeight), `${address}, ${viewport.width} pixels`).toBeLessThanOrEqual(viewport.height);
    }
  }
});

test("the menu marks the page or the part of the site that is open, without scripts", async ({ browser }) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  const marked = { "/": "Inicio", "/perfil": "Perfil", "/seguridad": "Seguridad", "/llaves": "Seguridad", "/sesiones": "Seguridad", "/eliminar-cuenta": "Perfil", "/login": "Iniciar sesión", "/registro": "Crear cuenta" };
  for (const [address, name] of Object.entries(marked)) {
    await page.goto(address);
    await expect(page.locator("nav [aria-current]")).toHaveText([name]);
  }
  await page.close();
});

test("in dark mode, Google's frame has no white box, and a checkbox has the colours of the fields", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto("/registro");
  const style = (selector) => page.locator(selector).evaluate((node) => {
    const { backgroundColor, borderColor, colorScheme } = getComputedStyle(node);
    return { backgroundColor, borderColor, colorScheme };
  });
  expect((await style("#google")).colorScheme).toBe("light");
  const [box, field] = [await style("#news"), await style("#name")];
  expect([box.backgroundColor, box.borderColor]).toEqual([field.backgroundColor, field.borderColor]);
});

test("an invalid field still looks invalid while it has the focus", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/login");
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
  const [email, password] = await Promise.all(["#email", "#password"].map((id) => page.locator(id).evaluate((field) => {
    const { borderColor, outlineOffset } = getComputedStyle(field);
    return { borderColor, gap: Number.parseFloat(outlineOffset), focused: field === document.activeElement };
  })));
  expect([email.focused, password.focused]).toEqual([true, false]);
  expect(email.borderColor).toBe(password.borderColor);
  expect(email.gap, "the ring leaves the border free").toBeGreaterThanOrEqual(0);
});

test("a card ends with its last visible element, without further space", async ({ page }) => {
  await signedIn(page);
  await page.goto("/sesiones");
  await expect(page.getByRole("listitem")).toHaveCount(1);
  const space = () => page.locator(".card").evaluate((card) => {
    const { bottom } = card.getBoundingClientRect();
    const last = [...card.children].filter((node) => node.checkVisibility()).at(-1);
    return Math.round(bottom - last.getBoundingClientRect().bottom - Number.parseFloat(getComputedStyle(card).paddingBottom));
  });
  await expect(page.getByRole("button", { name: "Cerrar las demás sesiones" })).toBeHidden();
  expect(await space()).toBe(0);
});

test("each page tells the browser the colour of its background, in light and in dark", async ({ page }) => {
  for (const address of ["/login", "/terminos", "/no-existe"]) {
    await page.goto(address);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      const [told, drawn] = await page.evaluate(() => {
        const meta = [...document.querySelectorAll("meta[name=theme-color]")].find(({ media }) => matchMedia(media).matches);
        const probe = document.createElement("p");
        probe.style.color = meta.content;
        document.body.append(probe);
        return [getComputedStyle(probe).color, getComputedStyle(document.body).backgroundColor];
      });
      expect(told, `${address}, ${colorScheme}`).toBe(drawn);
    }
  }
});

test("a login with Google says that it is going on", async ({ page, context }) => {
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await page.route("**/google-callback-login.php", (route) => held.then(() => route.continue()));
  await page.goto("/login");
  const opened = context.waitForEvent("page");
  await page.getByRole("button", { name: "Iniciar sesión con Google" }).click();
  await (await opened).getByRole("button", { name: /Ana García/ }).click();
  const told = page.getByRole("status").filter({ hasText: "Entrando con Google…" });
  await expect(told).toBeVisible();
  await expect(told, "nothing is done yet").toHaveClass(/\binfo\b/);
  await expect(page.getByRole("button", { name: "Entrando…" }), "a second login cannot begin").toBeDisabled();
  release();
  await expect(page).toHaveURL("/");
});

test("a module that cannot be loaded is reported at its button, which can be used again", async ({ page }) => {
  await signedIn(page);
  await page.goto("/perfil");
  await page.route("**/assets/export.js", (route) => route.abort());
  const button = page.getByRole("button", { name: "Descargar mis datos" });
  await button.click();
  const section = page.getByRole("region", { name: "Descargar tus datos" });
  await expect(section.getByRole("status").filter({ hasText: MESSAGES.network })).toBeVisible();
  await expect(button).toBeEnabled();
});

for (const [address, module] of Object.entries({ "/login": "form", "/seguridad": "section", "/no-fui-yo": "press" })) {
  test(`${address} asks again for a module that has not arrived, or else offers to be loaded again`, async ({ page }) => {
    if (address === "/seguridad") await signedIn(page);
    const usable = () => expect(page.locator("main form button[type=submit], main .button.wide").first()).toBeEnabled();
    await page.route(`**/assets/${module}.js`, (route) => route.abort(), { times: 1 });
    await page.goto(address);
    await usable();
    await page.route(`**/assets/${module}.js`, (route) => route.abort());
    await page.reload();
    await expect(page.locator("#notice")).toContainText("No ha llegado una parte de esta página.");
    await expect(page.getByText("Cargando…")).toBeHidden();
    await page.unroute(`**/assets/${module}.js`);
    await page.locator("#notice").getByRole("link", { name: "Recargar" }).click();
    await usable();
  });
}

test("a logout whose module does not arrive says why, and can be repeated", async ({ page }) => {
  await signedIn(page);
  await page.goto("/sesiones");
  await page.route("**/assets/logout.js", (route) => route.abort());
  const button = page.getByRole("button", { name: "Cerrar sesión" });
  await button.click();
  await expect(page.getByText(MESSAGES.network)).toBeVisible();
  await page.unroute("**/assets/logout.js");
  await button.click();
  await expect(page.getByText("Has cerrado la sesión.")).toBeVisible();
});

test("a refusal whose sentence cannot be loaded is told as a failure of the connection, and the next one has its sentence", async ({ page }) => {
  await page.goto("/login");
  await page.route("**/client/refusals.js", (route) => route.abort());
  await logIn(page, somebody());
  await expect(page.getByText(MESSAGES.network)).toBeVisible();
  await page.unroute("**/client/refusals.js");
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
  await expect(page.getByText(MESSAGES["wrong-credentials"])).toBeVisible();
});

test("the error of a field has a sign in forced colours, which show no red", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto("/login");
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
  const sign = await page.locator("#email-problem").evaluate((problem) => getComputedStyle(problem, "::before").content);
  expect(sign).toContain("⚠");
});
