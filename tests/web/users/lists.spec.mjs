// The lists of sessions and of passkeys: loading, empty, failed, and the notices after a change.

import { REMOVAL, keys } from "../pictures/states/passkeys.mjs";
import { MESSAGES, account, expect, signedIn, test } from "../support.mjs";

const DOWN = { status: 503, json: { message: "Service Unavailable" } };
const notice = (page) => page.locator("#notice");
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();

/** The lists: the addresses of their pages, and the endpoints that they come from. */
const LISTS = { "/sesiones": "**/sessions.php", "/llaves": "**/passkeys.php" };

for (const [address, source] of Object.entries(LISTS)) {
  test(`${address} says that it loads its list, and tries again after a failure`, async ({ page }) => {
    await signedIn(page);
    let release = () => {};
    await page.route(source, async (route) => {
      await new Promise((resolve) => { release = resolve; });
      await route.fulfill(DOWN);
    }, { times: 1 });
    const asked = page.waitForRequest(source);
    await page.goto(address);
    await asked;
    await expect(page.getByRole("status").filter({ hasText: "Cargando…" })).toBeVisible();
    release();
    await expect(notice(page)).toContainText("No se ha podido cargar la lista");
    await expect(notice(page)).toContainText(MESSAGES.unavailable);
    await expect(page.getByText("Cargando…")).toBeHidden();
    await expect(page.locator("#content")).toBeHidden();
    await press(page, "Reintentar");
    await expect(notice(page)).toBeEmpty();
    await expect(page.getByRole("button", { name: "Reintentar" })).toBeHidden();
    await expect(address === "/llaves" ? page.getByText("Aún no tienes ninguna llave de acceso.") : page.getByRole("listitem")).toBeVisible();
  });
}

test("/llaves says that there are no passkeys only if there are none", async ({ page }) => {
  await signedIn(page);
  await keys(2)(page);
  await page.goto("/llaves");
  await expect(page.getByText("Aún sin usar")).toBeVisible();
  await expect(page.getByText("Aún no tienes ninguna llave de acceso.")).toBeHidden();
});

test("a passkey is kept if its owner changes their mind", async ({ page }) => {
  await signedIn(page);
  await keys(2)(page);
  const removals = [];
  page.on("request", (request) => { if (request.url().endsWith(REMOVAL)) removals.push(request.url()); });
  await page.goto("/llaves");
  await press(page, "Eliminar la llave Móvil");
  await press(page, "No, conservarla");
  await expect(page.getByRole("button", { name: "Eliminar la llave Móvil", exact: true })).toBeFocused();
  await expect(page.getByText("Dejará de servir para entrar")).toBeHidden();
  await press(page, "Eliminar la llave Móvil");
  await expect(page.getByRole("button", { name: "Sí, eliminar la llave Móvil" })).toBeVisible();
  expect(removals).toEqual([]);
});

/** What may happen to the button "Eliminar" by mistake. */
const MISTAKES = {
  // The question moves the buttons down, so only a click in the lower part can hit the same button twice.
  "a double click": (page, button) => button.dblclick({ position: { x: 20, y: 44 } }),
  "a key that is held down": async (page, button) => {
    await button.focus();
    for (let repeated = 0; repeated < 6; repeated += 1) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
  },
};

for (const [name, act] of Object.entries(MISTAKES)) {
  test(`${name} removes no passkey`, async ({ page }) => {
    await signedIn(page);
    await keys(2)(page);
    const removals = [];
    await page.route(`**/${REMOVAL}`, (route) => removals.push(route.request().url()));
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto("/llaves");
      await act(page, page.getByRole("button", { name: "Eliminar la llave Móvil", exact: true }));
      await expect(page.getByText("Dejará de servir para entrar")).toBeVisible();
      await expect(page.getByRole("button", { name: "Eliminando…" })).toBeHidden();
      expect(removals).toEqual([]);
    }
  });
}

test("the question before a removal focuses its cancel button, and a removal at work hides that button and says so", async ({ page }) => {
  await signedIn(page);
  await keys(1)(page);
  await page.route(`**/${REMOVAL}`, () => {});
  await page.goto("/llaves");
  await press(page, "Eliminar la llave Móvil");
  const back = page.getByRole("button", { name: "No, conservarla" });
  await expect(back).toBeFocused();
  const remove = page.getByRole("button", { name: "Sí, eliminar la llave Móvil" });
  const { width } = await remove.boundingBox();
  await remove.dispatchEvent("click", { detail: 2 });
  await expect(remove, "the second click of a double click is no answer").toBeVisible();
  await remove.click();
  const working = page.getByRole("button", { name: "Eliminando…", exact: true });
  await expect(working).toBeVisible();
  expect((await working.boundingBox()).width).toBeGreaterThan(width - 1);
  await expect(back).toBeHidden();
});

