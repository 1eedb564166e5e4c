//! The account that WHO names, and `accounts find`.

use serde::Serialize;
use shared::account::avatar::Avatars;
use shared::store::Partition;
use shared::store::operator::{Kind, Operator, Profile, Row};
use shared::{AccountKey, Email, Fault};

use crate::cli::Target;
use crate::connection::Deployment;
use crate::exporting::Line;
use crate::failure::{Done, Failure};
use crate::output;

/// The prefix of a subject identifier of Google.
const GOOGLE: &str = "google:";
/// The prefix of an account's key. It names an account that neither its address nor its id finds.
const KEY: &str = "key:";

/// The short description of an account.
#[derive(Serialize)]
pub(crate) struct Brief<'a> {
    #[serde(flatten)]
    line: Line<'a>,
    /// The format of the password's hash, or `none`; `unrecorded` if the row does not say which.
    password_hash: &'static str,
    key: &'a str,
}

impl<'a> Brief<'a> {
    pub(crate) fn of(profile: &'a Profile, avatars: &Avatars) -> Self {
        let account = &profile.account;
        let password_hash = account.password.format_name();
        Self { line: Line::of(profile, avatars, false), password_hash, key: account.key.as_str() }
    }
}

/// Prints an account.
pub(crate) async fn find(target: &Target, who: &str) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let profile = account(&deployment, who).await?;
    output::fields(target.json, &Brief::of(&profile, &deployment.avatars))?;
    Ok(Done::All)
}

/// The key that WHO names, and WHO.
pub(crate) struct Named<'a> {
    pub(crate) key: AccountKey,
    who: &'a str,
    /// The address, if WHO is one.
    email: Option<Email>,
}

impl<'a> Named<'a> {
    /// Finds the key that `who` names: an address, an id, `google:` and a subject identifier, or `key:` and the key. The
    /// account of an address or a key may not exist.
    pub(crate) async fn of(deployment: &Deployment, who: &'a str) -> Result<Self, Failure> {
        let mut email = None;
        let key = if let Some(text) = who.strip_prefix(KEY) {
            AccountKey::parse(text).ok_or_else(|| Failure::Usage(format!("{text} is not the key of an account")))?
        } else if let Some(sub) = who.strip_prefix(GOOGLE) {
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
            let parsed = Email::parse(who);
            let parsed =
                parsed.map_err(|_| Failure::Usage(format!("{who} is not an address, an id, google:SUB or key:KEY")))?;
            let key = deployment.operator.key_of(&parsed).await?;
            email = Some(parsed);
            key
        };
        Ok(Self { key, who, email })
    }

    /// Everything of the account.
    pub(crate) async fn partition(&self, deployment: &Deployment) -> Result<Partition, Failure> {
        match deployment.operator.partition(&self.key).await {
            Ok(found) => found.filter(|found| self.is(&found.profile)).ok_or_else(|| missing(self.who)),
            Err(fault) => Err(self.explained(deployment, fault).await),
        }
    }

    async fn profile(&self, deployment: &Deployment) -> Result<Profile, Failure> {
        match deployment.operator.accounts(std::slice::from_ref(&self.key), &[]).await {
            Ok((found, _)) => {
                let found = found.into_iter().next().flatten();
                found.filter(|profile| self.is(profile)).ok_or_else(|| missing(self.who))
            }
            Err(fault) => Err(self.explained(deployment, fault).await),
        }
    }

    /// Whether a profile is the one that WHO names. An account that has left an address may be under its key.
    fn is(&self, profile: &Profile) -> bool {
        self.email.as_ref().is_none_or(|email| *email == profile.account.email)
    }

    /// The failure of a command on an account that could not be read: it says what is wrong, if the account is broken.
    async fn explained(&self, deployment: &Deployment, fault: Fault) -> Failure {
        match deployment.operator.broken(&self.key).await {
            Ok(Some(broken)) => {
                let (key, reason, aws) = (self.key.as_str(), &broken.reason, &deployment.aws);
                Failure::Failed(format!(
                    "the profile of the account {KEY}{key} cannot be read ({reason}): repair this attribute with `{aws} \
                     update-item`, or erase the account with `accounts erase {KEY}{key}`"
                ))
            }
            _ => fault.into(),
        }
    }
}

/// The account that `who` names.
pub(crate) async fn account(deployment: &Deployment, who: &str) -> Result<Profile, Failure> {
    Named::of(deployment, who).await?.profile(deployment).await
}

/// The id of the account that `who` names. An id is not looked up, because its account may be erased.
pub(crate) async fn id(deployment: &Deployment, who: &str) -> Result<u64, Failure> {
    match who.parse() {
        Ok(id) => Ok(id),
        Err(_) => Ok(account(deployment, who).await?.account.id),
    }
}

fn missing(who: &str) -> Failure {
    Failure::NotFound(format!("there is no account {who}"))
}

/// The last leased id; 0 if there is no counter that can be read.
pub(crate) async fn last_id(operator: &Operator) -> Result<u64, Fault> {
    let rows = operator.rows(vec![Row::counter_key()]).await?;
    let total = |row: Row| if let Kind::Counter(total) = row.kind { Some(total) } else { None };
    Ok(rows.into_values().find_map(total).unwrap_or_default())
}
