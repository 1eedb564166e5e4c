//! What one account is known to be.

use std::process;

use serde_json::{Value, json};

use crate::ledger::LEDGER;

/// How its owner gets in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Entrance {
    /// By this password.
    Password(String),
    /// By the identity provider.
    Google,
}

/// An account as its last acknowledged write left it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Account {
    /// Its address, in lower case.
    pub(crate) email: String,
    /// How its owner gets in.
    pub(crate) entrance: Entrance,
    /// Full name.
    pub(crate) name: String,
    /// The end of the avatar's address.
    pub(crate) avatar: String,
    /// Newsletter.
    pub(crate) news: bool,
}

impl Account {
    /// Somebody whom the service does not know yet.
    pub(crate) fn of_somebody_new() -> Self {
        let number = LEDGER.number();
        Self {
            email: format!("load-{}-{number}@example.com", process::id()),
            entrance: Entrance::Password(format!("Secreto{number}")),
            name: format!("Persona {number}"),
            avatar: "default.jpeg".to_owned(),
            news: number.is_multiple_of(2),
        }
    }

    /// The password; empty for who has none.
    pub(crate) fn password(&self) -> &str {
        match &self.entrance {
            Entrance::Password(password) => password,
            Entrance::Google => "",
        }
    }

    /// What the answer's `user` says otherwise, if anything.
    pub(crate) fn difference(&self, user: &Value) -> Option<String> {
        let known = json!({"email": self.email, "name": self.name, "accept_news": u8::from(self.news)});
        let same = known.as_object().into_iter().flatten().all(|(name, value)| user.get(name) == Some(value));
        let avatar = user.get("url_image").and_then(Value::as_str).unwrap_or_default();
        let same = same && avatar.ends_with(&format!("/assets/avatars/{}", self.avatar));
        (!same).then(|| format!("{user} is not {known} with the avatar {}", self.avatar))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_that_was_lost_is_noticed() {
        let account = Account {
            email: "ana@example.com".to_owned(),
            entrance: Entrance::Google,
            name: "Ana".to_owned(),
            avatar: "07.jpeg".to_owned(),
            news: true,
        };
        let user = json!({"id": 1, "email": "ana@example.com", "name": "Ana", "accept_news": 1,
            "url_image": "http://localhost:5173/assets/avatars/07.jpeg"});
        assert_eq!(account.difference(&user), None);
        for (member, other) in [
            ("email", json!("luis@example.com")),
            ("name", json!("Persona 1")),
            ("accept_news", json!(0)),
            ("url_image", json!("http://localhost:5173/assets/avatars/default.jpeg")),
        ] {
            let mut lost = user.clone();
            lost[member] = other;
            assert!(account.difference(&lost).is_some(), "{member}");
        }
        assert!(account.difference(&Value::Null).is_some());
    }
}