/** Changes of a list: the page, what it shows first, the click, and the notice of success. */
const CHANGES = {
  "a session that was closed": { address: "/sesiones", source: LISTS["/sesiones"], act: (page) => press(page, "Cerrar las demás sesiones"), done: "Sesión cerrada" },
  "a passkey that was removed": {
    address: "/llaves", source: LISTS["/llaves"], done: "Llave de acceso eliminada. Hemos cerrado tus demás sesiones. Si tu dispositivo la sigue ofreciendo, bórrala en sus ajustes de contraseñas",
    act: async (page) => {
      await press(page, "Eliminar la llave Móvil");
      await press(page, "Sí, eliminar la llave Móvil");
    },
  },
};

for (const [name, { address, source, act, done }] of Object.entries(CHANGES)) {
  const open = async (page, browser) => {
    const person = await signedIn(page);
    const phone = await browser.newPage();
    await signedIn(phone, person);
    await phone.close();
    if (address === "/llaves") await keys(1)(page);
    await page.route(`**/${REMOVAL}`, (route) => route.fulfill({ json: { success: true, message: "Llave de acceso eliminada" } }));
    await page.goto(address);
    await expect(page.getByRole("listitem").first()).toBeVisible();
  };

  test(`${name} is reported together with a list that cannot be loaded afterwards`, async ({ page, browser }) => {
    await open(page, browser);
    await page.route(source, (route) => route.fulfill(DOWN));
    await act(page);
    await expect(notice(page)).toContainText(`${done}. ${MESSAGES.unavailable}`);
    await expect(notice(page)).toHaveClass(/\bbad\b/);
    const retry = page.getByRole("button", { name: "Reintentar" });
    await expect(retry).toBeVisible();
    const [above, below] = [await retry.boundingBox(), await page.locator("#content").boundingBox()];
    expect(below.y - (above.y + above.height), "pixels between the button and the list").toBeGreaterThan(10);
  });

  test(`${name} does not hide that another account is signed in by now`, async ({ page, browser }) => {
    await open(page, browser);
    const second = await account(page.request);
    // The other account signs in before the page gets the answer to its change. Nothing notifies the page.
    await page.route((url) => [REMOVAL, "closeSession.php"].some((path) => url.pathname.endsWith(path)), async (route) => {
      await signedIn(page, second);
      await route.fulfill({ json: { success: true, message: "Hecho" } });
    });
    await act(page);
    await expect(notice(page)).toContainText("En otra pestaña has iniciado sesión con otra cuenta.");
    await expect(page.locator("#content")).toBeHidden();
    await expect(page.getByText(done)).toBeHidden();
  });
}

test("whoever has one session is not asked to close others", async ({ page }) => {
  await signedIn(page);
  await page.goto("/sesiones");
  await expect(page.getByText("Solo tienes abierta esta sesión.")).toBeVisible();
  await expect(page.getByText("Si no reconoces alguna, ciérrala")).toBeHidden();
});

test("the end of several sessions is reported in the plural", async ({ page, browser }) => {
  const person = await signedIn(page);
  const phone = await browser.newPage();
  for (let device = 0; device < 2; device += 1) {
    await phone.context().clearCookies();
    await signedIn(phone, person);
  }
  await phone.close();
  await page.goto("/sesiones");
  await expect(page.getByRole("listitem")).toHaveCount(3);
  await press(page, "Cerrar las demás sesiones");
  await expect(notice(page)).toContainText("Sesiones cerradas");
});

test("all other sessions can be closed without a way past the list", async ({ page }) => {
  await signedIn(page);
  const entry = (id) => ({ id: `${id}`.padStart(12, "A"), browser: "Chrome en Linux", created_at: "2026-01-12T08:30:00Z", last_seen_at: "2026-01-15T09:30:00Z", current: id === 0 });
  await page.route("**/sessions.php", (route) => route.fulfill({ json: { success: true, email_verified: true, has_password: true, sessions: Array.from({ length: 32 }, (_, id) => entry(id)) } }));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/sesiones");
  await expect(page.getByRole("listitem")).toHaveCount(32);
  await expect(page.getByRole("button", { name: "Cerrar las demás sesiones" })).toBeInViewport();
});

test("the end of one attempt on a passkey takes back what was told of the last", async ({ page }) => {
  await signedIn(page);
  await keys(1)(page);
  await page.route(`**/${REMOVAL}`, (route) => route.fulfill({ json: { success: true, message: "Llave de acceso eliminada" } }));
  await page.addInitScript(() => { CredentialsContainer.prototype.create = () => Promise.reject(new DOMException("", "NotAllowedError")); });
  await page.goto("/llaves");
  const failed = page.getByText("No se ha completado la operación con la llave de acceso.");
  const removed = page.getByText("Llave de acceso eliminada.");
  const create = async () => {
    await page.getByLabel("Nombre de la llave nueva").fill("Llave USB");
    await press(page, "Crear llave de acceso");
    await expect(failed).toBeVisible();
  };
  await create();
  await press(page, "Eliminar la llave Móvil");
  await press(page, "Sí, eliminar la llave Móvil");
  await expect(removed).toBeVisible();
  await expect(failed).toBeHidden();
  await create();
  await expect(removed).toBeHidden();
});
