//! The visitor who makes the request of a scenario.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use axum::Router;
use journeys::authenticator::Algorithm;
use journeys::{Answer, Embedded, Endpoint, FRONT_END, PASSWORD, Visitor, paths, serve};
use serde_json::{Value, json};

use super::{ENTRIES, ENTRIES_OF_AN_ACCOUNT, NEW_PASSWORD, RETRY_PAUSE, SESSIONS, Scenario, is_failure};
use crate::support::{proofs, rows};

/// The bcrypt hash of [`PASSWORD`], made by PHP.
const LEGACY_HASH: &str = "$2y$04$KOSct5zT1ejcvtGR34lZueuhF1XMXS1sT0VcO8KNDLaYIv7ANNE6q";

/// A visitor who is prepared to make the request.
pub(crate) struct Actor {
    pub(super) scenario: Scenario,
    pub(super) visitor: Visitor,
    /// The visitor before the request, or another device whose session the request ends.
    pub(super) before: Visitor,
    /// A reset or verification token, the second proof of work, the id of a session that the request ends, or the id of
    /// a passkey.
    pub(super) token: String,
    pub(super) mails: usize,
    credential: String,
}

impl Actor {
    /// Prepares everything but the request.
    pub(crate) async fn ready(scenario: Scenario, stack: &Embedded) -> Self {
        let mut visitor = stack.service.visitor();
        let (mut token, mut credential) = (String::new(), String::new());
        match scenario {
            Scenario::Register | Scenario::ReceiveData => {}
            Scenario::Login | Scenario::LoginWithinALimit | Scenario::LoginOfANewBrowser => {
                visitor = visitor.registered().await;
            }
            Scenario::LoginWithCaptcha => {
                visitor = visitor.registered().await;
                stack.captcha.forward_to(&accepting_provider().await);
            }
            Scenario::LoginWithAProof => {
                visitor = visitor.registered().await;
                // A failed login may have used its proof, so a retried login has another one.
                (credential, token) = (proofs::proof(&visitor).await, proofs::proof(&visitor).await);
            }
            Scenario::LoginWithAnOutdatedHash => {
                visitor = visitor.registered().await;
                let profile = rows::profile(stack, &visitor.email).await.unwrap();
                let outdated = AttributeValue::S(rows::weak_hash(PASSWORD));
                rows::put(stack, rows::with(&profile, "password", Some(outdated))).await;
            }
            Scenario::LoginWithALegacyHash => {
                visitor = visitor.registered().await;
                let profile = rows::profile(stack, &visitor.email).await.unwrap();
                let legacy = AttributeValue::S(LEGACY_HASH.to_owned());
                rows::put(stack, rows::with(&profile, "password", Some(legacy))).await;
            }
            Scenario::SendResetLink => visitor = visitor.signed_in().await.elsewhere(),
            Scenario::GoogleNew | Scenario::GoogleRedirect => credential = visitor.credential(json!({})).await,
            Scenario::GoogleKnown | Scenario::GoogleMoved => {
                let claims = json!({"sub": sub(&visitor)});
                sign_in_with_google(stack, &mut visitor, claims).await;
                visitor.cookie = None;
                let mut claims = json!({"sub": sub(&visitor)});
                if scenario == Scenario::GoogleMoved {
                    claims["email"] = json!(format!("moved-{}", visitor.email));
                }
                credential = visitor.credential(claims).await;
            }
            Scenario::GoogleLink => {
                visitor = visitor.signed_in().await;
                credential = visitor.credential(json!({})).await;
            }
            Scenario::DeleteAccount => {
                sign_in_with_google(stack, &mut visitor, json!({})).await;
                rows::copy_session(stack, &visitor.email, SESSIONS).await;
            }
            Scenario::PasskeyOptions | Scenario::RemovePasskey | Scenario::PasskeyLogin => {
                visitor = visitor.signed_in().await;
                let mut authenticator = visitor.with_passkey().await;
                token = visitor.first_passkey().await;
                let answer = authenticator.get(&visitor.passkey_login_options().await);
                credential = authenticator.sign(&answer).to_string();
            }
            Scenario::PasskeyRegister => {
                visitor = visitor.signed_in().await;
                let mut authenticator = visitor.authenticator(Algorithm::Es256).await;
                credential = authenticator.create(&visitor.passkey_options().await).json().to_string();
            }
            _ => visitor = visitor.signed_in().await,
        }
        match scenario {
            Scenario::SessionAfterARest => stack.advance(Duration::from_mins(11)),
            Scenario::ResetPassword => token = visitor.reset_token().await,
            Scenario::VerifyEmail => token = visitor.verification_token().await,
            _ => {}
        }
        let mails = visitor.service.mails(&visitor.email).await.len();
        let mut before = visitor.clone();
        if matches!(scenario, Scenario::CloseOneSession | Scenario::CloseOtherSessions) {
            before.cookie = None;
            before.login(PASSWORD).await;
            token = visitor.other_sessions().await.remove(0);
        }
        Self { scenario, visitor, before, token, mails, credential }
    }

