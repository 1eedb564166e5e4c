// The tests of the route guards, which `package.test.mjs` runs with its compiled project.

import assert from "node:assert/strict";
import { act, createElement } from "react";
import { renderToString } from "react-dom/server";
import { create } from "react-test-renderer";

/**
 * `compiled` imports a module of the project, and `found` a package of it. `person` has an account.
 */
export async function guards(context, compiled, person, found) {
  const quiet = context.mock.method(console, "error", () => {});
  globalThis.IS_REACT_ACT_ENVIRONMENT = true;
  const { account } = await compiled("account.js");
  const { Providers } = await compiled("react.js");
  const signedOut = await account.logout();
  assert.equal(signedOut.ok, true);

  /** Waits until the rendered text is this one. */
  const shows = async (root, text) => {
    for (let turn = 0; written(root) !== text; turn += 1) {
      assert.ok(turn < 1_000, `"${written(root)}" is not "${text}"`);
      await act(() => new Promise((resolve) => { setTimeout(resolve, 5); }));
    }
  };
  const rendered = async (element) => {
    let root;
    await act(() => { root = create(createElement(Providers, null, element)); });
    return root;
  };

  await context.test("the guard of React Router leads to the login, and back to the page after it, and never back to the login", async () => {
    const { Protected } = await compiled("examples/react-router.js");
    const { RouterProvider, createMemoryRouter, useLocation } = await found("react-router");
    const seen = [];
    const Login = () => `login ${useLocation().state?.next}`;
    const Account = () => (seen.push("account"), "account");
    const router = createMemoryRouter([
      { path: "/login", element: createElement(Login) },
      { element: createElement(Protected), children: [{ path: "/cuenta", element: createElement(Account) }] },
    ], { initialEntries: ["/cuenta?x=1"] });
    const places = [];
    router.subscribe(({ location }) => places.push(location.pathname));
    const root = await rendered(createElement(RouterProvider, { router }));
    await shows(root, "login /cuenta?x=1");
    assert.deepEqual(seen, [], "nobody has seen the page");
    await act(async () => {
      assert.equal((await account.login(person)).ok, true);
      await router.navigate("/cuenta?x=1");
    });
    await shows(root, "account");
    assert.deepEqual(places, ["/login", "/cuenta"]);
    await act(() => account.logout());
    await shows(root, "login /cuenta?x=1");
    await act(() => root.unmount());
  });

  await context.test("the guard of a page of Next prerenders nothing of the page, and leads to the login when the session ends", async () => {
    const { Protected } = await compiled("examples/next/protected.js");
    const { Providers: Own } = await compiled("examples/next/providers.js");
    const { replaced } = await found("next/navigation");
    const page = createElement(Protected, null, "secret");
    // The client of this provider has no address, and is created with its module.
    assert.equal(renderToString(createElement(Own, null, page)), "<p>Cargando…</p>");
    assert.equal((await account.login(person)).ok, true);
    const root = await rendered(page);
    await shows(root, "secret");
    assert.deepEqual(replaced, []);
    await act(() => account.logout());
    await shows(root, "Cargando…");
    assert.deepEqual(replaced, ["/login?next=%2Fcuenta"]);
    await act(() => root.unmount());
  });

  await context.test("the proxy of Next lets a session pass, leads others to the login, and lets nobody pass while the service is away", async (part) => {
    const { proxy } = await compiled("examples/next/proxy.js");
    const { NextRequest } = await found("next/server");
    const cookies = [];
    const { fetch } = globalThis;
    part.mock.method(globalThis, "fetch", async (url, options) => {
      const response = await fetch(url, { ...options, credentials: "omit" });
      cookies.push(...response.headers.getSetCookie().map((line) => line.split(";")[0]));
      return response;
    });
    const ask = (headers) => proxy(new NextRequest("http://localhost/cuenta/datos?x=1&y=2", { headers }));
    const away = await ask({});
    assert.deepEqual([away.status, away.headers.get("location")], [307, "http://localhost/login?next=%2Fcuenta%2Fdatos%3Fx%3D1%26y%3D2"]);
    assert.equal((await account.login(person)).ok, true);
    const signedIn = await ask({ cookie: cookies.join("; ") });
    assert.deepEqual([signedIn.status, signedIn.headers.get("x-middleware-next")], [200, "1"]);
    part.mock.method(globalThis, "fetch", async () => { throw new TypeError("no connection"); });
    assert.equal((await ask({ cookie: cookies.join("; ") })).status, 503);
  });
  quiet.mock.restore();
}

/** The text that is rendered. */
const written = (root) => text(root.toJSON());
const text = (node) => (Array.isArray(node) ? node.map(text).join("") : typeof node === "object" ? text(node?.children ?? "") : node);
