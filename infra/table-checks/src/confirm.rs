//! Reads again what may be damaged: the table changes while it is scanned, and a scan may read old rows.

use std::collections::HashMap;

use shared::store::operator::{Kind as Is, Profile, Row, RowKey};
use shared::store::{COUNTER_MAX, ID_MARGIN};
use shared::{AccountKey, Fault};

use crate::ledger::Suspects;
use crate::{Damage, Kind, Repair, Table};

/// How many suspects are read together. This bounds the memory.
const CHUNK: usize = 1000;

/// The damaged rows among the suspects, by consistent reads.
pub(crate) async fn confirm(table: &impl Table, suspects: Suspects) -> Result<Vec<Damage>, Fault> {
    let mut damages = Vec::new();
    for some in suspects.sessions.chunks(CHUNK) {
        sessions(table, some, &mut damages).await?;
    }
    for some in suspects.identities.chunks(CHUNK) {
        identities(table, some, &mut damages).await?;
    }
    for some in suspects.unlinked.chunks(CHUNK) {
        unlinked(table, some, &mut damages).await?;
    }
    repeated(table, &suspects.repeated, &mut damages).await?;
    for some in suspects.passkeys.chunks(CHUNK) {
        passkeys(table, some, &mut damages).await?;
    }
    for some in suspects.addresses.chunks(CHUNK) {
        addresses(table, some, &mut damages).await?;
    }
    for some in suspects.moved.chunks(CHUNK) {
        moved(table, some, &mut damages).await?;
    }
    Ok(damages)
}

/// The damage of the counter, if it is below the largest id, or near its end.
pub(crate) async fn counter(table: &impl Table, largest: u64) -> Result<Option<Damage>, Fault> {
    let rows = table.rows(vec![Row::counter_key()]).await?;
    let total = rows.values().find_map(|row| if let Is::Counter(total) = row.kind { Some(total) } else { None });
    let total = total.unwrap_or_default();
    let shown = format!("counter {total}, largest id {largest}");
    Ok(if total > COUNTER_MAX {
        // Accounts with higher ids than the largest may have been deleted.
        let repair = Repair::LowerCounter(largest.saturating_add(ID_MARGIN));
        Some(Damage::new(Kind::CounterEnd, shown).with(repair))
    } else if total < largest {
        Some(Damage::new(Kind::Counter, shown).with(Repair::RaiseCounter(largest)))
    } else {
        None
    })
}

async fn sessions(table: &impl Table, some: &[RowKey], damages: &mut Vec<Damage>) -> Result<(), Fault> {
    let profiles = some.iter().map(|(pk, _)| Row::profile_key(pk));
    let rows = table.rows(profiles.chain(some.iter().cloned()).collect()).await?;
    for row_key in some {
        let (pk, sk) = row_key;
        if rows.contains_key(row_key) && !rows.contains_key(&Row::profile_key(pk)) {
            let repair = Repair::DeleteSession { pk: pk.clone(), sk: sk.clone() };
            damages.push(Damage::new(Kind::SessionWithoutAccount, pk.clone()).with(repair));
        }
    }
    Ok(())
}

async fn identities(table: &impl Table, some: &[Box<str>], damages: &mut Vec<Damage>) -> Result<(), Fault> {
    let rows = table.rows(some.iter().map(|sub| Row::identity_key(sub)).collect()).await?;
    let links: Vec<(&str, String)> = some.iter().filter_map(|sub| Some((&**sub, linked(&rows, sub)?))).collect();
    let profiles = table.rows(links.iter().map(|(_, account)| Row::profile_key(account)).collect()).await?;
    for (sub, account) in links {
        match profiles.get(&Row::profile_key(&account)).map(|row| &row.kind) {
            None => {
                let repair = Repair::DeleteIdentity { sub: sub.to_owned(), account };
                damages.push(Damage::new(Kind::IdentityWithoutAccount, format!("google:{sub}")).with(repair));
            }
            Some(Is::Profile(profile)) if profile.account.google_sub.as_deref() != Some(sub) => {
                damages.push(Damage::new(Kind::IdentityOfAnother, format!("google:{sub}")));
            }
            // A profile that cannot be read is reported by itself.
            Some(_) => {}
        }
    }
    Ok(())
}

async fn unlinked(table: &impl Table, some: &[(String, bool)], damages: &mut Vec<Damage>) -> Result<(), Fault> {
    let found = profiles(table, some.iter().map(|(key, _)| key.as_str())).await?;
    let subs = found.values().filter_map(|profile| profile.account.google_sub.as_deref());
    let rows = table.rows(subs.map(Row::identity_key).collect()).await?;
    for (key, is_sub_unique) in some {
        let Some(account) = found.get(key).map(|profile| &profile.account) else { continue };
        let Some(sub) = &account.google_sub else { continue };
        let exists = rows.contains_key(&Row::identity_key(sub));
        match (exists, linked(&rows, sub)) {
            (false, _) => {
                let damage = Damage::new(Kind::AccountWithoutIdentity, account.id.to_string());
                let repair = || Repair::RestoreIdentity { sub: sub.clone(), key: account.key.clone(), id: account.id };
                damages.push(if *is_sub_unique { damage.with(repair()) } else { damage });
            }
            (true, Some(owner)) if owner != account.key.as_str() => {
                damages.push(Damage::new(Kind::IdentityElsewhere, account.id.to_string()));
            }
            // An identity that cannot be read is reported by itself.
            (true, _) => {}
        }
    }
    Ok(())
}

