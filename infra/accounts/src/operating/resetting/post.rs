//! Mails the links to set a new password.

use std::sync::Arc;

use shared::mail::{Letters, Mailer};
use shared::store::{NewReset, Resets};
use shared::system::clock::SystemClock;
use shared::system::random::SystemRandom;
use shared::{Account, Fault, OperatorAccess, Setup};

use crate::connection::Deployment;
use crate::failure::Failure;

/// What mails the links.
pub(super) struct Post {
    resets: Resets,
    letters: Letters,
    mailer: Mailer,
}

impl Post {
    /// The sender of a deployment's mails, with the operator's credentials.
    pub(super) fn of(deployment: &Deployment) -> Result<Self, Failure> {
        let table = ("ACCOUNTS_TABLE", deployment.table.clone());
        let settings = deployment.mails.iter().cloned().chain([table]);
        let settings = settings.map(|(name, value)| (name.to_owned(), value));
        let setup = Setup::new(settings, Arc::new(SystemClock), Arc::new(SystemRandom));
        let setup = setup.with_dynamodb(aws_sdk_dynamodb::Client::new(&deployment.config));
        let setup = setup.of_operator(OperatorAccess::WithoutHashes);
        let client = aws_sdk_sesv2::Client::new(&deployment.mail_config());
        let post =
            Self { resets: Resets::new(&setup), letters: Letters::new(&setup), mailer: Mailer::with(&setup, client) };
        setup.settings().check().map_err(|error| Failure::Failed(error.to_string()))?;
        Ok(post)
    }

    /// A token for an account. It is valid once it is stored.
    pub(super) fn token(&self, account: &Account) -> Result<NewReset, Fault> {
        self.resets.mint(&account.key)
    }

    /// Mails a token that is stored.
    pub(super) async fn send(&self, account: &Account, token: &NewReset) -> Result<(), Fault> {
        self.resets.seal(account, token).await?;
        let letter = self.letters.password_removed(token.token(), self.resets.lifetime_minutes());
        self.mailer.send(&account.email, &letter).await
    }
}
