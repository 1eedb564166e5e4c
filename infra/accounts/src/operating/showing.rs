//! `accounts show`: the profile of an account without its secrets, and the number of its passkeys, sessions and failed
//! logins.

use serde::Serialize;
use shared::BrowserName;
use shared::account::KnownBrowser;
use shared::store::Partition;

use super::changing::live_sessions;
use super::{partition, time};
use crate::cli::Target;
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::lookup::Brief;
use crate::output;

#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    brief: Brief<'a>,
    /// The link of the identity.
    google_link: Link,
    /// When the pending reset token expires. It may be in the past.
    reset_token_until: Option<String>,
    /// When the pending verification token expires. It may be in the past.
    verification_token_until: Option<String>,
    /// The address to which a link for a change was mailed, and until when it can be opened. It may be in the past.
    new_email: Option<&'a str>,
    new_email_until: Option<String>,
    /// The addresses that the account has left.
    former_emails: Vec<&'a str>,
    /// How many browsers are known.
    browsers: usize,
    known_browsers: Vec<Browser<'a>>,
    /// When the first browser became known. It stays when the browsers are forgotten.
    browsers_since: Option<String>,
    passkeys: usize,
    /// The browser that last changed the password, a passkey or the link.
    credentials_changed_by: Option<&'a str>,
    /// The run of the import that created the account.
    imported_by: Option<&'a str>,
    sessions: usize,
    live_sessions: usize,
    failures_counted: usize,
    last_failure_at: Option<String>,
}

/// A browser that has signed in.
#[derive(Serialize)]
struct Browser<'a> {
    name: &'a str,
    since: Option<String>,
}

impl<'a> Browser<'a> {
    fn of(browser: &'a KnownBrowser) -> Self {
        Self { name: browser.name.as_str(), since: time(browser.created_at) }
    }
}

/// The item that links an identity to an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Link {
    /// The account has no identity.
    None,
    /// It names this account.
    Here,
    /// It does not exist, although the account has an identity.
    Missing,
    /// It names another account.
    Elsewhere,
}

/// Prints an account.
pub(super) async fn show(target: &Target, who: &str) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let partition = partition(&deployment, who).await?;
    let link = link(&deployment, &partition).await?;
    let (profile, account) = (&partition.profile, partition.account());
    // Failed logins that cannot be read do not hide the account. `accounts doctor --data` names them.
    let failures = deployment.operator.failures(&partition).await?;
    let failed_logins: Vec<u64> = failures.into_iter().flatten().flat_map(|failures| failures.times).collect();
    let shown = Shown {
        brief: Brief::of(profile, &deployment.avatars),
        google_link: link,
        reset_token_until: profile.reset_expires_at.and_then(time),
        verification_token_until: profile.verify_expires_at.and_then(time),
        new_email: profile.change.as_ref().map(|change| change.email.as_str()),
        new_email_until: profile.change.as_ref().and_then(|change| time(change.expires_at)),
        former_emails: profile.former_emails.iter().map(|former| former.email.as_str()).collect(),
        browsers: account.browsers.len(),
        known_browsers: account.browsers.iter().map(Browser::of).collect(),
        browsers_since: account.browsers_since.and_then(time),
        passkeys: account.passkeys.len(),
        credentials_changed_by: account.credentials_changed_by.as_ref().map(BrowserName::as_str),
        imported_by: profile.imported.as_ref().map(|imported| imported.run.as_str()),
        sessions: partition.sessions().count(),
        live_sessions: live_sessions(&deployment, &partition).await?,
        failures_counted: failed_logins.len(),
        last_failure_at: failed_logins.iter().max().and_then(|milliseconds| time(milliseconds / 1000)),
    };
    output::fields(target.json, &shown)?;
    Ok(Done::All)
}

async fn link(deployment: &Deployment, partition: &Partition) -> Result<Link, Failure> {
    let account = partition.account();
    let Some(sub) = &account.google_sub else { return Ok(Link::None) };
    let (_, linked) = deployment.operator.accounts(&[], &[sub]).await?;
    Ok(match linked.into_iter().next().flatten() {
        None => Link::Missing,
        Some(key) if key == account.key => Link::Here,
        Some(_) => Link::Elsewhere,
    })
}
