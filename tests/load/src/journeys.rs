//! What people do: each journey is one person's, from the first request to the last, and writes into the ledger
//! what was acknowledged.

use goose::prelude::*;
use serde_json::json;

use crate::account::{Account, Entrance};
use crate::contract::{WRONG_CREDENTIALS, paths, success};
use crate::ledger::LEDGER;
use crate::visit::{Step, Visit};

/// Where avatars are, by the front end's address in `scripts/measure/load`.
const AVATAR_BASE: &str = "http://localhost:5173/assets/avatars";

/// Everything that people do, with how often.
pub(crate) fn scenario() -> Result<Scenario, GooseError> {
    Ok(Scenario::new("people")
        .register_transaction(transaction!(newcomer).set_name("newcomer").set_weight(3)?)
        .register_transaction(transaction!(forgetful).set_name("forgetful").set_weight(1)?)
        .register_transaction(transaction!(by_google).set_name("by google").set_weight(2)?)
        .register_transaction(transaction!(leaver).set_name("leaver").set_weight(1)?)
        .register_transaction(transaction!(sender).set_name("sender").set_weight(2)?))
}

/// Registers, mistypes the password, logs in, looks around, changes the settings, logs out.
async fn newcomer(user: &mut GooseUser) -> TransactionResult {
    let mut person = Visit::of_somebody_new(user);
    person.register().await?;
    person.mistype().await?;
    person.log_in().await?;
    person.look_around().await?;
    person.change_settings().await?;
    person.look_around().await?;
    person.log_out().await
}

/// Registers, forgets the password, sets another one by mail.
async fn forgetful(user: &mut GooseUser) -> TransactionResult {
    let mut person = Visit::of_somebody_new(user);
    person.register().await?;
    person.reset_password().await?;
    person.log_in().await?;
    person.look_around().await?;
    person.log_out().await
}

/// Comes by Google, first as a stranger, then as an acquaintance through the redirect.
async fn by_google(user: &mut GooseUser) -> TransactionResult {
    let mut person = Visit::of_somebody_new(user);
    person.first_google_login().await?;
    person.look_around().await?;
    person.change_settings().await?;
    person.log_out().await?;
    person.google_redirect().await?;
    person.look_around().await
}

/// Registers, and leaves for good.
async fn leaver(user: &mut GooseUser) -> TransactionResult {
    let mut person = Visit::of_somebody_new(user);
    person.register().await?;
    person.log_in().await?;
    person.delete_account().await
}

/// Sends data, the second time what was sent before.
async fn sender(user: &mut GooseUser) -> TransactionResult {
    let mut person = Visit::of_somebody_new(user);
    person.send_entries(3).await?;
    person.send_entries(30).await
}

