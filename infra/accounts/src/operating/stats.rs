//! `accounts stats`: counts of the accounts table, by one scan, and with `--entries` of the entries table, by another.

use std::collections::BTreeMap;

use indicatif::ProgressBar;
use serde::Serialize;
use shared::AccountKey;
use shared::password::StoredPassword;
use shared::store::operator::{Kind, Lifetimes, NotBefore, Profile, Row};
use shared::system::clock::{Clock, SystemClock, Timestamp};

use crate::cli::{Stats, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::rate::Rate;
use crate::scan::Scan;
use crate::{output, progress};

/// What a scan has counted.
#[derive(Serialize)]
struct Counts {
    accounts: u64,
    /// Accounts whose address is verified.
    proved: u64,
    disabled: u64,
    with_google: u64,
    without_password: u64,
    /// Accounts by the format of their hash; `unrecorded` if a row does not say whether there is one.
    password_hashes: BTreeMap<&'static str, u64>,
    /// Accounts whose hash is another system's.
    legacy_hashes: u64,
    live_sessions: u64,
    /// Profiles that the service cannot read. `accounts doctor --data` names them.
    broken: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<u64>,
    /// The read units that the command took.
    read_units: f64,
}

/// The account whose items the scan reads at the moment. A scan returns the items of a partition one after another, the
/// profile before the sessions.
struct Current {
    key: AccountKey,
    profile: Profile,
}

/// Counts everything.
pub(super) async fn stats(target: &Target, options: &Stats) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let (rate, progress, now) = (Rate::new(options.rate.units), progress::of_scan("accounts"), SystemClock.now());
    let mut counts = Counts {
        accounts: 0,
        proved: 0,
        disabled: 0,
        with_google: 0,
        without_password: 0,
        password_hashes: BTreeMap::new(),
        legacy_hashes: 0,
        live_sessions: 0,
        broken: 0,
        entries: None,
        read_units: 0.0,
    };
    let (mut current, not_before) = (None, deployment.operator.not_before().await?);
    let mut scan = Scan::of(&deployment.operator);
    while let Some(rows) = scan.next().await? {
        for row in rows {
            counts.add(row, &mut current, (not_before, deployment.lifetimes, now));
        }
        counts.read_units += scan.units;
        show(&progress, &counts);
        rate.take(scan.units).await;
    }
    if options.entries {
        let mut start = None;
        loop {
            let page = deployment.operator.count_entries(start).await?;
            *counts.entries.get_or_insert_default() += page.found;
            counts.read_units += page.units;
            show(&progress, &counts);
            rate.take(page.units).await;
            start = page.next;
            if start.is_none() {
                break;
            }
        }
    }
    progress.finish_and_clear();
    output::fields(target.json, &counts)?;
    Ok(Done::All)
}

impl Counts {
    fn add(
        &mut self,
        row: Row,
        current: &mut Option<Current>,
        (not_before, lifetimes, now): (NotBefore, Lifetimes, Timestamp),
    ) {
        match row.kind {
            Kind::Profile(profile) => {
                let account = &profile.account;
                self.accounts += 1;
                self.proved += u64::from(account.email_verified);
                self.disabled += u64::from(account.is_disabled());
                self.with_google += u64::from(account.google_sub.is_some());
                if account.password == StoredPassword::None {
                    self.without_password += 1;
                } else {
                    *self.password_hashes.entry(account.password.format_name()).or_default() += 1;
                    self.legacy_hashes += u64::from(account.password.is_legacy());
                }
                *current = Some(Current { key: account.key.clone(), profile: *profile });
            }
            Kind::Broken if row.key == Row::profile_key(&row.key.0) => {
                self.broken += 1;
                *current = None;
            }
            Kind::Session(session) => {
                let owner = current.as_ref().filter(|current| row.key.0 == current.key.as_str());
                let is_live = |owner: &Current| session.is_live(&owner.profile.account, not_before, lifetimes, now);
                let is_live = owner.is_some_and(is_live);
                self.live_sessions += u64::from(is_live);
            }
            _ => {}
        }
    }
}

fn show(progress: &ProgressBar, counts: &Counts) {
    let entries = counts.entries.map_or_else(String::new, |entries| format!(", {entries} entries"));
    progress.set_message(format!("{entries}, {} read units", counts.read_units));
    progress.set_position(counts.accounts);
}
