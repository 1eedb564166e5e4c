//! The emails that the service sends. They address users by name only if the address is verified: otherwise somebody
//! who registers another person's address could put any text into the email.

use super::frame::{self, Advice, Link, Parts};
use super::moment;
use super::product::ProductName;
use crate::system::clock::Timestamp;
use crate::{BrowserName, FrontEnd, Setup, Token};

/// An email without its recipient. No `Debug`: it may contain a link with a token.
pub struct Letter {
    pub(super) subject: &'static str,
    pub(super) text: String,
    pub(super) html: String,
}

/// Writes the emails of a deployment.
#[derive(Clone)]
pub struct Letters {
    front_end: FrontEnd,
    product: ProductName,
}

/// A change of an account that its owner is notified of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The owner's name, if the address is verified.
    pub name: Option<String>,
    /// When the account changed.
    pub at: Timestamp,
    /// The browser that changed the account, if known.
    pub browser: Option<BrowserName>,
}

impl Letter {
    /// The subject.
    #[must_use]
    pub const fn subject(&self) -> &str {
        self.subject
    }

    /// The email as text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The email as HTML.
    #[must_use]
    pub fn html(&self) -> &str {
        &self.html
    }
}

impl Letters {
    /// Reads `FRONT_END_URL` and `PRODUCT_NAME`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { front_end: FrontEnd::new(setup.settings()), product: ProductName::new(setup) }
    }

    /// The email with the link to set a new password.
    #[must_use]
    pub fn reset(&self, token: &Token, lifetime_minutes: u64) -> Letter {
        let lifetime = counted(lifetime_minutes, "minuto", "minutos");
        let url = self.front_end.reset_link(token.reveal().as_str());
        self.render(&Parts {
            subject: "Restablece tu contraseña",
            preheader: format!("El enlace caduca en {lifetime}. Si no lo has pedido tú, no tienes que hacer nada."),
            what: "Hemos recibido una solicitud para restablecer la contraseña de tu cuenta. Elige otra en nuestra página.".into(),
            button: Some(Link { label: "Elegir otra contraseña", url }),
            conditions: Some(format!("{} No reenvíes este correo a nadie, porque quien tenga el enlace puede elegir la contraseña de tu cuenta.", used_once(&lifetime))),
            advice: Advice {
                question: "¿No has sido tú?",
                paragraphs: vec!["Si no lo has pedido tú, no tienes que hacer nada: tu contraseña no cambia."],
                links: vec![],
            },
            ..Parts::default()
        })
    }

    /// The email with the link to verify an address. It has no name, because the address is not verified yet.
    #[must_use]
    pub fn verification(&self, token: &Token, lifetime_hours: u64) -> Letter {
        let lifetime = counted(lifetime_hours, "hora", "horas");
        let url = self.front_end.verification_link(token.reveal().as_str());
        let product = self.product.as_str();
        self.render(&Parts {
            subject: "Verifica tu dirección de correo",
            preheader: format!("El enlace caduca en {lifetime}. Si no has sido tú, puedes borrar este correo."),
            what: format!("Alguien ha indicado esta dirección de correo para una cuenta de {product}.").into(),
            if_it_was_you: Some("Si has sido tú, confirma que la dirección es tuya."),
            button: Some(Link { label: "Verificar mi dirección", url }),
            conditions: Some(used_once(&lifetime)),
            advice: Advice {
                question: "¿No has sido tú?",
                paragraphs: vec!["No confirmes la dirección, porque la cuenta no es tuya. Puedes borrar este correo."],
                links: vec![],
            },
            ..Parts::default()
        })
    }

    /// The notice that the password was changed, in the settings or by a reset. Both keep the passkeys.
    #[must_use]
    pub fn password_changed(&self, notice: &Notice, passkeys: usize) -> Letter {
        let what = "La contraseña de tu cuenta ha cambiado, y las sesiones que estaban abiertas en otros navegadores se han cerrado.";
        let kept = match passkeys {
            0 => String::new(),
            1 => " Tu cuenta tiene una llave de acceso, que sigue funcionando. Si no la has guardado tú, elimínala."
                .to_owned(),
            _ => format!(
                " Tu cuenta tiene {passkeys} llaves de acceso, que siguen funcionando. Elimina las que no hayas guardado tú."
            ),
        };
        let mut links = vec![self.new_password_link()];
        links.extend((passkeys > 0).then(|| self.passkeys_link()));
        self.render(&Parts {
            subject: "Tu contraseña ha cambiado",
            what: format!("{what}{kept}").into(),
            if_it_was_you: Some("Si has sido tú, no tienes que hacer nada."),
            advice: Advice {
                question: "¿No has sido tú?",
                paragraphs: vec![
                    "Otra persona puede conocer tu contraseña anterior o leer tu correo. Cambia primero la contraseña de tu correo.",
                    "Después, elige otra para tu cuenta: te enviaremos un enlace a esta dirección y se cerrarán todas las sesiones.",
                ],
                links,
            },
            ..common_parts(notice)
        })
    }

    /// The notice that a passkey was created.
    #[must_use]
    pub fn passkey_created(&self, notice: &Notice) -> Letter {
        self.render(&Parts {
            subject: "Tu cuenta tiene una llave de acceso nueva",
            what: "Alguien ha guardado una llave de acceso para tu cuenta. Con ella se puede entrar sin contraseña."
                .into(),
            if_it_was_you: Some("Si has sido tú, no tienes que hacer nada."),
            advice: Advice {
                question: "¿No has sido tú?",
                paragraphs: vec![
                    "Elige otra contraseña: te enviaremos un enlace a esta dirección y se cerrarán todas las sesiones.",
                    "Después, entra en tu cuenta y elimina la llave, porque una contraseña nueva no la elimina.",
                ],
                links: vec![self.new_password_link(), self.passkeys_link()],
            },
            ..common_parts(notice)
        })
    }

    /// The notice that a passkey was removed.
    #[must_use]
    pub fn passkey_removed(&self, notice: &Notice) -> Letter {
        self.render(&Parts {
            subject: "Se ha eliminado una llave de acceso",
            what: "Se ha eliminado una llave de acceso de tu cuenta. Ya no se puede entrar con ella.".into(),
            if_it_was_you: Some("Si has sido tú, puedes eliminarla también de tu dispositivo."),
            advice: Advice {
                question: "¿No has sido tú?",
                paragraphs: vec![
                    "Otra persona puede tener abierta una sesión de tu cuenta.",
                    "Elige otra contraseña: te enviaremos un enlace a esta dirección y se cerrarán todas las sesiones.",
                ],
                links: vec![self.new_password_link()],
            },
            ..common_parts(notice)
        })
    }

    /// The notice that the account was linked to a Google identity. The link may have removed the password and the
    /// passkeys.
    #[must_use]
    pub fn google_linked(&self, notice: &Notice, is_password_removed: bool, are_passkeys_removed: bool) -> Letter {
        let question = "¿No has sido tú?";
        let what = "Alguien ha entrado en tu cuenta con Google y con esta dirección de correo.";
        let (subject, removed) = match (is_password_removed, are_passkeys_removed) {
            (true, true) => ("Tu cuenta ya no tiene contraseña ni llaves de acceso", "la contraseña y las llaves de acceso"),
            (true, false) => ("Tu cuenta ya no tiene contraseña", "la contraseña"),
            (false, true) => ("Tu cuenta ya no tiene llaves de acceso", "las llaves de acceso"),
            (false, false) => return self.render(&Parts {
                subject: "Tu cuenta se ha vinculado con Google",
                what: format!("{what} Desde ahora puedes entrar con Google.").into(),
                if_it_was_you: Some("Si has sido tú, no tienes que hacer nada. Si tu cuenta tenía una contraseña, sigue siendo la misma."),
                advice: Advice {
                    question,
                    paragraphs: vec![
                        "Otra persona puede estar usando tu cuenta de Google: cambia su contraseña y revisa su apartado «Seguridad».",
                        "Después, elige otra contraseña para tu cuenta: te enviaremos un enlace a esta dirección y se cerrarán todas las sesiones.",
                    ],
                    links: vec![self.new_password_link()],
                },
                ..common_parts(notice)
            }),
        };
        let (if_it_was_you, button) = if is_password_removed {
            let advice =
                "Si has sido tú, ya está todo hecho: entra con Google o, si prefieres una contraseña, elige otra.";
            (advice, Some(self.new_password_link()))
        } else {
            let advice =
                "Si has sido tú, ya está todo hecho: entra con Google y, si quieres, guarda una llave de acceso nueva.";
            (advice, None)
        };
        let common = common_parts(notice);
        self.render(&Parts {
            subject,
            preheader: format!("Se ha vinculado con Google · {}", common.preheader),
            what: format!("{what} La cuenta se ha vinculado con Google. Por seguridad, hemos eliminado {removed} que tenía y hemos cerrado todas sus sesiones.").into(),
            if_it_was_you: Some(if_it_was_you),
            button,
            advice: Advice {
                question,
                paragraphs: vec!["Otra persona puede estar leyendo tu correo: cambia la contraseña de tu cuenta de Google y revisa su apartado «Seguridad»."],
                links: vec![],
            },
            ..common
        })
    }

    /// The notice that the account was deleted.
    #[must_use]
    pub fn account_deleted(&self, notice: &Notice) -> Letter {
        self.render(&Parts {
            subject: "Tu cuenta se ha eliminado",
            what: "Hemos eliminado tu cuenta con todos sus datos. No se puede deshacer.".into(),
            if_it_was_you: Some("Si has sido tú, no tienes que hacer nada. Gracias por habernos acompañado."),
            advice: Advice {
                question: "¿No has sido tú?",
                paragraphs: vec![
                    "Lo sentimos: no podemos recuperar la cuenta. Otra persona puede conocer tu contraseña o leer tu correo.",
                    "Cambia la contraseña de tu correo, y también la de los sitios donde usabas la misma que aquí. Cuando quieras, puedes crear otra cuenta.",
                ],
                links: vec![Link { label: "Crear otra cuenta", url: self.front_end.registration() }],
            },
            ..common_parts(notice)
        })
    }

    /// The notice that a browser logged in for the first time.
    #[must_use]
    pub fn new_browser(&self, notice: &Notice) -> Letter {
        self.render(&Parts {
            subject: "Alguien ha entrado en tu cuenta con un navegador nuevo",
            what: "Alguien ha entrado en tu cuenta con un navegador que no habíamos visto antes.".into(),
            if_it_was_you: Some("Si has sido tú, no tienes que hacer nada."),
            advice: Advice {
                question: "¿No has sido tú?",
                paragraphs: vec![
                    "Elige otra contraseña: te enviaremos un enlace a esta dirección y se cerrarán todas las sesiones.",
                    "Si entras con Google, cambia también la contraseña de tu cuenta de Google.",
                ],
                links: vec![
                    self.new_password_link(),
                    Link { label: "Ver las sesiones abiertas", url: self.front_end.open_sessions() },
                ],
            },
            ..common_parts(notice)
        })
    }

    fn new_password_link(&self) -> Link {
        Link { label: "Elegir otra contraseña", url: self.front_end.forgotten_password() }
    }

    fn passkeys_link(&self) -> Link {
        Link { label: "Ver las llaves de acceso", url: self.front_end.passkeys() }
    }

    fn render(&self, parts: &Parts) -> Letter {
        let (text, html) = frame::write(self.product.as_str(), self.front_end.address(), parts);
        Letter { subject: parts.subject, text, html }
    }
}

/// The parts that all notices have in common.
fn common_parts(notice: &Notice) -> Parts {
    let browser = notice.browser.as_ref().map(|browser| on_one_line(browser.as_str()));
    let facts = [("Cuándo", moment::in_words(notice.at)), ("Navegador", browser)];
    let facts: Vec<_> = facts.into_iter().filter_map(|(label, value)| Some((label, value?))).collect();
    Parts {
        preheader: facts.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" · "),
        name: notice.name.as_deref().map(on_one_line).filter(|name| !name.is_empty()),
        facts,
        ..Parts::default()
    }
}

fn used_once(lifetime: &str) -> String {
    format!("El enlace caduca en {lifetime} y solo se puede usar una vez. Si pides otro, este deja de funcionar.")
}

fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A stored text without line breaks, other control characters and those that change the direction of the text around
/// them (Unicode Standard Annex #9).
fn on_one_line(text: &str) -> String {
    let is_bidi = |character: char| matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let words = text.split(|character: char| character.is_whitespace() || character.is_control() || is_bidi(character));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
