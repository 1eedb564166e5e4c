// How the pages behave with mistakes, failures and attacks.

import { MESSAGES, PROTECTED, TOKEN, account, expect, logIn, register, session, signedIn, somebody, test } from "../support.mjs";

test.describe("forms", () => {
  test("show an error at each invalid field and move the focus to the first one", { tag: "@firefox" }, async ({ page }) => {
    await page.goto("/registro");
    await page.getByLabel("Email", { exact: true }).fill("ana");
    await page.getByLabel("Contraseña", { exact: true }).fill("secreto");
    await page.getByRole("button", { name: "Crear cuenta" }).click();
    const name = page.getByLabel("Nombre completo");
    await expect(name).toBeFocused();
    await expect(name).toHaveAccessibleDescription("Escribe tu nombre completo.");
    await expect(page.getByLabel("Email", { exact: true })).toHaveAccessibleDescription(MESSAGES["invalid-email"]);
    await expect(page.getByLabel("Contraseña", { exact: true })).toHaveAccessibleDescription(/Una mayúscula \(pendiente\).* Completa lo que falta en la lista\.$/);
    await expect(page.getByLabel("Repite la contraseña", { exact: true })).toHaveAccessibleDescription("Repite la contraseña.");
    await expect(page.getByLabel("Acepto los términos")).toHaveAccessibleDescription(MESSAGES["terms-required"]);
    await expect(page.locator("form input[aria-invalid=true]"), "all but the newsletter").toHaveCount(5);
    await name.fill("Ana");
    await expect(name).toHaveAccessibleDescription("");
    await expect(name).not.toHaveAttribute("aria-invalid");
  });

  test("mark the password rules that are missing once the password is wrong", async ({ page }) => {
    await page.goto("/registro");
    const colours = () => page.locator("#rules li").evaluateAll((rules) => rules.map((rule) => getComputedStyle(rule).color));
    const [quiet] = await colours();
    await page.getByLabel("Contraseña", { exact: true }).fill("secreto7");
    await expect(page.locator("#rules .met")).toHaveCount(2);
    const [met, missing, digit] = await colours();
    expect([met, missing]).toEqual([digit, quiet]);
    expect(met).not.toBe(quiet);
    await page.getByRole("button", { name: "Crear cuenta" }).click();
    await expect(page.locator("#password-problem")).not.toBeEmpty();
    const problem = await page.locator("#password-problem").evaluate((node) => getComputedStyle(node).color);
    expect(await colours()).toEqual([met, problem, met]);
  });

  test("show which password rules are met during typing", async ({ page }) => {
    await page.goto("/registro");
    const password = page.getByLabel("Contraseña", { exact: true });
    const met = page.locator("#rules .met");
    await expect(met).toHaveCount(0);
    await password.fill("ñandúes7");
    await expect(met).toHaveText(["Al menos 8 caracteres (cumplida)", "Un número (cumplida)"]);
    await expect(page.locator("#rules li:not(.met)")).toHaveText(["Una mayúscula (pendiente)"]);
    await password.fill("Ñandúes7");
    await expect(met).toHaveCount(3);
  });

  test("show a refusal of the service at the field that it concerns", async ({ page }) => {
    const person = await account(page.request);
    await page.goto("/registro");
    await register(page, person);
    await expect(page.getByLabel("Email", { exact: true })).toHaveAccessibleDescription(MESSAGES["email-taken"]);
    await expect(page.getByLabel("Email", { exact: true })).toBeFocused();
    await page.locator("#email-problem").getByRole("link", { name: "Inicia sesión" }).click();
    await expect(page).toHaveURL("/login");
    await expect(page.getByLabel("Email", { exact: true })).toHaveValue(person.email);
  });

  test("lead from an unknown email to the registration", async ({ page }) => {
    const { email } = somebody();
    await page.goto("/recuperar");
    await page.getByLabel("Email").fill(email);
    await page.getByRole("button", { name: "Enviar enlace" }).click();
    await page.locator("#email-problem").getByRole("link", { name: "crea una cuenta" }).click();
    await expect(page).toHaveURL("/registro");
    await expect(page.getByLabel("Email", { exact: true })).toHaveValue(email);
  });

  test("keep the browser from checking and correcting a password that is shown", async ({ page }) => {
    await page.goto("/registro");
    for (const name of ["Contraseña", "Repite la contraseña"]) {
      const field = page.getByLabel(name, { exact: true });
      await expect(field).toHaveAttribute("spellcheck", "false");
      await expect(field).toHaveAttribute("autocapitalize", "none");
      await expect(field).toHaveAttribute("autocorrect", "off");
    }
  });

  test("are sent even if the settings of the deployment never arrive", async ({ page }) => {
    const person = await account(page.request);
    await page.clock.install();
    await page.route("**/config.json", () => {});
    const asked = page.waitForRequest("**/config.json");
    await page.goto("/login");
    await asked;
    await logIn(page, person);
    await expect(page.getByRole("button", { name: "Entrando…" })).toBeVisible();
    await page.clock.runFor(11_000);
    await expect(page).toHaveURL("/");
  });

  test("are sent once for several clicks and are disabled meanwhile", async ({ page }) => {
    const person = await account(page.request);
    let [calls, release] = [0, () => {}];
    await page.route("**/sendLogin.php", async (route) => {
      calls += 1;
      await new Promise((resolve) => { release = resolve; });
      await route.continue();
    });
    await page.goto("/login");
    await logIn(page, person);
    const button = page.getByRole("button", { name: "Entrando…" });
    await expect(button).toBeDisabled();
    await button.click({ force: true });
    await page.getByLabel("Email", { exact: true }).press("Enter");
    await expect.poll(() => calls).toBe(1);
    release();
    await expect(page).toHaveURL("/");
    expect(calls).toBe(1);
  });

  test("explain that nothing could be sent and keep their values", async ({ page }) => {
    const person = somebody();
    await page.goto("/login");
    await page.route("**/sendLogin.php", (route) => route.abort("internetdisconnected"));
    await logIn(page, person);
    await expect(page.getByText("No se ha podido conectar.")).toBeVisible();
    await expect(page.getByLabel("Email", { exact: true })).toHaveValue(person.email);
    await page.unroute("**/sendLogin.php");
    await page.route("**/sendLogin.php", (route) => route.fulfill({ status: 503, json: { message: "Service Unavailable" } }));
    await page.getByRole("button", { name: "Entrar" }).click();
    await expect(page.getByText(MESSAGES.unavailable)).toBeVisible();
  });

  test("declare their fields for password managers", async ({ page }) => {
    const words = async (address) => {
      await page.goto(address);
      return page.locator("input[autocomplete]").evaluateAll((fields) => fields.map((field) => field.autocomplete));
    };
    expect(await words("/login")).toEqual(["username webauthn", "current-password"]);
    expect(await words("/registro")).toEqual(["name", "username", "new-password", "new-password"]);
    expect(await words("/recuperar")).toEqual(["username"]);
    expect(await words(`/restablecer?token=${TOKEN}`)).toEqual(["username", "new-password", "new-password"]);
    await signedIn(page);
    await page.goto("/seguridad");
    await expect(page.locator("#content")).toBeVisible();
    expect(await page.getByLabel("Email nuevo").getAttribute("autocomplete")).toBe("email");
    for (const field of await page.locator("input[autocomplete=new-password]").all()) {
      expect(await field.getAttribute("passwordrules")).toContain("minlength: 8");
    }
  });

  test("never put a password into a URL, even without scripts", async ({ browser }) => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    for (const address of ["/login", "/registro", "/restablecer"]) {
      await page.goto(address);
      for (const form of await page.locator("form").all()) expect(await form.getAttribute("method")).toBe("post");
    }
    await page.close();
  });
});

