//! The emails about a way in that is gone: a password that an operator has removed, and an unlinked Google account.

use super::frame::{Advice, Link, Parts};
use super::letter::{Letter, Letters, Notice, common_parts, counted, used_once};
use crate::Token;

impl Letters {
    /// The email with the link to set a new password, after an operator has removed the old one.
    #[must_use]
    pub fn password_removed(&self, token: &Token, lifetime_minutes: u64) -> Letter {
        let lifetime = counted(lifetime_minutes, "minuto", "minutos");
        let url = self.front_end.reset_link(token.reveal().as_str());
        self.render(&Parts {
            subject: "Elige otra contraseña",
            preheader: format!("Hemos quitado la contraseña de tu cuenta. El enlace caduca en {lifetime}."),
            what: "Por seguridad, hemos quitado la contraseña de tu cuenta y hemos cerrado todas sus sesiones. Tus datos siguen en ella.".into(),
            button: Some(Link { label: "Elegir otra contraseña", url }),
            conditions: Some(format!("{} No reenvíes este correo a nadie.", used_once(&lifetime))),
            advice: Advice {
                question: "¿Qué hago ahora?",
                paragraphs: vec![
                    "Elige una contraseña que no uses en ningún otro sitio. Si usabas la anterior en otro sitio, cámbiala también allí.",
                    "Si el enlace ha caducado, pide otro.",
                ],
                links: vec![self.new_password_link()],
            },
            ..Parts::default()
        })
    }

    /// The notice that the account is no longer linked to a Google identity.
    #[must_use]
    pub fn google_unlinked(&self, notice: &Notice) -> Letter {
        self.render(&Parts {
            subject: "Tu cuenta ya no está vinculada con Google",
            what: "Se ha desvinculado Google de tu cuenta, y las demás sesiones se han cerrado. Si alguien vuelve a entrar con Google y con esta dirección de correo, la cuenta se vinculará otra vez y te avisaremos.".into(),
            if_it_was_you: Some("Si has sido tú, no tienes que hacer nada."),
            advice: self.advice(notice, "Otra persona puede tener abierta una sesión de tu cuenta."),
            ..common_parts(notice)
        })
    }
}
