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
    pub(super) front_end: FrontEnd,
    product: ProductName,
}

/// A change of an account that its owner is notified of.
#[derive(Clone)]
pub struct Notice {
    /// The owner's name, if the address is verified.
    pub name: Option<String>,
    /// When the account changed.
    pub at: Timestamp,
    /// The browser that changed the account, if known.
    pub browser: Option<BrowserName>,
    /// The token with which the owner can lock the account; `None` if the account no longer exists.
    pub lock: Option<Token>,
}

/// What a new password did besides, for its notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewPasswordFacts {
    /// How many passkeys the account still has.
    pub passkeys_kept: usize,
    /// Whether passkeys were removed.
    pub are_passkeys_removed: bool,
    /// Whether Google was unlinked.
    pub is_google_unlinked: bool,
    /// Whether it was the first proof of the address, which hands the account over.
    pub is_first_proof: bool,
}

/// What a link to Google removed, for its notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GoogleLinkFacts {
    /// Whether it removed the password.
    pub is_password_removed: bool,
    /// Whether it removed passkeys.
    pub are_passkeys_removed: bool,
    /// Whether it was the first proof of the address, which hands the account over.
    pub is_first_proof: bool,
}

const NOT_YOU: &str = "¿No has sido tú?";
/// What to do if somebody else changed the account.
const LOCK: &str = "Pulsa «No he sido yo»: cerraremos todas las sesiones, quitaremos la contraseña y las llaves de acceso, y te enviaremos un enlace para elegir otra contraseña.";
/// What the owner of an address has to know after its first proof.
const HANDED_OVER: &str = " Es la primera vez que alguien confirma que esta dirección es suya, así que todo lo que antes abría la cuenta ha dejado de funcionar. Los datos guardados hasta ahora siguen en ella, y tu exportación los distingue.";

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
                question: NOT_YOU,
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
                question: NOT_YOU,
                paragraphs: vec!["No confirmes la dirección, porque la cuenta no es tuya. Puedes borrar este correo."],
                links: vec![],
            },
            ..Parts::default()
        })
    }

    /// The email with the link to change the address of an account to the one that it is sent to. It has no name, because
    /// nobody has proved this address yet.
    #[must_use]
    pub fn email_change(&self, token: &Token, lifetime_hours: u64) -> Letter {
        let lifetime = counted(lifetime_hours, "hora", "horas");
        let url = self.front_end.email_change_link(token.reveal().as_str());
        let product = self.product.as_str();
        self.render(&Parts {
            subject: "Confirma tu nuevo email",
            preheader: format!("El enlace caduca en {lifetime}. Si no has sido tú, puedes borrar este correo."),
            what: format!("Alguien quiere usar esta dirección de correo para una cuenta de {product} que ya existe.")
                .into(),
            if_it_was_you: Some("Si has sido tú, confirma el cambio. Hasta entonces, la cuenta conserva su email."),
            button: Some(Link { label: "Confirmar mi nuevo email", url }),
            conditions: Some(used_once(&lifetime)),
            advice: Advice {
                question: NOT_YOU,
                paragraphs: vec!["No confirmes el cambio, porque la cuenta no es tuya. Puedes borrar este correo."],
                links: vec![],
            },
            ..Parts::default()
        })
    }

    /// The notice to the former address that the account has another one.
    #[must_use]
    pub fn email_changed(&self, notice: &Notice) -> Letter {
        self.render(&Parts {
            subject: "El email de tu cuenta ha cambiado",
            what: "Tu cuenta tiene desde ahora otra dirección de correo, y las demás sesiones se han cerrado. Con esta dirección ya no se puede entrar, y los próximos avisos llegarán a la nueva.".into(),
            if_it_was_you: Some("Si has sido tú, no tienes que hacer nada."),
            advice: self.advice(notice, "Otra persona puede tener tu cuenta. Durante 72 horas puedes recuperarla con este correo: el email de la cuenta vuelve a ser este."),
            ..common_parts(notice)
        })
    }

    /// The email with the link to set a new password, after the owner or an operator has locked the account.
    #[must_use]
    pub fn locked(&self, token: &Token, lifetime_minutes: u64) -> Letter {
        let lifetime = counted(lifetime_minutes, "minuto", "minutos");
        let url = self.front_end.reset_link(token.reveal().as_str());
        self.render(&Parts {
            subject: "Tu cuenta está protegida",
            preheader: format!("Elige otra contraseña. El enlace caduca en {lifetime}."),
            what: "Hemos cerrado todas las sesiones de tu cuenta, y hemos quitado la contraseña, las llaves de acceso y los navegadores conocidos. Ya no se puede entrar con nada de lo que había antes.".into(),
            button: Some(Link { label: "Elegir otra contraseña", url }),
            conditions: Some(format!("{} No reenvíes este correo a nadie.", used_once(&lifetime))),
            advice: Advice {
                question: "¿Qué hago ahora?",
                paragraphs: vec![
                    "Otra persona puede leer tu correo: cambia primero la contraseña de tu correo, y la de tu cuenta de Google si entras con ella.",
                    "Después, elige otra contraseña para tu cuenta. Si el enlace ha caducado, pide otro.",
                ],
                links: vec![self.new_password_link()],
            },
            ..Parts::default()
        })
    }

    /// The notice that the password was changed, in the settings or by a reset.
    #[must_use]
    pub fn password_changed(&self, notice: &Notice, facts: NewPasswordFacts) -> Letter {
        let what = "La contraseña de tu cuenta ha cambiado, y las sesiones que estaban abiertas en otros navegadores se han cerrado.";
        let removed = if facts.are_passkeys_removed { " También se han quitado las llaves de acceso." } else { "" };
        let unlinked = if facts.is_google_unlinked { " Tu cuenta ya no está vinculada con Google." } else { "" };
        let kept = match facts.passkeys_kept {
            0 => String::new(),
            1 => " Tu cuenta tiene una llave de acceso, que sigue funcionando. Si no la has guardado tú, elimínala."
                .to_owned(),
            passkeys => format!(
                " Tu cuenta tiene {passkeys} llaves de acceso, que siguen funcionando. Elimina las que no hayas guardado tú."
            ),
        };
        let handed_over = if facts.is_first_proof { HANDED_OVER } else { "" };
        let mut advice = self.advice(notice, "Otra persona puede conocer tu contraseña anterior o leer tu correo. Cambia primero la contraseña de tu correo.");
        advice.links.extend((facts.passkeys_kept > 0).then(|| self.passkeys_link()));
        self.render(&Parts {
            subject: "Tu contraseña ha cambiado",
            what: format!("{what}{removed}{unlinked}{kept}{handed_over}").into(),
            if_it_was_you: Some("Si has sido tú, no tienes que hacer nada."),
            advice,
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
            advice: self.advice(notice, "Otra persona puede tener abierta una sesión de tu cuenta."),
            ..common_parts(notice)
        })
    }

    /// The notice that a passkey was removed.
    #[must_use]
    pub fn passkey_removed(&self, notice: &Notice) -> Letter {
        self.render(&Parts {
            subject: "Se ha eliminado una llave de acceso",
            what: "Se ha eliminado una llave de acceso de tu cuenta, y las demás sesiones se han cerrado. Ya no se puede entrar con ella.".into(),
            if_it_was_you: Some("Si has sido tú, puedes eliminarla también de tu dispositivo."),
            advice: self.advice(notice, "Otra persona puede tener abierta una sesión de tu cuenta."),
            ..common_parts(notice)
        })
    }

    /// The notice that the account was exported.
    #[must_use]
    pub fn account_exported(&self, notice: &Notice) -> Letter {
        self.render(&Parts {
            subject: "Alguien ha descargado los datos de tu cuenta",
            what: "Se ha descargado una copia de todos los datos de tu cuenta desde una sesión abierta.".into(),
            if_it_was_you: Some("Si has sido tú, no tienes que hacer nada. Guarda la copia en un sitio seguro."),
            advice: self.advice(
                notice,
                "Otra persona puede tener abierta una sesión de tu cuenta, y tiene una copia de tus datos.",
            ),
            ..common_parts(notice)
        })
    }

    /// The notice in place of several that would be too many.
    #[must_use]
    pub fn joined(&self, notice: &Notice, changes: &[&'static str]) -> Letter {
        let changes = changes.join("; ");
        self.render(&Parts {
            subject: "Tu cuenta ha cambiado muchas veces",
            what: format!("Hay más cambios en tu cuenta que avisos te podemos enviar en un día. Desde el último aviso: {changes}. Durante unas horas te avisaremos como mucho una vez cada hora.").into(),
            if_it_was_you: Some("Si has sido tú, no tienes que hacer nada."),
            advice: self.advice(notice, "Otra persona puede estar usando tu cuenta ahora mismo."),
            ..common_parts(notice)
        })
    }

    /// The notice that the account was linked to a Google identity. The link may have removed the password and the
    /// passkeys.
    #[must_use]
    pub fn google_linked(&self, notice: &Notice, facts: GoogleLinkFacts) -> Letter {
        let what = "Alguien ha entrado en tu cuenta con Google y con esta dirección de correo.";
        let common = common_parts(notice);
        let (subject, removed) = match (facts.is_password_removed, facts.are_passkeys_removed) {
            (true, true) => ("Tu cuenta ya no tiene contraseña ni llaves de acceso", "la contraseña y las llaves de acceso"),
            (true, false) => ("Tu cuenta ya no tiene contraseña", "la contraseña"),
            (false, true) => ("Tu cuenta ya no tiene llaves de acceso", "las llaves de acceso"),
            (false, false) => return self.render(&Parts {
                subject: "Tu cuenta se ha vinculado con Google",
                what: format!("{what} Desde ahora puedes entrar con Google.").into(),
                if_it_was_you: Some("Si has sido tú, no tienes que hacer nada. Si tu cuenta tenía una contraseña, sigue siendo la misma."),
                advice: self.advice(notice, "Otra persona puede estar usando tu cuenta de Google: cambia su contraseña y revisa su apartado «Seguridad»."),
                ..common
            }),
        };
        let (if_it_was_you, button) = if facts.is_password_removed {
            let advice =
                "Si has sido tú, ya está todo hecho: entra con Google o, si prefieres una contraseña, elige otra.";
            (advice, Some(self.new_password_link()))
        } else {
            let advice =
                "Si has sido tú, ya está todo hecho: entra con Google y, si quieres, guarda una llave de acceso nueva.";
            (advice, None)
        };
        let handed_over = if facts.is_first_proof { HANDED_OVER } else { "" };
        self.render(&Parts {
            subject,
            preheader: format!("Se ha vinculado con Google · {}", common.preheader),
            what: format!("{what} La cuenta se ha vinculado con Google. Por seguridad, hemos eliminado {removed} que tenía y hemos cerrado todas sus sesiones.{handed_over}").into(),
            if_it_was_you: Some(if_it_was_you),
            button,
            advice: self.advice(notice, "Otra persona puede estar leyendo tu correo: cambia la contraseña de tu cuenta de Google y revisa su apartado «Seguridad»."),
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
                question: NOT_YOU,
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
        let mut advice =
            self.advice(notice, "Si entras con Google, cambia también la contraseña de tu cuenta de Google.");
        advice.links.push(Link { label: "Ver las sesiones abiertas", url: self.front_end.open_sessions() });
        self.render(&Parts {
            subject: "Alguien ha entrado en tu cuenta con un navegador nuevo",
            what: "Alguien ha entrado en tu cuenta con un navegador que no habíamos visto antes.".into(),
            if_it_was_you: Some("Si has sido tú, no tienes que hacer nada."),
            advice,
            ..common_parts(notice)
        })
    }

    /// What to do if somebody else caused a notice, with the link that locks the account.
    pub(super) fn advice(&self, notice: &Notice, first: &'static str) -> Advice {
        let Some(token) = &notice.lock else {
            return Advice { question: NOT_YOU, paragraphs: vec![first], links: vec![self.new_password_link()] };
        };
        let url = self.front_end.lock_link(token.reveal().as_str());
        Advice { question: NOT_YOU, paragraphs: vec![first, LOCK], links: vec![Link { label: "No he sido yo", url }] }
    }

    pub(super) fn new_password_link(&self) -> Link {
        Link { label: "Elegir otra contraseña", url: self.front_end.forgotten_password() }
    }

    fn passkeys_link(&self) -> Link {
        Link { label: "Ver las llaves de acceso", url: self.front_end.passkeys() }
    }

    pub(super) fn render(&self, parts: &Parts) -> Letter {
        let (text, html) = frame::write(self.product.as_str(), self.front_end.address(), parts);
        Letter { subject: parts.subject, text, html }
    }
}

/// The parts that all notices have in common.
pub(super) fn common_parts(notice: &Notice) -> Parts {
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

pub(super) fn used_once(lifetime: &str) -> String {
    format!("El enlace caduca en {lifetime} y solo se puede usar una vez. Si pides otro, este deja de funcionar.")
}

pub(super) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A stored text without line breaks, other control characters and those that change the direction of the text around
/// them (Unicode Standard Annex #9).
fn on_one_line(text: &str) -> String {
    let is_bidi = |character: char| matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let words = text.split(|character: char| character.is_whitespace() || character.is_control() || is_bidi(character));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