test.describe("sessions", () => {
  for (const address of PROTECTED) {
    test(`are needed for ${address}, and the login leads back to it`, async ({ page }) => {
      const person = await account(page.request);
      await page.goto(address);
      await expect(page).toHaveURL(`/login?volver=${encodeURIComponent(address)}`);
      await logIn(page, person);
      await expect(page).toHaveURL(address);
      await expect(page.locator("#content")).toBeVisible();
    });
  }

  test("that have ended show no page when the user goes back", { tag: "@firefox" }, async ({ page }) => {
    const person = await signedIn(page);
    await page.goto("/");
    await expect(page.getByRole("heading", { name: `Hola, ${person.name}` })).toBeVisible();
    await page.getByRole("button", { name: "Cerrar sesión" }).click();
    await expect(page.getByText("Has cerrado la sesión.")).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL("/login?volver=%2F");
    await expect(page.getByText(person.email)).toBeHidden();
  });

  test("need no new login when the service cannot be reached", async ({ page }) => {
    await signedIn(page);
    await page.route("**/session.php", (route) => route.abort("internetdisconnected"));
    await page.goto("/perfil");
    await expect(page.getByText("No se ha podido conectar.")).toBeVisible();
    await page.unroute("**/session.php");
    await page.getByRole("button", { name: "Reintentar" }).click();
    await expect(page.getByRole("heading", { name: "Perfil" })).toBeVisible();
  });

  test("that have been closed are reported once, and not again after a reload", async ({ page }) => {
    await signedIn(page);
    await page.goto("/");
    await page.getByRole("button", { name: "Cerrar sesión" }).click();
    await expect(page.getByText("Has cerrado la sesión.")).toBeVisible();
    await expect(page).toHaveURL("/login");
    await page.reload();
    await expect(page.getByRole("button", { name: "Entrar", exact: true })).toBeEnabled();
    await expect(page.locator("#notice")).toBeEmpty();
    await page.goto("/login?volver=%2Fsesiones&baja=1");
    await expect(page).toHaveURL("/login?volver=%2Fsesiones");
  });

  test("leave nothing in the browser's storage and no cookie that scripts can read", async ({ page }) => {
    await signedIn(page);
    await page.goto("/");
    await expect(page.getByRole("heading", { name: /Hola/ })).toBeVisible();
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([0, 0, ""]);
  });
});

