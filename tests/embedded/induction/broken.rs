//! What an accepted write has broken.

use std::collections::BTreeSet;

use serde_json::Value;
use shared::store::PASSKEYS_MAX;

use super::engine::{Rows, key};
use super::states::{self, Change, State, faults};
use super::writes::{Recorded, Right, condition, kind_of, members, target};
use super::{imported, rights};

/// What an accepted write has broken; `None` if nothing.
pub(super) fn broken(recorded: &Recorded, state: &State, after: &Rows) -> Option<String> {
    let before = &state.rows;
    if let Some(fault) = faults(after).into_iter().find(|fault| !state.faults.contains(fault)) {
        return Some(fault);
    }
    if let Some(wrong) = rights::wrong(recorded, before, after) {
        return Some(wrong.to_owned());
    }
    if let Some(lost) = Some(recorded).filter(|is| is.right == Right::Import).and_then(|is| imported::lost(is, before))
    {
        return Some(lost);
    }
    let mut profiles = before.iter().filter(|((_, sk), _)| sk == "profile");
    let of_one = profiles.find_map(|(key, was)| of_account(recorded, was, after.get(key)));
    of_one.or_else(|| of_read(recorded, state, after)).map(str::to_owned)
}

/// What was done to one account, whatever was read.
fn of_account(recorded: &Recorded, was: &Value, is: Option<&Value>) -> Option<&'static str> {
    let number = |row: &Value, name: &str| row[name]["N"].as_str().unwrap().parse::<u64>().unwrap();
    let is_by_owner = !matches!(recorded.right, Right::Stream | Right::Operator | Right::Import);
    if was["id"]["N"] == states::STRANGER && is != Some(was) {
        return Some("somebody else's account has changed");
    }
    let Some(is) = is else {
        // Another account than the one that was read is deleted only as it was read.
        let read = recorded.base.get(&key(was)).filter(|_| states::account(recorded) != Some(key(was).0));
        let names = ["id", "generation", "email_verified", "passkeys"];
        let is_other = read.is_some_and(|read| names.into_iter().any(|name| was.get(name) != read.get(name)));
        return is_other.then_some("an account was deleted that has changed since it was read");
    };
    let has_way_in =
        |row: &Value| ["password", "google_sub", "passkeys"].into_iter().any(|name| row.get(name).is_some());
    let has_format =
        |row: &Value| row.get("password_format").is_none_or(|format| *format == states::format_of(row.get("password")));
    let other_user = |user: &Value| is.get("passkey_user").is_some_and(|now| now != user);
    if was["id"] != is["id"] {
        Some("an account has got another id")
    } else if number(is, "generation") < number(was, "generation") {
        Some("ended sessions live again")
    } else if was["email"] != is["email"] && is["generation"] == was["generation"] {
        Some("an address has changed, and its sessions live")
    } else if was.get("passkey_user").is_some_and(other_user) {
        Some("the user handle has changed")
    } else if is["passkeys"]["SS"].as_array().is_some_and(|passkeys| passkeys.len() > PASSKEYS_MAX + 1) {
        Some("an account has too many passkeys")
    } else if is_by_owner && has_way_in(was) && !has_way_in(is) && was.get("locked_at") == is.get("locked_at") {
        Some("an account has lost its last way in")
    } else if has_format(was) && !has_format(is) {
        Some("a password has another format than the account says")
    } else if is_by_owner && was.get("disabled_at").is_some() && was != is {
        Some("a disabled account has changed")
    } else {
        None
    }
}

/// What was done to the account that was read.
fn of_read(recorded: &Recorded, state: &State, after: &Rows) -> Option<&'static str> {
    let before = &state.rows;
    let account = states::account(recorded).or_else(|| states::made(recorded))?;
    let profile = (account.clone(), "profile".to_owned());
    let (base, was, is) = (recorded.base.get(&profile), before.get(&profile), after.get(&profile));
    let named = |rows: &Rows| rows.values().filter(|row| row["account"]["S"] == *account).count();
    let of = |row: Option<&Value>, name: &str| row.and_then(|row| row.get(name).cloned());
    let live = |rows: &Rows| -> BTreeSet<_> {
        let profile = rows.get(&profile);
        let is_live = |(at, row): &(&(String, String), &Value)| {
            let is_of = |profile: &Value| ["id", "generation"].into_iter().all(|name| row[name] == profile[name]);
            at.0 == account && at.1.starts_with("session#") && profile.is_some_and(is_of)
        };
        rows.iter().filter(is_live).map(|(at, _)| at.clone()).collect()
    };
    match (state.account, recorded.right) {
        (Change::Gone, _) if is.is_some() && states::made(recorded).is_none() => Some("a deleted account is back"),
        (Change::Gone | Change::Reborn, _) if recorded.has_entries => Some("an entry is stored for a deleted account"),
        (Change::Reborn, _) if was != is || (!recorded.is_repair && named(before) != named(after)) => {
            Some("an account was taken for the one that had its address before")
        }
        (Change::Newer, Right::Session) if was != is => Some("an ended session has changed the account"),
        (_, Right::Stream) if is.is_some() && !live(before).is_subset(&live(after)) => {
            Some("a live session was deleted")
        }
        // The owner may have a new one since, and his sessions stay.
        (_, Right::Operator)
            if of(was, "generation") == of(is, "generation")
                && of(was, "password") != of(is, "password")
                && of(was, "password_format") != of(base, "password_format") =>
        {
            Some("a password was removed that was not read")
        }
        (_, Right::Operator) if was.is_none() && !live(after).is_empty() => Some("an ended session lives again"),
        (_, Right::Token(token) | Right::Withdrawal(token)) if was != is => {
            let until = token.replace("_hash", "_expires_at");
            let has_expired = of(was, &until).is_some_and(|time| time["N"] == rights::PASSED);
            let is_live = of(base, token) == of(was, token);
            let is_right = is_live && (matches!(recorded.right, Right::Withdrawal(_)) || !has_expired);
            (!is_right).then_some("a link that is not live has changed the account")
        }
        (_, Right::Token(_) | Right::Withdrawal(_)) => None,
        // The mail goes to the address that was read.
        _ => ["reset_hash", "verify_hash"].into_iter().find_map(|token| {
            let is_mailed = of(is, token).is_some() && of(is, token) != of(was, token);
            (is_mailed && of(was, "email") != of(base, "email")).then_some("a link was mailed to another's address")
        }),
    }
}

/// Whether nothing in a write has a condition, although its rows are not leased numbers: then it may be done again at any time.
pub(super) fn may_be_repeated(recorded: &Recorded) -> bool {
    let is_leased = |part: &Value| kind_of(&target(part)) == "/user-id";
    recorded.parts.iter().all(|part| condition(part).is_empty() && members(part).0 != "Put" && !is_leased(part))
}
