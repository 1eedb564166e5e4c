// The full accessibility tree of each form, which screen readers use. A change of it fails here.

import { TOKEN, expect, signedIn, test } from "../support.mjs";

/** Opens a page and returns its main part. */
async function main(page, address) {
  await page.goto(address);
  return page.getByRole("main");
}

test("the accessibility tree of the login", async ({ page }) => {
  await expect(await main(page, "/login")).toMatchAriaSnapshot(`
    - main:
      - /children: deep-equal
      - heading "Iniciar sesión" [level=1]
      - paragraph: Tus finanzas personales, en un solo sitio.
      - status
      - text: Email
      - textbox "Email"
      - text: Contraseña
      - textbox "Contraseña"
      - button "Mostrar contraseña": Mostrar
      - paragraph:
        - link "¿Has olvidado tu contraseña?":
          - /url: /recuperar
      - button "Entrar"
      - paragraph: o
      - region "Google":
        - button "Iniciar sesión con Google"
      - paragraph:
        - text: ¿Aún no tienes cuenta?
        - link "Crear cuenta":
          - /url: /registro
        - text: ¿Necesitas ayuda?
        - link "Contáctanos":
          - /url: /terminos#contacto
  `);
});

test("the accessibility tree of the registration", async ({ page }) => {
  await expect(await main(page, "/registro")).toMatchAriaSnapshot(`
    - main:
      - /children: deep-equal
      - heading "Crear cuenta" [level=1]
      - status
      - text: Nombre completo
      - textbox "Nombre completo"
      - text: Email
      - textbox "Email"
      - text: Contraseña
      - textbox "Contraseña"
      - button "Mostrar contraseña": Mostrar
      - list:
        - listitem: Al menos 8 caracteres (pendiente)
        - listitem: Una mayúscula (pendiente)
        - listitem: Un número (pendiente)
      - text: Repite la contraseña
      - textbox "Repite la contraseña"
      - button "Mostrar contraseña": Mostrar
      - checkbox "Acepto los términos y condiciones"
      - text: Acepto los
      - link "términos y condiciones":
        - /url: /terminos
      - checkbox "Quiero recibir el boletín (opcional)"
      - text: Quiero recibir el boletín (opcional)
      - button "Crear cuenta"
      - paragraph:
        - text: Tratamos tus datos como explica la
        - link "política de privacidad":
          - /url: /privacidad
        - text: .
      - region "Google":
        - paragraph: o
        - button "Registrarse con Google"
        - paragraph:
          - text: Si te registras con Google, aceptas los
          - link "términos y condiciones":
            - /url: /terminos
          - text: .
      - paragraph:
        - text: ¿Ya tienes cuenta?
        - link "Iniciar sesión":
          - /url: /login
  `);
});

test("the accessibility tree of a registration with errors names the fields that are wrong", async ({ page }) => {
  const form = await main(page, "/registro");
  await page.getByRole("button", { name: "Crear cuenta" }).click();
  await expect(form).toMatchAriaSnapshot(`
    - textbox "Nombre completo" [invalid]
    - paragraph: Escribe tu nombre completo.
    - textbox "Email" [invalid]
    - paragraph: Escribe tu email.
    - textbox "Contraseña" [invalid]
    - paragraph: Escribe una contraseña.
    - textbox "Repite la contraseña" [invalid]
    - paragraph: Repite la contraseña.
    - checkbox "Acepto los términos y condiciones" [invalid]
    - paragraph: Acepta los términos y condiciones para continuar.
  `);
});

test("the accessibility tree of the request of a reset link", async ({ page }) => {
  await expect(await main(page, "/recuperar")).toMatchAriaSnapshot(`
    - main:
      - /children: deep-equal
      - heading "Recuperar contraseña" [level=1]
      - paragraph: Escribe el email de tu cuenta. Te enviaremos un enlace para que elijas otra contraseña.
      - status
      - text: Email
      - textbox "Email"
      - button "Enviar enlace"
      - paragraph:
        - link "Volver a iniciar sesión":
          - /url: /login
  `);
});