test.describe("an attacker", () => {
  for (const target of ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/login"]) {
    test(`cannot redirect a user to ${target} after the login`, async ({ page }) => {
      const person = await account(page.request);
      await page.goto(`/login?volver=${encodeURIComponent(target)}`);
      await logIn(page, person);
      await expect(page).toHaveURL("/");
    });
  }

  test("cannot insert HTML with a name", async ({ page }) => {
    const name = "<img src=x onerror=alert(1)>";
    await signedIn(page, await account(page.request, { ...somebody(), name }));
    await page.goto("/");
    await expect(page.getByRole("heading", { name: `Hola, ${name}` })).toBeVisible();
    expect(await page.locator("#greeting img").count()).toBe(0);
  });

  test("finds no reset token in the address bar or in a referrer", async ({ page }) => {
    const seen = [];
    page.on("request", (request) => seen.push(request.headers().referer ?? ""));
    await page.goto("/restablecer?token=geheim");
    await expect(page).toHaveURL("/restablecer");
    await page.goBack().catch(() => {});
    expect(page.url()).not.toContain("geheim");
    expect(seen.filter((referer) => referer.includes("geheim"))).toEqual([]);
  });

  test("cannot run a script on a page or show a page in a frame", async ({ browser }) => {
    // This test violates the policy, so it does not use the page that forbids violations.
    const page = await browser.newPage();
    const answer = await page.goto("/login");
    const policy = answer.headers()["content-security-policy"];
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    const ran = await page.evaluate(() => {
      document.body.insertAdjacentHTML("beforeend", "<button id=trap onclick='globalThis.ran = true'>x</button>");
      document.getElementById("trap").click();
      return "ran" in globalThis;
    });
    expect(ran).toBe(false);
    await page.close();
  });
});

test.describe("Google", () => {
  const empty = { contentType: "text/javascript", body: "" };
  for (const [name, block] of [["cannot be loaded", (route) => route.abort("blockedbyclient")], ["is empty", (route) => route.fulfill(empty)]]) {
    test(`is not shown if its script ${name}, and the rest of the page works`, async ({ page }) => {
      const person = await account(page.request);
      await page.route("**/_local/google/client.js", block);
      await page.goto("/login", { waitUntil: "networkidle" });
      await expect(page.locator("#google-section")).toBeHidden();
      await expect(page.getByText("Google")).toHaveCount(0);
      await logIn(page, person);
      await expect(page).toHaveURL("/");
    });
  }

  test("is not loaded if no client is configured", async ({ page }) => {
    await page.route("**/config.json", (route) => route.fulfill({ json: {} }));
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto("/registro");
    await page.waitForLoadState("networkidle");
    expect(asked).toContain("/config.json");
    expect(asked.filter((path) => path.includes("google") && !path.endsWith("/google.js"))).toEqual([]);
    await expect(page.locator("#google-section")).toBeHidden();
  });

  test("shows an error for a refused credential and opens no session", async ({ page, context }) => {
    await page.goto("/login");
    await context.route("**/_local/google/credential", (route) => route.fulfill({ json: { credential: "a.b.c" } }));
    const opened = context.waitForEvent("page");
    await page.getByRole("button", { name: "Iniciar sesión con Google" }).click();
    await (await opened).getByRole("button", { name: /Ana García/ }).click();
    await expect(page.getByText(MESSAGES["invalid-credential"])).toBeVisible();
    expect(await session(page)).toBeUndefined();
  });
});

