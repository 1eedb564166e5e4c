//! What visitors do with passkeys.

use serde_json::{Value, json};
use stand_ins::authenticator::{Algorithm, Authenticator};

use crate::{Answer, Visitor, paths};

impl Visitor {
    /// An authenticator for the pages of the front end, whose URL is taken from an avatar's.
    pub async fn authenticator(&mut self, algorithm: Algorithm) -> Authenticator {
        let user = self.session().await.json();
        let avatar = user.pointer("/user/url_image").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut parts = avatar.splitn(4, '/');
        let origin = [parts.next(), parts.next(), parts.next()].map(Option::unwrap_or_default).join("/");
        assert!(origin.starts_with("http"), "{user}");
        Authenticator::new(algorithm, &origin)
    }

    /// The options of a new passkey.
    pub async fn passkey_options(&mut self) -> Value {
        self.form(paths::PASSKEY_REGISTER_OPTIONS, &[]).await.json()
    }

    /// The options of a passkey that the browser creates without a question.
    pub async fn silent_passkey_options(&mut self) -> Value {
        self.form(paths::PASSKEY_REGISTER_OPTIONS, &[("silent", "on")]).await.json()
    }

    /// The options of a login.
    pub async fn passkey_login_options(&mut self) -> Value {
        self.form(paths::PASSKEY_LOGIN_OPTIONS, &[]).await.json()
    }

    /// Sends an authenticator's answer to the options of a new passkey.
    pub async fn register_passkey(&mut self, credential: &Value) -> Answer {
        self.json(paths::PASSKEY_REGISTER, json!({"credential": credential, "name": "Mi portátil"}).to_string()).await
    }

    /// Sends an authenticator's answer to the options of a login.
    pub async fn answer_passkey(&mut self, credential: &Value) -> Answer {
        self.json(paths::PASSKEY_LOGIN, json!({"credential": credential}).to_string()).await
    }

    /// Creates a passkey.
    pub async fn with_passkey(&mut self) -> Authenticator {
        let mut authenticator = self.authenticator(Algorithm::Es256).await;
        let created = self.add_passkey(&mut authenticator).await;
        assert_eq!(created.success(), true, "{created:?}");
        authenticator
    }

    /// Registers the credential of an authenticator.
    pub async fn add_passkey(&mut self, authenticator: &mut Authenticator) -> Answer {
        let options = self.passkey_options().await;
        let credential = authenticator.create(&options).json();
        self.register_passkey(&credential).await
    }

    /// Logs in with an authenticator.
    pub async fn passkey_login(&mut self, authenticator: &mut Authenticator) -> Answer {
        let options = self.passkey_login_options().await;
        let asserting = authenticator.get(&options);
        self.answer_passkey(&authenticator.sign(&asserting)).await
    }

    /// Removes the passkey with an id.
    pub async fn delete_passkey(&mut self, id: &str) -> Answer {
        self.form(paths::REMOVE_PASSKEY, &[("id", id)]).await
    }

    /// The passkeys that the list shows.
    pub async fn passkeys(&mut self) -> Vec<Value> {
        let answer = self.form(paths::LIST_PASSKEYS, &[]).await.json();
        answer.get("passkeys").and_then(Value::as_array).cloned().unwrap_or_default()
    }

    /// The id of the first passkey in the list.
    pub async fn first_passkey(&mut self) -> String {
        let listed = self.passkeys().await;
        listed.first().and_then(|passkey| passkey.get("id")?.as_str()).unwrap_or_default().to_owned()
    }
}
