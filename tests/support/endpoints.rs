//! The endpoints, one row each. Tests of all endpoints loop over these rows, and a test compares the rows with the
//! template's routes.

mod own;
mod sample;

pub use own::Own;

use crate::bodies::{FORM, JSON, urlencoded};
use crate::sentences::{
    ACCESS_DENIED, DATA_SAVED, DELETED, EMAIL_MISSING, FORBIDDEN, INVALID_CREDENTIAL, INVALID_JSON, INVALID_PARAMETERS,
    INVALID_PASSKEY, INVALID_TOKEN, LINK_SENT, LOGGED_IN, LOGGED_OUT, NO_SESSION, NO_SESSION_EMAIL, REGISTERED,
    Sentence, VERIFICATION_SENT, WEAK,
};
use crate::{Answer, Visitor};

/// The value that the identity provider's page sends both as a cookie and as a field.
const DOUBLE_SUBMIT: &str = "f00dfeed";

/// One endpoint.
pub struct Endpoint {
    /// Its crate, which is its function's name.
    pub name: &'static str,
    /// Its path.
    pub path: &'static str,
    /// The answer to a call without the header `X-Requested-With`.
    pub forbidden: Sentence,
    /// The answer to an empty call without a session.
    pub empty: Sentence,
    /// The answer to a call with a session and an unreadable body. An endpoint that takes no body ignores the body, and
    /// answers as it always does.
    pub broken: Sentence,
    /// The body of a call that succeeds.
    pub body: Body,
    /// The answer to the sample event in `infra/events`, if the sample events of the earlier rows were sent before.
    pub sample: Sentence,
}