test("the accessibility tree of the form for a new password", async ({ page }) => {
  await expect(await main(page, `/restablecer?token=${TOKEN}`)).toMatchAriaSnapshot(`
    - main:
      - /children: deep-equal
      - heading "Restablecer contraseña" [level=1]
      - status
      - text: Contraseña nueva
      - textbox "Contraseña nueva"
      - button "Mostrar contraseña": Mostrar
      - list:
        - listitem: Al menos 8 caracteres (pendiente)
        - listitem: Una mayúscula (pendiente)
        - listitem: Un número (pendiente)
      - text: Repite la contraseña nueva
      - textbox "Repite la contraseña nueva"
      - button "Mostrar contraseña": Mostrar
      - button "Guardar contraseña"
      - paragraph: Al guardarla se cierran todas las sesiones.
      - paragraph:
        - link "Volver a iniciar sesión":
          - /url: /login
  `);
});

test("the accessibility tree of the sessions", async ({ page, browser }) => {
  const phone = await browser.newPage();
  const person = await signedIn(phone);
  await phone.close();
  await signedIn(page, person);
  await expect(await main(page, "/sesiones")).toMatchAriaSnapshot(`
    - main:
      - /children: deep-equal
      - heading "Sesiones abiertas" [level=1]
      - status
      - paragraph:
        - text: Si no reconoces alguna, ciérrala y
        - link "cambia tu contraseña":
          - /url: /perfil#contrasena
        - text: .
      - list:
        - listitem:
          - strong: Chrome en Linux (esta sesión)
          - paragraph: "/Último uso: .+ Abierta: .+/"
        - listitem:
          - strong: Chrome en Linux
          - paragraph: "/Último uso: .+ Abierta: .+/"
          - button /Cerrar la sesión de Chrome en Linux, usada el .+/: Cerrar
      - button "Cerrar las demás sesiones"
      - paragraph:
        - link "Volver al perfil":
          - /url: /perfil
  `);
});

test("the accessibility tree of the passkeys", async ({ page }) => {
  await signedIn(page);
  await expect(await main(page, "/llaves")).toMatchAriaSnapshot(`
    - main:
      - /children: deep-equal
      - heading "Llaves de acceso" [level=1]
      - status
      - paragraph: Entra con tu huella, tu cara o el PIN de tu dispositivo, sin escribir la contraseña. Una llave de acceso solo sirve en esta web, así que una página falsa no puede robarla.
      - paragraph: Aún no tienes ninguna llave de acceso.
      - list
      - status
      - text: Nombre de la llave nueva
      - textbox "Nombre de la llave nueva"
      - paragraph: Para reconocerla en esta lista, como «Móvil» o «Portátil del trabajo».
      - button "Crear llave de acceso"
      - paragraph:
        - link "Volver al perfil":
          - /url: /perfil
  `);
});

test("the accessibility tree of the deletion of an account", async ({ page }) => {
  await signedIn(page);
  await expect(await main(page, "/eliminar-cuenta")).toMatchAriaSnapshot(`
    - main:
      - /children: deep-equal
      - heading "Eliminar cuenta" [level=1]
      - status
      - paragraph:
        - strong: No se puede deshacer.
        - text: Se borrarán para siempre tu cuenta y todos tus datos.
      - paragraph:
        - link "Descarga antes tus datos":
          - /url: /perfil#datos-guardados
        - text: si los quieres conservar.
      - paragraph:
        - text: "Para confirmar, escribe tu email:"
        - strong: /ana\\..+@example\\.com/
      - text: Email de tu cuenta
      - textbox "Email de tu cuenta"
      - button "Eliminar para siempre"
      - paragraph:
        - link "No, volver al perfil":
          - /url: /perfil
  `);
});