test.describe("a stack with a captcha", () => {
  test.use({ baseURL: process.env.CAPTCHA_URL, elsewhere: ["challenges.cloudflare.com"] });

  test("sends a new token of the widget with each login", async ({ page }) => {
    const person = await account(page.request);
    await page.route("https://challenges.cloudflare.com/**", (route) => route.fulfill({
      contentType: "text/javascript",
      body: `let given = 0, options;
        const give = () => options.callback("token-" + (given += 1));
        globalThis.turnstile = { render: (place, wanted) => { options = wanted; give(); return 1; }, reset: give };`,
    }));
    const tokens = [];
    page.on("request", (request) => {
      if (request.url().endsWith("sendLogin.php")) tokens.push(new URLSearchParams(request.postData()).get("g-captcha-response"));
    });
    await page.goto("/login");
    await logIn(page, { ...person, password: "Equivocada1" });
    await expect(page.getByText(MESSAGES["wrong-credentials"])).toBeVisible();
    await logIn(page, person);
    await expect(page).toHaveURL("/");
    expect(tokens).toEqual(["token-1", "token-2"]);
  });

  test("sends the login without a token if the captcha's script cannot be loaded", async ({ page }) => {
    const person = await account(page.request);
    await page.route("https://challenges.cloudflare.com/**", (route) => route.abort());
    await page.goto("/login");
    await expect(page.getByText("Permite challenges.cloudflare.com en tu bloqueador de contenidos y recarga la página.")).toBeVisible();
    await logIn(page, person);
    await expect(page).toHaveURL("/");
  });
});

test.describe("a captcha whose script a content blocker has emptied", () => {
  test.use({ bypassCSP: true, elsewhere: ["www.google.com"] });

  test("is reported, and the login is sent without a token", async ({ page }) => {
    const person = await account(page.request);
    await page.route("**/config.json", (route) => route.fulfill({ json: { captcha: { provider: "recaptcha", siteKey: "x" } } }));
    await page.route("https://www.google.com/**", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
    await page.goto("/login");
    await expect(page.getByText("Permite www.google.com en tu bloqueador de contenidos y recarga la página.")).toBeVisible();
    await logIn(page, person);
    await expect(page).toHaveURL("/");
  });
});

test.describe("a stack that is its own captcha provider", () => {
  test.use({ baseURL: process.env.ALTCHA_URL });

  test("sends a new proof of work with each login, and loads nothing from other hosts", async ({ page }) => {
    const person = await account(page.request);
    const tokens = [];
    page.on("request", (request) => {
      if (request.url().endsWith("sendLogin.php")) tokens.push(new URLSearchParams(request.postData()).get("g-captcha-response"));
    });
    await page.goto("/login");
    await logIn(page, { ...person, password: "Equivocada1" });
    await expect(page.getByText(MESSAGES["wrong-credentials"])).toBeVisible();
    await logIn(page, person);
    await expect(page).toHaveURL("/");
    expect(new Set(tokens).size).toBe(2);
  });

  test("shows the refusal of a login without a proof, and sends one with the next", async ({ page }) => {
    const person = await account(page.request);
    await page.route("**/app/auth/captcha.php", (route) => route.abort());
    await page.goto("/login");
    await logIn(page, person);
    await expect(page.getByText(MESSAGES["invalid-captcha"])).toBeVisible();
    await page.unroute("**/app/auth/captcha.php");
    await logIn(page, person);
    await expect(page).toHaveURL("/");
  });
});

test.describe("content blockers", () => {
  for (const module of ["captcha", "google"]) {
    test(`that stop ${module}.js leave a login that works and says so if the service has the feature`, async ({ page }) => {
      const person = await account(page.request);
      await page.route(`**/assets/${module}.js`, (route) => route.abort("blockedbyclient"));
      if (module === "captcha") await page.route("**/config.json", (route) => route.fulfill({ json: { captcha: { provider: "turnstile", siteKey: "x" } } }));
      await page.goto("/login?registro=1");
      await expect(page.getByText(new RegExp(`permite ${module}.js`, "i"))).toBeVisible();
      await expect(page.locator(".notice.info").filter({ hasText: "bloqueador" })).toBeVisible();
      await expect(page.getByText("Cuenta creada.")).toBeVisible();
      await logIn(page, person);
      await expect(page).toHaveURL("/");
    });
  }

  test("that stop google.js leave a registration that works and says so", async ({ page }) => {
    await page.route("**/assets/google.js", (route) => route.abort("blockedbyclient"));
    await page.goto("/registro");
    await expect(page.getByText("permite google.js")).toBeVisible();
    await register(page, somebody());
    await expect(page.getByText("Cuenta creada.")).toBeVisible();
  });
});