async fn repeated(table: &impl Table, keys: &[String], damages: &mut Vec<Damage>) -> Result<(), Fault> {
    let mut owners: HashMap<u64, Vec<String>> = HashMap::new();
    for some in keys.chunks(CHUNK) {
        for (key, profile) in profiles(table, some.iter().map(String::as_str)).await? {
            owners.entry(profile.account.id).or_default().push(key);
        }
    }
    let mut owners: Vec<_> = owners.into_iter().filter(|(_, keys)| keys.len() > 1).collect();
    owners.sort_unstable();
    for (id, mut keys) in owners {
        keys.sort_unstable();
        damages.extend(keys.into_iter().map(|key| Damage::new(Kind::RepeatedId, format!("{id} of {key}"))));
    }
    Ok(())
}

async fn passkeys(table: &impl Table, some: &[(String, String)], damages: &mut Vec<Damage>) -> Result<(), Fault> {
    let keys_of = |(key, id): &(String, String)| [Row::passkey_key(key, id), Row::pointer_key(id)];
    let profiles = some.iter().map(|(key, _)| Row::profile_key(key));
    let rows = table.rows(profiles.chain(some.iter().flat_map(keys_of)).collect()).await?;
    for suspect in some {
        let (key, id) = suspect;
        let account = match rows.get(&Row::profile_key(key)).map(|row| &row.kind) {
            Some(Is::Profile(profile)) => Some(&profile.account).filter(|account| account.passkeys.contains(id)),
            // A profile that cannot be read is reported by itself.
            Some(_) => continue,
            None => None,
        };
        let [row, pointer] = keys_of(suspect);
        let is_theirs = |row_key: &RowKey| {
            rows.get(row_key).is_some_and(|row| row.account.as_ref().is_none_or(|account| account == key))
        };
        let found: Vec<RowKey> = [row, pointer].into_iter().filter(is_theirs).collect();
        match account {
            Some(account) if found.len() < 2 => {
                damages.push(Damage::new(Kind::BrokenPasskey, format!("{} {id}", account.id)));
            }
            Some(_) => {}
            None => damages.extend(found.into_iter().map(|row| {
                let repair = Repair::DeletePasskey { key: key.clone(), id: id.clone(), row };
                Damage::new(Kind::UnnamedPasskey, id.clone()).with(repair)
            })),
        }
    }
    Ok(())
}

async fn addresses(table: &impl Table, some: &[String], damages: &mut Vec<Damage>) -> Result<(), Fault> {
    let pointers = table.rows(some.iter().map(|key| Row::address_key(key)).collect()).await?;
    let named: Vec<(String, String)> =
        pointers.into_iter().filter_map(|((address, _), row)| Some((address, row.account?))).collect();
    let rows = table.rows(named.iter().map(|(_, account)| Row::profile_key(account)).collect()).await?;
    for (address, account) in named {
        let has_it = match rows.get(&Row::profile_key(&account)).map(|row| &row.kind) {
            Some(Is::Profile(profile)) => AccountKey::of(&profile.account.email).as_str() == address,
            // A profile that cannot be read is reported by itself.
            Some(_) => true,
            None => false,
        };
        if !has_it {
            let damage = Damage::new(Kind::StaleAddress, address.clone());
            damages.push(damage.with(Repair::DeleteAddress { address, account }));
        }
    }
    Ok(())
}

async fn moved(table: &impl Table, some: &[String], damages: &mut Vec<Damage>) -> Result<(), Fault> {
    let found = profiles(table, some.iter().map(String::as_str)).await?;
    let homes = found.values().map(|profile| AccountKey::of(&profile.account.email).as_str().to_owned());
    let keys = homes.flat_map(|home| [Row::address_key(&home), Row::profile_key(&home)]);
    let rows = table.rows(keys.collect()).await?;
    for (key, profile) in found {
        let account = profile.account;
        let home = AccountKey::of(&account.email);
        if home == account.key {
            continue;
        }
        let named = rows.get(&Row::address_key(home.as_str())).and_then(|row| row.account.clone());
        let other = rows.get(&Row::profile_key(home.as_str())).map(|row| &row.kind);
        let is_taken = matches!(other, Some(Is::Profile(other)) if other.account.email == account.email);
        if named.as_ref() != Some(&key) || is_taken {
            let damage = Damage::new(Kind::LostAddress, account.id.to_string());
            let repair =
                || Repair::RestoreAddress { key: account.key.clone(), email: account.email.clone(), id: account.id };
            damages.push(if named.is_none() && !is_taken { damage.with(repair()) } else { damage });
        }
    }
    Ok(())
}

/// The profiles with these keys that exist and can be read.
async fn profiles(table: &impl Table, keys: impl Iterator<Item = &str>) -> Result<HashMap<String, Profile>, Fault> {
    let rows = table.rows(keys.map(Row::profile_key).collect()).await?;
    let profile = |((key, _), row): (RowKey, Row)| match row.kind {
        Is::Profile(profile) => Some((key, *profile)),
        _ => None,
    };
    Ok(rows.into_iter().filter_map(profile).collect())
}

/// The key of the account that an identity is linked to.
fn linked(rows: &HashMap<RowKey, Row>, sub: &str) -> Option<String> {
    rows.get(&Row::identity_key(sub)).and_then(|row| row.account.clone())
}