impl Visit<'_> {
    async fn register(&mut self) -> Step {
        let Account { email, name, news, .. } = self.account.clone();
        let password = self.account.password().to_owned();
        LEDGER.open(&email);
        let fields = [
            ("nombre", name.as_str()),
            ("email", &email),
            ("password", &password),
            ("confirm-password", &password),
            ("terms", "on"),
            ("notifications", on(news)),
        ];
        self.form(paths::REGISTER, &fields, success::REGISTER).await?;
        LEDGER.acknowledge(&self.account);
        Ok(())
    }

    async fn mistype(&mut self) -> Step {
        let email = self.account.email.clone();
        let fields = [("email", email.as_str()), ("password", "Equivocado1")];
        self.form(paths::LOGIN, &fields, WRONG_CREDENTIALS).await.map(drop)
    }

    async fn log_in(&mut self) -> Step {
        let (email, password) = (self.account.email.clone(), self.account.password().to_owned());
        let fields = [("email", email.as_str()), ("password", &password)];
        self.form(paths::LOGIN, &fields, success::LOGIN).await.map(drop)
    }

    async fn look_around(&mut self) -> Step {
        for _ in 0..3 {
            self.session().await?;
        }
        Ok(())
    }

    /// Every third person changes the password too.
    async fn change_settings(&mut self) -> Step {
        let number = LEDGER.number();
        let mut changed = self.account.clone();
        changed.name = format!("{} de {number}", changed.name);
        changed.news = !changed.news;
        changed.avatar = format!("{:02}.jpeg", 1 + number % 10);
        let avatar = format!("{AVATAR_BASE}/{}", changed.avatar);
        let mut password = String::new();
        if number.is_multiple_of(3) && changed.entrance != Entrance::Google {
            password = format!("Cambiado{number}");
            changed.entrance = Entrance::Password(password.clone());
        }
        let fields = [
            ("name", changed.name.as_str()),
            ("avatar", &avatar),
            ("password", &password),
            ("confirm_password", &password),
            ("notifications", on(changed.news)),
        ];
        LEDGER.open(&changed.email);
        self.form(paths::USER_CONFIG, &fields, success::USER_CONFIG).await?;
        self.account = changed;
        LEDGER.acknowledge(&self.account);
        Ok(())
    }

    async fn log_out(&mut self) -> Step {
        self.form(paths::LOGOUT, &[], success::LOGOUT).await.map(drop)
    }

    async fn reset_password(&mut self) -> Step {
        let email = self.account.email.clone();
        self.form(paths::SEND_RESET_LINK, &[("email", &email)], success::SEND_RESET_LINK).await?;
        let token = self.mailed_token().await?;
        let password = format!("Repuesto{}", LEDGER.number());
        let fields = [("token", token.as_str()), ("new_password", &password), ("confirm_password", &password)];
        LEDGER.open(&email);
        self.form(paths::RESET_PASSWORD, &fields, success::RESET_PASSWORD).await?;
        self.account.entrance = Entrance::Password(password);
        LEDGER.acknowledge(&self.account);
        Ok(())
    }

    async fn first_google_login(&mut self) -> Step {
        self.account.entrance = Entrance::Google;
        self.account.news = false;
        LEDGER.open(&self.account.email);
        let credential = self.credential().await?;
        let text = json!({"credential": credential}).to_string();
        let body = self.json(paths::GOOGLE_LOGIN, text, &[]).await?;
        self.expect(paths::GOOGLE_LOGIN, &body, "status", &json!("inserted"))?;
        LEDGER.acknowledge(&self.account);
        Ok(())
    }

    /// As a script, for a browser's redirect would lead to a front end that is not there.
    async fn google_redirect(&mut self) -> Step {
        let credential = self.credential().await?;
        let body = self.json(paths::GOOGLE_REDIRECT, json!({"credential": credential}).to_string(), &[]).await?;
        self.expect(paths::GOOGLE_REDIRECT, &body, "status", &json!("exists"))
    }

    async fn delete_account(&mut self) -> Step {
        LEDGER.open(&self.account.email);
        self.form(paths::DELETE_ACCOUNT, &[], success::DELETE_ACCOUNT).await?;
        LEDGER.delete(&self.account);
        Ok(())
    }

    /// Sends entries, and the same again under the same key: they are stored once.
    async fn send_entries(&mut self, count: usize) -> Step {
        let number = LEDGER.number();
        let entries: Vec<String> = (0..count)
            .map(|index| json!({"de": self.account.email, "lote": number, "indice": index}).to_string())
            .collect();
        let text = format!("[{}]", entries.join(","));
        let key = format!("{}-{number}", self.account.email);
        LEDGER.open_entries(&entries);
        for _ in 0..2 {
            let body = self.json(paths::RECEIVE_DATA, text.clone(), &[("Idempotency-Key", &key)]).await?;
            self.expect(paths::RECEIVE_DATA, &body, "message", &json!(success::RECEIVE_DATA))?;
        }
        LEDGER.acknowledge_entries(&entries);
        Ok(())
    }
}

fn on(checked: bool) -> &'static str {
    if checked { "on" } else { "" }
}
