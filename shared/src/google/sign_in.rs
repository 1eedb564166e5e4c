//! Google sign-in: the rule that the JSON endpoint and the redirect endpoint share.

use crate::log::audit::{Audit, Event, LoginFailure, Method};
use crate::store::{Browser, Found, Identities, Identity, Ids, Loss, Obstacle, Opened, Opening, Partition, again};
use crate::{Account, Problem, Reply, Setup};
use serde::{Deserialize, Serialize};

/// The maximum number of attempts if other calls change the same account at the same time. So many changes
/// do not happen by chance. Every attempt fails if the identity's link names an account that is not linked to it.
const ATTEMPTS_MAX: usize = 8;

/// Signs in verified identities.
pub struct SignIn {
    identities: Identities,
    ids: Ids,
    opening: Opening,
}

/// Whether the account existed before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The account existed.
    Exists,
    /// The account was created.
    Inserted,
}

/// A completed sign-in.
pub struct SignedIn {
    /// Whether the account existed before.
    pub status: Status,
    /// The account.
    pub account: Account,
    /// The session that was opened.
    pub opened: Opened,
}

/// The JSON body that a script sends.
#[derive(Deserialize)]
pub struct CredentialDocument {
    /// The provider's signed ID token.
    pub credential: String,
}

/// The JSON member `user`, which has three fields in this answer.
#[derive(Serialize)]
struct User<'a> {
    id: u64,
    email: &'a str,
    name: &'a str,
}

impl SignIn {
    /// Builds its dependencies, each of which reads its own settings.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { identities: Identities::new(setup), ids: Ids::new(setup), opening: Opening::new(setup) }
    }

    /// Finds, links or creates the account, and opens a session. The session that the browser presented ends.
    ///
    /// # Errors
    /// [`Problem::InvalidCredential`] when the account is disabled; [`Problem::Internal`] when the table or the random
    /// number generator failed, when other calls changed the account during every attempt, or when the identity's link
    /// names an account that is not linked to it.
    pub async fn with(&self, identity: &Identity, browser: Browser<'_>, audit: &Audit) -> Result<SignedIn, Problem> {
        again(ATTEMPTS_MAX, "google.sign_in", || self.attempt(identity, browser, audit)).await
    }

    /// Makes one attempt, usually one read and one write. Returns `None` when another call changed the account in
    /// between, or when the identity's link names an account that is not linked to it.
    async fn attempt(
        &self,
        identity: &Identity,
        browser: Browser<'_>,
        audit: &Audit,
    ) -> Result<Option<SignedIn>, Problem> {
        let outcome = match self.identities.find(identity).await? {
            Found::Linked(partition) => self.sign_in_linked(&partition, browser, audit).await?,
            Found::SameEmail(partition) if partition.account().is_disabled() => {
                return Err(refuse_disabled(&partition, audit));
            }
            Found::SameEmail(partition) => self.link(identity, &partition, browser, audit).await?,
            Found::Unknown => self.create(identity, browser, audit).await?,
        };
        let signed_in = match outcome {
            Ok(signed_in) => signed_in,
            Err(Obstacle::Changed) => return Ok(None),
            Err(Obstacle::LinkedTo(key)) => match self.identities.linked_account(identity, &key).await? {
                Some(partition) => match self.sign_in_linked(&partition, browser, audit).await? {
                    Ok(signed_in) => signed_in,
                    Err(_) => return Ok(None),
                },
                None => return Ok(None),
            },
        };
        let audit = audit.clone().of_session(signed_in.opened.token.session_id());
        audit.record(Event::LoginSucceeded(Method::Google), signed_in.account.id);
        Ok(Some(signed_in))
    }

    /// Signs in to the account that the identity is linked to.
    async fn sign_in_linked(
        &self,
        partition: &Partition,
        browser: Browser<'_>,
        audit: &Audit,
    ) -> Result<Result<SignedIn, Obstacle>, Problem> {
        if partition.account().is_disabled() {
            return Err(refuse_disabled(partition, audit));
        }
        let session = self.opening.open(partition, browser, Method::Google).await?.ok_or(Obstacle::Changed);
        Ok(session.map(|opened| SignedIn { status: Status::Exists, account: partition.account().clone(), opened }))
    }

    /// Links the identity to the account of its email address, and signs in.
    async fn link(
        &self,
        identity: &Identity,
        partition: &Partition,
        browser: Browser<'_>,
        audit: &Audit,
    ) -> Result<Result<SignedIn, Obstacle>, Problem> {
        let loss = loss_of(partition.account());
        let (account, opened) = match self.identities.link(identity, partition, loss, browser).await? {
            Ok(linked) => linked,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        audit.record(Event::IdentityLinked, account.id);
        if loss != Loss::Nothing {
            audit.record(Event::CredentialsRevoked, account.id);
        }
        Ok(Ok(SignedIn { status: Status::Exists, account, opened }))
    }

    /// Creates an account, and signs in.
    async fn create(
        &self,
        identity: &Identity,
        browser: Browser<'_>,
        audit: &Audit,
    ) -> Result<Result<SignedIn, Obstacle>, Problem> {
        let id = self.ids.next().await?;
        let inserted = self.identities.insert(identity, id, browser).await?;
        Ok(inserted.map(|(account, opened)| {
            audit.record(Event::AccountRegistered, account.id);
            SignedIn { status: Status::Inserted, account, opened }
        }))
    }
}

/// What the account of the identity's address loses when the identity is linked to it.
///
/// Nobody may have proved the address before. Then somebody else may have registered it, chosen the name, and kept a
/// password, a session or a passkey. And if another identity of the same address is linked, the address has a new owner.
fn loss_of(account: &Account) -> Loss {
    match (account.email_verified, &account.google_sub) {
        (true, None) => Loss::Nothing,
        (true, Some(_)) => Loss::WaysIn,
        (false, _) => Loss::WaysInAndProfile,
    }
}

/// Records the refused login of a disabled account, and returns the problem.
fn refuse_disabled(partition: &Partition, audit: &Audit) -> Problem {
    audit.record(Event::LoginFailed(LoginFailure::AccountDisabled), partition.account().id);
    Problem::InvalidCredential
}

impl SignedIn {
    /// The JSON answer.
    ///
    /// # Errors
    /// The account cannot be written as JSON.
    pub fn into_reply(self) -> Result<Reply, Problem> {
        let status = match self.status {
            Status::Exists => "exists",
            Status::Inserted => "inserted",
        };
        let account = &self.account;
        let user = User { id: account.id, email: account.email.as_str(), name: &account.name };
        Ok(Reply::status(status).with("user", &user)?.logging_account(account).opened(self.opened))
    }
}
