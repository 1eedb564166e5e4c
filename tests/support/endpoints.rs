//! The endpoints, one row each. Tests of all endpoints loop over these rows, and a test compares the rows with the
//! template's routes.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::bodies::{FORM, JSON, urlencoded};
use crate::sentences::{
    ACCESS_DENIED, DATA_SAVED, DELETED, EMAIL_MISSING, FORBIDDEN, INVALID_CREDENTIAL, INVALID_JSON, INVALID_PARAMETERS,
    INVALID_TOKEN, LINK_SENT, LOGGED_IN, LOGGED_OUT, NO_SESSION, NO_SESSION_EMAIL, REGISTERED, Sentence,
    VERIFICATION_SENT, WEAK,
};
use crate::{Answer, PASSWORD, Visitor};

/// The value that the identity provider's page sends both as a cookie and as a field.
const DOUBLE_SUBMIT: &str = "f00dfeed";

/// One endpoint.
pub struct Endpoint {
    /// Its crate, which is its function's name.
    pub name: &'static str,
    /// Its path.
    pub path: &'static str,
    /// The answer to a call without the header.
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

/// A body. `{email}`, `{password}`, `{token}`, `{verification}` and `{credential}` are replaced with a visitor's values.
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

/// A token in the right format.
const EXAMPLE_TOKEN: &str = "t4mUxR1kPz0wYc7LhQe2Ng.3q2-7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789A";
/// Header and claims of a credential.
const EXAMPLE_HEADER: &str = r#"{"alg":"RS256","kid":"example","typ":"JWT"}"#;
const EXAMPLE_CLAIMS: &str = concat!(
    r#"{"iss":"https://accounts.google.com","aud":"local-client","sub":"100000000000000000001","#,
    r#""email":"ana@example.com","email_verified":true,"name":"Ana Garc\u00eda","iat":1767225600,"exp":1767229200}"#,
);

/// A visitor's values for a body.
pub struct Own {
    email: String,
    password: String,
    token: String,
    verification: String,
    credential: String,
}

impl Own {
    /// The values of sample events. The credential's signature is invalid.
    #[must_use]
    pub fn example() -> Self {
        Self {
            email: "ana@example.com".to_owned(),
            password: "Secreto123".to_owned(),
            token: EXAMPLE_TOKEN.to_owned(),
            verification: EXAMPLE_TOKEN.to_owned(),
            credential: format!("{}.{}.c2lnbmF0dXJl", encoded(EXAMPLE_HEADER), encoded(EXAMPLE_CLAIMS)),
        }
    }

    fn fill<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains('{') {
            return text.into();
        }
        let text = text.replace("{email}", &self.email).replace("{password}", &self.password);
        let text = text.replace("{token}", &self.token).replace("{verification}", &self.verification);
        text.replace("{credential}", &self.credential).into()
    }
}

/// The cookie that the identity provider's page sets beside the field of its double submit.
#[must_use]
pub fn double_submit_cookie() -> String {
    format!("g_csrf_token={DOUBLE_SUBMIT}")
}

fn encoded(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
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

    fn mentions(&self, own: &str) -> bool {
        match &self.body {
            Body::Nothing => false,
            Body::Form(fields) | Body::ProviderPage(fields) => fields.iter().any(|(_, value)| value.contains(own)),
            Body::Json(text) => text.contains(own),
        }
    }

    /// Whether the endpoint requires a live session.
    #[must_use]
    pub fn needs_session(&self) -> bool {
        self.empty == NO_SESSION || self.empty == NO_SESSION_EMAIL
    }

    /// The visitor's values for the call. A token is requested and a credential is signed if the body needs one.
    pub async fn own(&self, visitor: &mut Visitor) -> Own {
        Own {
            token: if self.mentions("{token}") { visitor.reset_token().await } else { String::new() },
            verification: if self.mentions("{verification}") {
                visitor.verification_token().await
            } else {
                String::new()
            },
            credential: if self.mentions("{credential}") { visitor.credential(json!({})).await } else { String::new() },
            email: visitor.email.clone(),
            password: PASSWORD.to_owned(),
        }
    }

    /// Makes the call that succeeds as this visitor. The visitor needs an account unless the endpoint creates one.
    pub async fn call_by(&self, visitor: &mut Visitor) -> Answer {
        let (media_type, body) = self.call(&self.own(visitor).await);
        let request = match self.body {
            Body::ProviderPage(_) => {
                visitor.service.request("POST", self.path).header("cookie", double_submit_cookie())
            }
            _ => visitor.request(self.path),
        };
        visitor.send(request.header("content-type", media_type).body(body)).await
    }

    /// The event that API Gateway sends for the call, with example values.
    #[must_use]
    pub fn sample_event(&self) -> Value {
        const HOST: &str = "a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com";
        const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
        let (media_type, text) = self.call(&Own::example());
        let session = format!("__Host-session={EXAMPLE_TOKEN}");
        let (media_type, header, cookie) = match self.body {
            Body::ProviderPage(_) => (Some(media_type), None, Some(double_submit_cookie())),
            Body::Nothing => (None, Some("XMLHttpRequest"), Some(session)),
            _ => (Some(media_type), Some("XMLHttpRequest"), self.needs_session().then_some(session)),
        };
        // API Gateway sends a form as base64 and JSON as text.
        let is_encoded = media_type == Some(FORM);
        let body = if is_encoded { STANDARD.encode(&text) } else { text.clone() };
        let route = format!("ANY {}", self.path);
        let headers = json!({
            "accept": "*/*",
            "content-length": text.len().to_string(),
            "content-type": media_type,
            "host": HOST,
            "user-agent": BROWSER,
            "x-amzn-trace-id": "Root=1-69569c80-0123456789abcdef01234567",
            "x-forwarded-for": "198.51.100.7",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
            "x-requested-with": header,
        });
        let event = json!({
            "version": "2.0",
            "routeKey": route,
            "rawPath": self.path,
            "rawQueryString": "",
            "cookies": cookie.map(|cookie| [cookie]),
            "headers": without_nulls(headers),
            "requestContext": {
                "accountId": "000000000000",
                "apiId": "a1b2c3d4e5",
                "domainName": HOST,
                "domainPrefix": "a1b2c3d4e5",
                "http": {
                    "method": "POST",
                    "path": self.path,
                    "protocol": "HTTP/1.1",
                    "sourceIp": "198.51.100.7",
                    "userAgent": BROWSER,
                },
                "requestId": "JKJaXmPLvHcESHA=",
                "routeKey": route,
                "stage": "$default",
                "time": "01/Jan/2026:00:00:00 +0000",
                "timeEpoch": 1_767_225_600_000_u64,
            },
            "body": (!body.is_empty()).then_some(body),
            "isBase64Encoded": is_encoded,
        });
        without_nulls(event)
    }
}

/// The object without the members that are null.
fn without_nulls(object: Value) -> Value {
    match object {
        Value::Object(members) => members.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => other,
    }
}