const SECTIONS = {
  "Tus datos": `
    - region "Tus datos":
      - /children: deep-equal
      - heading "Tus datos" [level=2]
      - status
      - text: Nombre completo
      - textbox "Nombre completo": Ana García
      - text: Email
      - textbox "Email": /ana\\..+@example\\.com/
      - paragraph: El email no se puede cambiar.
      - button "Guardar cambios"
  `,
  "Imagen": `
    - region "Imagen":
      - /children: deep-equal
      - heading "Imagen" [level=2]
      - status
      - group "Elige tu imagen":
        - text: Elige tu imagen
        - 'radio "Sin imagen: una silueta gris" [checked]'
        - 'img "Sin imagen: una silueta gris"'
        - radio "Pelo corto castaño, fondo naranja"
        - img "Pelo corto castaño, fondo naranja"
        - radio "Pelo rizado negro, fondo verde agua"
        - img "Pelo rizado negro, fondo verde agua"
        - radio "Pelo largo pelirrojo, fondo azul"
        - img "Pelo largo pelirrojo, fondo azul"
        - radio "Moño oscuro y gafas, fondo rosa"
        - img "Moño oscuro y gafas, fondo rosa"
        - radio "Melena rubia, fondo verde lima"
        - img "Melena rubia, fondo verde lima"
        - radio "Pelo a cepillo negro y gafas, fondo celeste"
        - img "Pelo a cepillo negro y gafas, fondo celeste"
        - radio "Cabeza rapada y gafas, fondo lila"
        - img "Cabeza rapada y gafas, fondo lila"
        - radio "Barba castaña, fondo crema"
        - img "Barba castaña, fondo crema"
        - radio "Trenzas castañas, fondo verde claro"
        - img "Trenzas castañas, fondo verde claro"
        - radio "Flequillo morado, fondo rosa claro"
        - img "Flequillo morado, fondo rosa claro"
      - button "Guardar imagen"
  `,
  "Boletín": `
    - region "Boletín":
      - /children: deep-equal
      - heading "Boletín" [level=2]
      - status
      - checkbox "Quiero recibir el boletín"
      - text: Quiero recibir el boletín
      - button "Guardar boletín"
  `,
  "Contraseña": `
    - region "Contraseña":
      - /children: deep-equal
      - heading "Contraseña" [level=2]
      - paragraph: Al guardarla se cierran las demás sesiones.
      - status
      - text: Contraseña nueva
      - textbox "Contraseña nueva"
      - button "Mostrar contraseña": Mostrar
      - list:
        - listitem: Al menos 8 caracteres (pendiente)
        - listitem: Una mayúscula (pendiente)
        - listitem: Un número (pendiente)
      - text: Repite la contraseña nueva
      - textbox "Repite la contraseña nueva"
      - button "Mostrar contraseña": Mostrar
      - button "Guardar contraseña"
  `,
  "Llaves de acceso": `
    - region "Llaves de acceso":
      - /children: deep-equal
      - heading "Llaves de acceso" [level=2]
      - paragraph: Entra sin escribir la contraseña.
      - paragraph:
        - link "Ver las llaves de acceso":
          - /url: /llaves
  `,
  "Sesiones": `
    - region "Sesiones":
      - /children: deep-equal
      - heading "Sesiones" [level=2]
      - paragraph: Mira dónde has iniciado sesión y cierra lo que no reconozcas.
      - paragraph:
        - link "Ver las sesiones abiertas":
          - /url: /sesiones
  `,
  "Verificación": `
    - region "Verificación":
      - /children: deep-equal
      - heading "Verificación" [level=2]
      - status
      - paragraph: Confirma que el email es tuyo. Te enviaremos un enlace.
      - button "Verificar mi email"
  `,
  "Descargar tus datos": `
    - region "Descargar tus datos":
      - /children: deep-equal
      - heading "Descargar tus datos" [level=2]
      - status
      - paragraph: Descarga en un archivo todo lo que guardamos de ti.
      - button "Descargar mis datos"
  `,
  "Eliminar cuenta": `
    - region "Eliminar cuenta":
      - /children: deep-equal
      - heading "Eliminar cuenta" [level=2]
      - paragraph: Se borran tu cuenta y todos tus datos. No se puede deshacer.
      - paragraph:
        - link "Eliminar mi cuenta":
          - /url: /eliminar-cuenta
  `,
};

test("the accessibility tree of each section of the profile", async ({ page }) => {
  await signedIn(page);
  const profile = await main(page, "/perfil");
  await expect(profile.getByRole("region")).toHaveCount(Object.keys(SECTIONS).length);
  for (const [name, tree] of Object.entries(SECTIONS)) {
    await expect.soft(profile.getByRole("region", { name, exact: true }), name).toMatchAriaSnapshot(tree);
  }
});
