// The API page: sends its forms with the header that the service requires, shows the answers, and copies texts.

async function send(form) {
  const fields = [...form.elements].filter((field) => field.name);
  const [headers, body] = [new Headers({ "X-Requested-With": "XMLHttpRequest" }), new URLSearchParams()];
  for (const { dataset, name, value } of fields) {
    if (!("header" in dataset)) body.append(name, value);
    else if (value) headers.set(name, value);
  }
  if (form.dataset.type === "application/json") headers.set("Content-Type", form.dataset.type);
  const response = await fetch(form.getAttribute("action"), {
    method: "POST",
    headers,
    body: form.dataset.type === "application/json" ? form.elements.body.value : body,
  });
  const text = await response.text();
  let answer = text;
  try {
    answer = JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    // It is not JSON.
  }
  const seen = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  return { status: `${response.status} ${response.statusText}`, answer: [...seen, "", answer].join("\n") };
}

for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const section = form.closest("details");
    const { status, answer } = await send(form).catch((error) => ({ status: "The service was not reached", answer: String(error) }));
    section.querySelector(".status").textContent = status;
    section.querySelector(".answer").textContent = answer;
  });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector("pre").textContent);
    for (const { firstChild } of document.querySelectorAll("[data-copy]")) firstChild.textContent = "Copy";
    button.firstChild.textContent = "Copied";
  });
}
for (const button of document.querySelectorAll("button")) button.disabled = false;