    /// Sends the request.
    pub(crate) async fn request(&mut self) -> Answer {
        let email = self.visitor.email.clone();
        let visitor = &mut self.visitor;
        let document = json!({"credential": self.credential}).to_string();
        match self.scenario {
            Scenario::PasskeyRegister => {
                let body = format!("{{\"credential\":{},\"name\":\"Mi portátil\"}}", self.credential);
                visitor.json(paths::PASSKEY_REGISTER, body).await
            }
            Scenario::PasskeyLogin => {
                visitor.json(paths::PASSKEY_LOGIN, format!("{{\"credential\":{}}}", self.credential)).await
            }
            Scenario::RemovePasskey => visitor.form(paths::REMOVE_PASSKEY, &[("id", &self.token)]).await,
            Scenario::LoginWithCaptcha => {
                let fields = [("email", &*email), ("password", PASSWORD), ("g-captcha-response", "token")];
                visitor.form(paths::LOGIN, &fields).await
            }
            Scenario::LoginWithAProof => {
                let proof = std::mem::replace(&mut self.credential, self.token.clone());
                let fields = [("email", &*email), ("password", PASSWORD), ("g-captcha-response", &proof)];
                visitor.form(paths::LOGIN, &fields).await
            }
            Scenario::Settings => visitor.form(paths::USER_CONFIG, &[("name", "Nuevo"), ("notifications", "on")]).await,
            Scenario::SettingsWithPassword => {
                let passwords = [("password", NEW_PASSWORD), ("confirm_password", NEW_PASSWORD)];
                visitor.form(paths::USER_CONFIG, &[&[("name", "Nuevo")], &passwords[..]].concat()).await
            }
            Scenario::ResetPassword => visitor.reset(&self.token, NEW_PASSWORD).await,
            Scenario::VerifyEmail => visitor.verify(&self.token).await,
            Scenario::CloseOneSession => visitor.form(paths::CLOSE_SESSION, &[("id", &self.token)]).await,
            Scenario::GoogleNew | Scenario::GoogleKnown | Scenario::GoogleLink | Scenario::GoogleMoved => {
                visitor.json(paths::GOOGLE_LOGIN, document).await
            }
            Scenario::GoogleRedirect => {
                let request =
                    visitor.service.request("POST", paths::GOOGLE_REDIRECT).header("cookie", "g_csrf_token=x");
                let fields = [("credential", &*self.credential), ("g_csrf_token", "x")];
                visitor.send(request.form(&fields)).await
            }
            Scenario::ReceiveData | Scenario::ReceiveDataOfAnAccount => {
                let entry = json!({"of": email});
                let entries = if self.scenario == Scenario::ReceiveData { ENTRIES } else { ENTRIES_OF_AN_ACCOUNT };
                let request = visitor.request(paths::RECEIVE_DATA).header("content-type", "application/json");
                let request = request.header("idempotency-key", &email);
                visitor.send(request.body(json!(vec![entry; entries]).to_string())).await
            }
            scenario => Endpoint::at(scenario.path()).call_by(visitor).await,
        }
    }

    /// Whether the answer reports success.
    pub(crate) fn is_success(&self, answer: &Answer) -> bool {
        match self.scenario {
            Scenario::GoogleNew => answer.status == 200 && answer.json()["status"] == "inserted",
            Scenario::GoogleKnown | Scenario::GoogleLink | Scenario::GoogleMoved => {
                answer.status == 200 && answer.json()["status"] == "exists"
            }
            Scenario::GoogleRedirect => answer.status == 303 && answer.header("location") == format!("{FRONT_END}/"),
            _ => answer.status == 200 && answer.success() == true,
        }
    }

    /// Whether the answer to a retried request shows that the first one was done and only its answer was lost.
    pub(crate) fn had_been_done(&self, answer: &Answer) -> bool {
        let (status, message) = match self.scenario {
            Scenario::Register => (200, "El email ya está registrado"),
            Scenario::SettingsWithPassword | Scenario::CloseOtherSessions => (401, "No hay una sesión activa"),
            Scenario::CloseOneSession | Scenario::RemovePasskey => (400, "Parámetros inválidos"),
            Scenario::PasskeyRegister => (200, "Llave de acceso inválida"),
            Scenario::PasskeyLogin => (401, "Llave de acceso inválida"),
            Scenario::DeleteAccount => (200, "No hay una sesión activa con email."),
            Scenario::ResetPassword | Scenario::VerifyEmail => (200, "Token inválido o expirado"),
            Scenario::GoogleNew => return answer.status == 200 && answer.json()["status"] == "exists",
            _ => return false,
        };
        answer.sentence() == (status, message.to_owned())
    }
}

/// Signs the visitor in with Google. If the machine stops for some seconds, the fetch of Google's keys times out and is
/// not retried at once. The login is then repeated after the pause.
async fn sign_in_with_google(stack: &Embedded, visitor: &mut Visitor, claims: Value) {
    let mut answer = visitor.google(claims.clone()).await;
    if is_failure(&answer) {
        stack.advance(RETRY_PAUSE);
        answer = visitor.google(claims).await;
    }
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Starts a captcha provider that accepts every token, and returns its URL.
async fn accepting_provider() -> String {
    serve(Router::new().fallback(async || r#"{"success":true}"#)).await
}

/// The subject of a visitor's identity, which stays the same when the address at the provider changes.
fn sub(visitor: &Visitor) -> String {
    visitor.email.bytes().filter(u8::is_ascii_alphanumeric).map(char::from).collect()
}
