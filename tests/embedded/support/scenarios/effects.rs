//! The effects of a completed request.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, PASSWORD, Visitor};
use serde_json::json;

use super::{Actor, ENTRIES, ENTRIES_OF_AN_ACCOUNT, NEW_PASSWORD, Scenario};
use crate::support::rows;

impl Actor {
    /// Checks the effects of a request whose answer reported success, including those for the caller, such as a
    /// session.
    pub(crate) async fn assert_done(&self, stack: &Embedded) {
        let visitor = &self.visitor;
        match self.scenario {
            Scenario::Login
            | Scenario::LoginWithCaptcha
            | Scenario::LoginWithAProof
            | Scenario::LoginWithinALimit
            | Scenario::LoginOfANewBrowser
            | Scenario::LoginInPlaceOfASession
            | Scenario::LoginWithAnOutdatedHash
            | Scenario::LoginWithALegacyHash
            | Scenario::PasskeyLogin
            | Scenario::GoogleNew
            | Scenario::GoogleKnown
            | Scenario::GoogleLink
            | Scenario::GoogleMoved
            | Scenario::GoogleRedirect
            | Scenario::SettingsWithPassword
            | Scenario::CloseOneSession
            | Scenario::CloseOtherSessions => {
                assert_eq!(visitor.clone().session().await.user("email"), visitor.email);
            }
            Scenario::Logout => assert_eq!(visitor.cookie, None),
            _ => {}
        }
        self.assert_in_force(stack).await;
    }

    /// Checks the effects of a request that was done, even if its answer was lost.
    pub(crate) async fn assert_in_force(&self, stack: &Embedded) {
        let (visitor, before) = (&self.visitor, &self.before);
        let session = async |visitor: &Visitor| visitor.clone().session().await;
        let login = async |password: &str| visitor.elsewhere().login(password).await.success() == true;
        match self.scenario {
            Scenario::Register => assert!(login(PASSWORD).await),
            Scenario::Login
            | Scenario::LoginWithCaptcha
            | Scenario::LoginWithAProof
            | Scenario::LoginWithinALimit
            | Scenario::GoogleNew
            | Scenario::GoogleKnown
            | Scenario::GoogleMoved
            | Scenario::GoogleRedirect
            | Scenario::Challenge
            | Scenario::PasskeyOptions
            | Scenario::PasskeyLoginOptions
            | Scenario::Read(_) => {}
            Scenario::PasskeyRegister | Scenario::RemovePasskey => {
                let left = usize::from(self.scenario == Scenario::PasskeyRegister);
                assert_eq!(visitor.clone().passkeys().await.len(), left);
                let profile = rows::profile(stack, &visitor.email).await.unwrap();
                let ids = profile.get("passkeys").map_or(0, |ids| ids.as_ss().unwrap().len());
                assert_eq!(ids, left);
            }
            Scenario::LoginOfANewBrowser => {
                let profile = rows::profile(stack, &visitor.email).await.unwrap();
                assert!(profile.contains_key("browsers"));
            }
            Scenario::LoginInPlaceOfASession
            | Scenario::PasskeyLogin
            | Scenario::Logout
            | Scenario::CloseOneSession
            | Scenario::CloseOtherSessions => assert_eq!(session(before).await.status, 401),
            Scenario::LoginWithAnOutdatedHash => {
                let profile = rows::profile(stack, &visitor.email).await.unwrap();
                assert!(rows::text(&profile, "password").starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
            }
            Scenario::LoginWithALegacyHash => {
                let profile = rows::profile(stack, &visitor.email).await.unwrap();
                assert!(rows::text(&profile, "password").starts_with("$argon2id$"));
            }
            Scenario::Session | Scenario::SessionAfterARest => assert_eq!(session(visitor).await.status, 200),
            Scenario::Settings => assert_eq!(session(visitor).await.user("name"), "Nuevo"),
            Scenario::SettingsWithPassword => {
                assert_eq!(session(before).await.status, 401);
                let mut elsewhere = visitor.elsewhere();
                assert_eq!(elsewhere.login(NEW_PASSWORD).await.user("name"), "Nuevo");
                assert!(!login(PASSWORD).await);
            }
            Scenario::DeleteAccount => {
                assert_eq!(session(before).await.status, 401);
                let pk = rows::partition_key(&visitor.email);
                let all = format!("{:?}", stack.items("accounts").await);
                assert!(!all.contains(&pk) && !all.contains(&visitor.email), "{all}");
            }
            Scenario::SendResetLink => {
                let tokens = visitor.mailed_tokens().await;
                assert!(tokens.len() > self.mails);
                assert_eq!(visitor.clone().reset(&tokens[0], NEW_PASSWORD).await.success(), true);
            }
            Scenario::SendVerification => {
                let tokens = visitor.mailed_tokens().await;
                assert!(tokens.len() > self.mails);
                assert_eq!(visitor.clone().verify(&tokens[0]).await.success(), true);
            }
            Scenario::VerifyEmail => {
                let profile = rows::profile(stack, &visitor.email).await.unwrap();
                assert_eq!(profile["email_verified"], AttributeValue::Bool(true));
                assert_eq!(visitor.clone().verify(&self.token).await.success(), false);
            }
            Scenario::ResetPassword => {
                assert_eq!(session(before).await.status, 401);
                assert!(login(NEW_PASSWORD).await && !login(PASSWORD).await);
                assert_eq!(visitor.clone().reset(&self.token, PASSWORD).await.success(), false);
            }
            Scenario::GoogleLink => {
                assert_eq!(session(before).await.status, 401);
                assert!(!login(PASSWORD).await);
                assert!(stack.deliver_changes().await);
                let mails = visitor.service.mails(&visitor.email).await.len();
                assert_eq!(mails, self.mails + 1, "the owner is notified once");
            }
            Scenario::ReceiveData => assert_entries(stack, &visitor.email, "", ENTRIES).await,
            Scenario::ReceiveDataOfAnAccount => {
                let profile = rows::profile(stack, &visitor.email).await.unwrap();
                let id = rows::text(&profile, "id");
                assert_entries(stack, &visitor.email, &id, ENTRIES_OF_AN_ACCOUNT).await;
            }
        }
    }
}

/// Asserts that each entry of the request is stored once, for this account, or for no account if `account` is empty.
async fn assert_entries(stack: &Embedded, email: &str, account: &str, count: usize) {
    let body = json!({"of": email}).to_string();
    let entries = stack.items("entries").await;
    let found: Vec<_> = entries.iter().filter(|entry| rows::text(entry, "body") == body).collect();
    assert_eq!(found.len(), count);
    assert!(found.iter().all(|entry| rows::text(entry, "account") == account), "entries of another owner");
}
