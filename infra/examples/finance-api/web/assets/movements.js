// The movements of whoever is signed in. 401 and 403 mean that nobody is.

const api = "/api/movements";
const element = (id) => document.getElementById(id);
const euros = new Intl.NumberFormat("es-ES", { style: "currency", currency: "EUR" });

/** Tells in the page what happened. */
function tell(text, link) {
  element("notice").className = "notice info";
  element("notice").replaceChildren(text, ...(link ? [" ", link] : []));
}

/** Asks the API. Gives undefined, and says why, if it does not answer with a success. */
async function ask(init) {
  const response = await fetch(api, init).catch(() => undefined);
  if (response?.ok) return response.json();
  if (response?.status === 401 || response?.status === 403) {
    element("add").hidden = true;
    element("movements").replaceChildren();
    const link = Object.assign(document.createElement("a"), { href: "/login", textContent: "Iniciar sesión" });
    tell("Tu sesión ha terminado.", link);
  } else {
    tell("No se han podido guardar ni leer tus movimientos. Inténtalo de nuevo.");
  }
  return undefined;
}

async function show() {
  const found = await ask();
  if (!found) return;
  element("add").hidden = false;
  element("movements").replaceChildren(...found.movements.map(({ concept, cents }) =>
    Object.assign(document.createElement("li"), { textContent: `${concept}: ${euros.format(cents / 100)}` })));
}

element("add").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.currentTarget;
  const body = JSON.stringify({ concept: form.concept.value, cents: Math.round(form.euros.valueAsNumber * 100) });
  const headers = { "Content-Type": "application/json", "X-Requested-With": "XMLHttpRequest" };
  form.querySelector("button").disabled = true;
  const added = await ask({ method: "POST", headers, body });
  form.querySelector("button").disabled = false;
  if (!added) return;
  form.reset();
  tell("Movimiento añadido.");
  await show();
});

// A page that comes back with the back button, or to the front, may belong to nobody any more.
addEventListener("pageshow", show);
document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") show(); });
