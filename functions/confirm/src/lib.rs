//! `POST /app/auth/confirm.php`: proves again who the caller is, with the password, a passkey or a credential of the
//! linked Google identity. The session keeps the time. Calls that add or remove credentials, or end the access of
//! others, require a recent proof ([`Proved`](shared::Proved)).

use serde::Deserialize;
use serde_json::value::RawValue;
use shared::endpoint::body::{Unreadable, is_media_type};
use shared::endpoint::request::Request;
use shared::google::CredentialVerifier;
use shared::log::audit::{Event, Method};
use shared::passkey::{Assertion, RelyingParty};
use shared::password::Verdict;
use shared::store::{Bucket, LoginLimit, Passkeys, Session, Sessions};
use shared::{
    Call, Client, Endpoint, Form, Json, Password, Passwords, Problem, ReadBody, Reply, Setup, Signed, success,
};
use zeroize::Zeroizing;

/// The endpoint.
pub struct Confirm {
    credentials: CredentialVerifier,
    limit: LoginLimit,
    passkeys: Passkeys,
    passwords: Passwords,
    relying_party: Option<RelyingParty>,
    sessions: Sessions,
}

/// What proves who the caller is.
pub enum Evidence {
    /// The password, in a form or in a JSON document.
    Password(Zeroizing<String>),
    /// A passkey's answer to a challenge of a login, in a JSON document.
    Passkey(Box<RawValue>),
    /// Google's signed ID token, in a JSON document.
    Google(Zeroizing<String>),
}

#[derive(Deserialize)]
struct PasswordForm {
    password: Zeroizing<String>,
}

/// One of the two.
#[derive(Deserialize)]
struct EvidenceDocument {
    password: Option<Zeroizing<String>>,
    credential: Option<Box<RawValue>>,
}

impl ReadBody for Evidence {
    async fn read(request: &Request) -> Result<Self, Unreadable> {
        let document = if is_media_type(request, "application/json") {
            Json::<EvidenceDocument>::read(request).await?.0
        } else {
            let Form(PasswordForm { password }) = Form::read(request).await?;
            EvidenceDocument { password: Some(password), credential: None }
        };
        match (document.password, document.credential) {
            (Some(password), None) if !password.is_empty() => Ok(Self::Password(password)),
            (None, Some(credential)) if credential.get().starts_with('{') => Ok(Self::Passkey(credential)),
            (None, Some(credential)) => {
                serde_json::from_str(credential.get()).map(Self::Google).map_err(|_| Unreadable::NotThisType)
            }
            _ => Err(Unreadable::NotThisType),
        }
    }
}

impl Endpoint for Confirm {
    const NAME: &'static str = "confirm";
    type Caller = Signed;
    type Body = Evidence;

    fn new(setup: &Setup) -> Self {
        Self {
            credentials: CredentialVerifier::new(setup),
            limit: LoginLimit::new(setup),
            passkeys: Passkeys::new(setup),
            passwords: Passwords::new(setup).with_legacy_hashes(setup),
            relying_party: RelyingParty::new(setup),
            sessions: Sessions::new(setup),
        }
    }

    async fn answer(&self, call: Call<Signed, Evidence>) -> Result<Reply, Problem> {
        let (session, mut audit) = (call.caller.session, call.audit);
        let (method, is_confirmed) = match call.body {
            Evidence::Password(password) => {
                (Method::Password, self.with_password(&session, password, &call.client).await?)
            }
            Evidence::Passkey(credential) => {
                let passkey = self.with_passkey(&session, &credential).await?;
                let is_confirmed = passkey.is_some();
                audit = audit.of_passkey(passkey);
                (Method::Passkey, is_confirmed)
            }
            Evidence::Google(credential) => (Method::Google, self.with_google(&session, &credential).await?),
        };
        if is_confirmed {
            audit.record(Event::Confirmed(method), session.account.id);
            return Ok(Reply::success(success::CONFIRMED));
        }
        audit.record(Event::ConfirmationFailed(method), session.account.id);
        Err(Problem::NotConfirmed)
    }
}

impl Confirm {
    /// A wrong password counts as a failed login, so a stolen session does not help to guess it.
    async fn with_password(
        &self,
        session: &Session,
        password: Zeroizing<String>,
        client: &Client,
    ) -> Result<bool, Problem> {
        let account = &session.account;
        let Ok(password) = Password::parse(password) else { return Ok(false) };
        let bucket = Bucket::of_browser(&account.email, Some(account), client.secret.as_ref());
        let is_allowed = self.limit.take(&bucket).await?;
        let stored = account.password.hash().filter(|_| is_allowed);
        if self.passwords.verify(stored, &password).await? == Verdict::Wrong {
            return Ok(false);
        }
        self.prove(session, self.limit.counted(&bucket)).await
    }

    /// The id of the passkey, if its answer is right.
    async fn with_passkey(&self, session: &Session, credential: &RawValue) -> Result<Option<String>, Problem> {
        let Some(relying_party) = &self.relying_party else { return Ok(None) };
        let Some(assertion) = Assertion::read(credential) else { return Ok(None) };
        let Some(challenge) = assertion.challenge() else { return Ok(None) };
        let own = self.passkeys.own(&session.account, &challenge, assertion.credential()).await?;
        let Some((state, passkey)) = own else { return Ok(None) };
        let verified = relying_party.verify_login(&state, &assertion, &passkey, &session.account);
        let Some(counter_and_backup) = verified else { return Ok(None) };
        let is_proved = self.passkeys.prove(session, &challenge, &passkey, counter_and_backup).await?;
        Ok(is_proved.then_some(passkey.id))
    }

    async fn with_google(&self, session: &Session, credential: &str) -> Result<bool, Problem> {
        let identity = match self.credentials.examine(credential).await {
            Ok(identity) => identity,
            Err(Problem::InvalidCredential) => return Ok(false),
            Err(problem) => return Err(problem),
        };
        let is_linked = session.account.google_sub.as_ref() == Some(&identity.sub);
        if is_linked { self.prove(session, None).await } else { Ok(false) }
    }

    async fn prove(&self, session: &Session, bucket: Option<&Bucket>) -> Result<bool, Problem> {
        let has_session = self.sessions.prove(session, bucket).await?;
        if has_session { Ok(true) } else { Err(Problem::NoSession) }
    }
}
