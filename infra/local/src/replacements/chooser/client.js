// Replaces Google's script: implements the part of google.accounts.id that the front end uses, with the local stack's
// account chooser.
(() => {
  const CHOOSER = "/_local/google/choose";
  const WORDS = { signin_with: "Iniciar sesión con Google", signup_with: "Registrarse con Google", continue_with: "Continuar con Google" };
  let options = {};

  function popup() {
    const chooser = window.open(`${CHOOSER}?ux_mode=popup`, "_blank", "popup,width=480,height=640");
    addEventListener("message", function chosen({ data, origin, source }) {
      if (source !== chooser || origin !== location.origin) return;
      removeEventListener("message", chosen);
      options.callback({ credential: data.credential });
    });
  }

  function redirect() {
    const token = crypto.randomUUID();
    document.cookie = `g_csrf_token=${token}; Path=/; SameSite=Lax`;
    const asked = new URLSearchParams({ ux_mode: "redirect", login_uri: options.login_uri, g_csrf_token: token });
    location.assign(`${CHOOSER}?${asked}`);
  }

  globalThis.google = {
    accounts: {
      id: {
        initialize: (given) => { options = given; },
        renderButton: (parent, look) => {
          const button = document.createElement("button");
          Object.assign(button, { type: "button", className: "button plain", textContent: WORDS[look.text] });
          button.addEventListener("click", () => {
            look.click_listener?.();
            if (options.ux_mode === "redirect") redirect();
            else popup();
          });
          parent.replaceChildren(button);
        },
      },
    },
  };
})();
