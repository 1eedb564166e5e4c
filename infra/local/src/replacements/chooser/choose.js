// The account chooser: creates a credential for the chosen account and passes it on as Google's page does.
const asked = new URLSearchParams(location.search);

async function choose(email, name) {
  const claims = JSON.stringify({ email, name });
  const response = await fetch("/_local/google/credential", { method: "POST", body: claims });
  const { credential } = await response.json();
  if (asked.get("ux_mode") === "redirect") return post(credential);
  opener.postMessage({ credential }, location.origin);
  close();
}

function post(credential) {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: asked.get("login_uri") });
  for (const [name, value] of Object.entries({ credential, g_csrf_token: asked.get("g_csrf_token") })) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  document.body.append(form);
  form.submit();
}

for (const button of document.querySelectorAll("button[data-email]")) {
  button.addEventListener("click", () => choose(button.dataset.email, button.dataset.name));
}
document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { email, name } = Object.fromEntries(new FormData(event.target));
  choose(email, name);
});
for (const button of document.querySelectorAll("button")) button.disabled = false;
