//! `accounts find`: an account by its address, its id, or its Google identity.

use serde::Serialize;
use shared::store::operator::{Kind, Operator, Profile, Row};
use shared::{AccountKey, Email, Fault};

use crate::cli::Target;
use crate::connection::Deployment;
use crate::exporting::Line;
use crate::failure::{Done, Failure};
use crate::output;

/// The prefix of a subject identifier of Google.
const GOOGLE: &str = "google:";

/// The short description of an account.
#[derive(Serialize)]
pub(crate) struct Brief<'a> {
    #[serde(flatten)]
    line: Line<'a>,
    /// The format of the password's hash, or `none`.
    password_hash: &'static str,
    key: &'a str,
}

impl<'a> Brief<'a> {
    pub(crate) fn of(profile: &'a Profile) -> Self {
        let account = &profile.account;
        let password_hash = account.password.as_ref().map_or("none", |stored| stored.format_name());
        Self { line: Line::of(profile, false), password_hash, key: account.key.as_str() }
    }
}

/// Prints an account.
pub(crate) async fn find(target: &Target, who: &str) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let profile = account(&deployment, who).await?;
    output::fields(target.json, &Brief::of(&profile))?;
    Ok(Done::All)
}

/// The account that `who` names.
pub(crate) async fn account(deployment: &Deployment, who: &str) -> Result<Profile, Failure> {
    let key = key(deployment, who).await?;
    let (profiles, _) = deployment.operator.accounts(&[key], &[]).await?;
    profiles.into_iter().next().flatten().filter(|profile| has_email(profile, who)).ok_or_else(|| missing(who))
}

/// Whether an account has the address that `who` is. An account that has left it may be under its key.
pub(crate) fn has_email(profile: &Profile, who: &str) -> bool {
    Email::parse(who).map_or(true, |email| email == profile.account.email)
}

/// The id of the account that `who` names. An id is not looked up, because its account may be erased.
pub(crate) async fn id(deployment: &Deployment, who: &str) -> Result<u64, Failure> {
    match who.parse() {
        Ok(id) => Ok(id),
        Err(_) => Ok(account(deployment, who).await?.account.id),
    }
}

/// The failure for an address, an id or an identity that no account has.
pub(crate) fn missing(who: &str) -> Failure {
    Failure::NotFound(format!("there is no account {who}"))
}

/// The key of the account that `who` names: an address, an id, or `google:` and a subject identifier. The account of an
/// address may not exist.
pub(crate) async fn key(deployment: &Deployment, who: &str) -> Result<AccountKey, Failure> {
    Ok(if let Some(sub) = who.strip_prefix(GOOGLE) {
        let (_, linked) = deployment.operator.accounts(&[], &[sub]).await?;
        linked.into_iter().next().flatten().ok_or_else(|| missing(who))?
    } else if let Ok(id) = who.parse::<u64>() {
        let owners = deployment.operator.owners(id).await?;
        match owners.as_slice() {
            [] => return Err(missing(who)),
            [key] => key.clone(),
            several => {
                let text = format!(
                    "{} accounts have the id {id}: name the address; `accounts doctor --data` says more",
                    several.len()
                );
                return Err(Failure::Failed(text));
            }
        }
    } else {
        let email = Email::parse(who);
        let email = email.map_err(|_| Failure::Usage(format!("{who} is not an address, an id or google:SUB")))?;
        deployment.operator.key_of(&email).await?
    })
}

/// The last leased id; 0 if there is no counter that can be read.
pub(crate) async fn last_id(operator: &Operator) -> Result<u64, Fault> {
    let rows = operator.rows(vec![Row::counter_key()]).await?;
    let total = |row: Row| if let Kind::Counter(total) = row.kind { Some(total) } else { None };
    Ok(rows.into_values().find_map(total).unwrap_or_default())
}