/// A body. `{email}` and the other names in braces of [`Own`] are replaced with a visitor's values.
pub enum Body {
    /// No body.
    Nothing,
    /// The fields of a form.
    Form(&'static [(&'static str, &'static str)]),
    /// JSON text.
    Json(&'static str),
    /// A form of the identity provider's page, with these fields and the cookie of its double submit.
    ProviderPage(&'static [(&'static str, &'static str)]),
}

macro_rules! endpoints {
    ($d:tt $($module:ident $id:ident $path:literal { $($field:tt)* })*) => {
        /// The paths of the contract.
        pub mod paths {
            $(#[doc = concat!("`", $path, "`")] pub const $id: &str = $path;)*

            /// All paths.
            pub const ALL: &[&str] = &[$($id),*];
        }

        /// Every endpoint.
        #[expect(clippy::needless_update, reason = "one row sets every field, the others do not")]
        pub const ENDPOINTS: &[Endpoint] = &[$(Endpoint { path: paths::$id, $($field)* ..Endpoint::COMMON }),*];

        /// Calls a macro with the names of a module and of a path for each endpoint, so that each gets its own test.
        #[macro_export]
        macro_rules! for_each_endpoint {
            ($d make:ident) => { $d make! { $($module $id)* } };
        }
    };
}

endpoints! { $
    register REGISTER "/app/auth/sendRegister.php" {
        name: "register",
        empty: INVALID_PARAMETERS,
        broken: INVALID_PARAMETERS,
        body: Body::Form(&[
            ("nombre", "Ana García"),
            ("email", "{email}"),
            ("password", "{password}"),
            ("confirm-password", "{password}"),
            ("terms", "on"),
        ]),
        sample: REGISTERED,
    }
    login LOGIN "/app/auth/sendLogin.php" {
        name: "login",
        empty: EMAIL_MISSING,
        broken: INVALID_PARAMETERS,
        body: Body::Form(&[("email", "{email}"), ("password", "{password}")]),
        sample: LOGGED_IN,
    }
    captcha CAPTCHA "/app/auth/captcha.php" {
        name: "captcha",
    }
    google_login GOOGLE_LOGIN "/app/auth/google-callback-login.php" {
        name: "google-login",
        empty: INVALID_PARAMETERS,
        broken: INVALID_PARAMETERS,
        body: Body::Json(r#"{"credential":"{credential}"}"#),
        sample: INVALID_CREDENTIAL,
    }
    google_redirect GOOGLE_REDIRECT "/app/auth/google-callback.php" {
        name: "google-redirect",
        empty: INVALID_PARAMETERS,
        broken: INVALID_PARAMETERS,
        body: Body::ProviderPage(&[("credential", "{credential}"), ("g_csrf_token", DOUBLE_SUBMIT)]),
        sample: (303, ""),
    }
    logout LOGOUT "/app/auth/logout.php" {
        name: "logout",
        empty: LOGGED_OUT,
        broken: LOGGED_OUT,
        body: Body::Nothing,
        sample: LOGGED_OUT,
    }
    session SESSION "/app/auth/session.php" {
        name: "session",
        empty: NO_SESSION,
        broken: (200, ""),
        body: Body::Nothing,
        sample: NO_SESSION,
    }
    list_sessions LIST_SESSIONS "/app/auth/sessions.php" {
        name: "list-sessions",
        empty: NO_SESSION,
        broken: (200, ""),
        body: Body::Nothing,
        sample: NO_SESSION,
    }
    close_session CLOSE_SESSION "/app/auth/closeSession.php" {
        name: "close-session",
        empty: NO_SESSION,
        broken: INVALID_PARAMETERS,
        body: Body::Form(&[("others", "on")]),
        sample: NO_SESSION,
    }
    passkey_register_options PASSKEY_REGISTER_OPTIONS "/app/auth/passkeyRegisterOptions.php" {
        name: "passkey-register-options",
        empty: NO_SESSION,
        broken: (200, ""),
        body: Body::Nothing,
        sample: NO_SESSION,
    }
    passkey_register PASSKEY_REGISTER "/app/auth/passkeyRegister.php" {
        name: "passkey-register",
        empty: NO_SESSION,
        broken: INVALID_PARAMETERS,
        body: Body::Json(r#"{"credential":{attestation},"name":"Mi portátil"}"#),
        sample: NO_SESSION,
    }
    passkey_login_options PASSKEY_LOGIN_OPTIONS "/app/auth/passkeyLoginOptions.php" {
        name: "passkey-login-options",
        empty: (200, ""),
        broken: (200, ""),
        body: Body::Nothing,
        sample: (200, ""),
    }
    passkey_login PASSKEY_LOGIN "/app/auth/passkeyLogin.php" {
        name: "passkey-login",
        empty: INVALID_PARAMETERS,
        broken: INVALID_PARAMETERS,
        body: Body::Json(r#"{"credential":{assertion}}"#),
        sample: INVALID_PASSKEY,
    }
    list_passkeys LIST_PASSKEYS "/app/auth/passkeys.php" {
        name: "list-passkeys",
        empty: NO_SESSION,
        broken: (200, ""),
        body: Body::Nothing,
        sample: NO_SESSION,
    }
    remove_passkey REMOVE_PASSKEY "/app/auth/removePasskey.php" {
        name: "remove-passkey",
        empty: NO_SESSION,
        broken: INVALID_PARAMETERS,
        body: Body::Form(&[("id", "{passkey}")]),
        sample: NO_SESSION,
    }
    export_account EXPORT_ACCOUNT "/app/auth/exportAccount.php" {
        name: "export-account",
        empty: NO_SESSION,
        broken: INVALID_PARAMETERS,
        body: Body::Form(&[("cursor", "")]),
        sample: NO_SESSION,
    }
    send_verification SEND_VERIFICATION "/app/auth/sendVerification.php" {
        name: "send-verification",
        empty: NO_SESSION,
        broken: VERIFICATION_SENT,
        body: Body::Nothing,
        sample: NO_SESSION,
    }
    verify_email VERIFY_EMAIL "/app/auth/verifyEmail.php" {
        name: "verify-email",
        empty: INVALID_TOKEN,
        broken: INVALID_PARAMETERS,
        body: Body::Form(&[("token", "{verification}")]),
        sample: INVALID_TOKEN,
    }
    user_config USER_CONFIG "/app/auth/sendUserConfig.php" {
        name: "user-config",
        empty: NO_SESSION,
        broken: INVALID_PARAMETERS,
        body: Body::Form(&[("name", "Ana García"), ("notifications", "on")]),
        sample: NO_SESSION,
    }
    delete_account DELETE_ACCOUNT "/app/auth/deleteAccount.php" {
        name: "delete-account",
        empty: NO_SESSION_EMAIL,
        broken: DELETED,
        body: Body::Nothing,
        sample: NO_SESSION_EMAIL,
    }
    send_reset_link SEND_RESET_LINK "/app/auth/sendResetLink.php" {
        name: "send-reset-link",
        empty: EMAIL_MISSING,
        broken: INVALID_PARAMETERS,
        body: Body::Form(&[("email", "{email}")]),
        sample: LINK_SENT,
    }
    reset_password RESET_PASSWORD "/app/auth/resetPassword.php" {
        name: "reset-password",
        empty: WEAK,
        broken: INVALID_PARAMETERS,
        body: Body::Form(&[("token", "{token}"), ("new_password", "Secreto456"), ("confirm_password", "Secreto456")]),
        sample: INVALID_TOKEN,
    }
    receive_data RECEIVE_DATA "/receive-data.php" {
        name: "receive-data",
        forbidden: ACCESS_DENIED,
        empty: INVALID_JSON,
        broken: INVALID_JSON,
        body: Body::Json(r#"[{"importe":12.5},{"importe":7}]"#),
        sample: DATA_SAVED,
    }
}

/// The cookie that the identity provider's page sets beside the field of its double submit.
#[must_use]
pub fn double_submit_cookie() -> String {
    format!("g_csrf_token={DOUBLE_SUBMIT}")
}

impl Endpoint {
    /// The values that most rows share.
    const COMMON: Self = Self {
        name: "",
        path: "",
        forbidden: FORBIDDEN,
        empty: INVALID_PARAMETERS,
        broken: INVALID_PARAMETERS,
        body: Body::Nothing,
        sample: INVALID_PARAMETERS,
    };

    /// The endpoint at a path.
    ///
    /// # Panics
    /// No endpoint has this path.
    #[must_use]
    pub fn at(path: &str) -> &'static Self {
        let found = ENDPOINTS.iter().find(|endpoint| endpoint.path == path);
        #[expect(clippy::expect_used, reason = "a test of an endpoint that does not exist must fail")]
        found.expect("the path is an endpoint's")
    }

    /// The fields of the call that succeeds, if it is a form.
    #[must_use]
    pub fn fields(&self, own: &Own) -> Vec<(&'static str, String)> {
        match &self.body {
            Body::Form(fields) | Body::ProviderPage(fields) => {
                fields.iter().map(|(name, value)| (*name, own.fill(value).into_owned())).collect()
            }
            Body::Nothing | Body::Json(_) => Vec::new(),
        }
    }

    /// Media type and body of the call that succeeds. A form is URL-encoded.
    #[must_use]
    pub fn call(&self, own: &Own) -> (&'static str, String) {
        if let Body::Json(text) = &self.body {
            return (JSON, own.fill(text).into_owned());
        }
        (FORM, urlencoded(&self.fields(own)))
    }

    /// Whether the endpoint requires a live session.
    #[must_use]
    pub fn needs_session(&self) -> bool {
        self.empty == NO_SESSION || self.empty == NO_SESSION_EMAIL
    }

    /// Makes the call that succeeds as this visitor. The visitor must have the account and the session that the
    /// endpoint requires.
    pub async fn call_by(&self, visitor: &mut Visitor) -> Answer {
        let own = self.own(visitor).await;
        self.call_with(&own, visitor).await
    }

    /// Makes the call that succeeds with these values.
    pub async fn call_with(&self, own: &Own, visitor: &mut Visitor) -> Answer {
        let (media_type, body) = self.call(own);
        let request = match self.body {
            Body::ProviderPage(_) => {
                visitor.service.request("POST", self.path).header("cookie", double_submit_cookie())
            }
            _ => visitor.request(self.path),
        };
        visitor.send(request.header("content-type", media_type).body(body)).await
    }
}
