//! The invariants of the calls of a run, besides those of its rows.

use std::collections::BTreeSet;

use serde_json::Value;
use shared::Token;

use crate::case::Case;
use crate::judging::judge::{FAILED, Wrong, said};
use crate::kinds::Kind;
use crate::running::run::{Point, Run};

/// The operations with which an import writes an account.
const WRITES: [&str; 2] = ["PutItem", "TransactWriteItems"];

/// Checks the mails, the entries and the ids of a run.
pub(crate) fn check(case: &Case, run: &Run) -> Result<(), Wrong> {
    check_mails(case, run)?;
    check_counts(case, run)?;
    check_entries(case, run)?;
    check_ids(case, run)
}

/// A request stores the token of a link before it mails the link.
fn check_mails(case: &Case, run: &Run) -> Result<(), Wrong> {
    for (index, mail) in run.points.iter().enumerate().filter(|(_, point)| point.operation == "SendEmail") {
        let who = mail.step.who;
        let tokens = tokens(&mail.asked);
        if tokens.is_empty()
            && matches!(case.kind(who), Kind::ResetLink | Kind::SendVerification | Kind::Lock | Kind::ChangeEmail)
        {
            return Err(format!("the mail of {} has no link", who.letter()));
        }
        let earlier = || run.points[..index].iter().filter(|point| point.step.who == who && point.is_done);
        for hash in tokens.iter().map(Token::hash) {
            if !earlier().any(|point| point.operation != "SendEmail" && point.asked.to_string().contains(&hash)) {
                return Err(format!("{} has mailed a link whose token it has not stored", who.letter()));
            }
        }
    }
    Ok(())
}

/// Each mailed link is counted, also if its account is gone.
fn check_counts(case: &Case, run: &Run) -> Result<(), Wrong> {
    let counts =
        [("resets", &[Kind::ResetLink][..]), ("verifications", &[Kind::SendVerification, Kind::NoticeRegistration])];
    for (sk, kinds) in counts {
        let is_mail = |point: &&Point| point.operation == "SendEmail" && kinds.contains(&case.kind(point.step.who));
        let mails = run.points.iter().filter(is_mail);
        let mailed: BTreeSet<String> = mails.flat_map(|mail| tokens(&mail.asked)).map(|token| token.hash()).collect();
        let is_count = |row: &&Value| row["pk"]["S"] == *run.subject.mails() && row["sk"]["S"] == sk;
        let counted = run.rows.iter().find(is_count).and_then(|row| row["times"]["L"].as_array()).map_or(0, Vec::len);
        if mailed.len() > counted {
            return Err(format!("{} links were mailed, and {counted} {sk} are counted", mailed.len()));
        }
    }
    Ok(())
}

/// The tokens in a mail.
fn tokens(mail: &Value) -> Vec<Token> {
    let text = mail.to_string();
    let is_apart = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    text.split(is_apart).filter_map(Token::parse).collect()
}

/// No entry is stored for an account after its deletion, unless an import has created the account again. Entries that were
/// stored before are erased later, by `notices`.
fn check_entries(case: &Case, run: &Run) -> Result<(), Wrong> {
    let parts = |point: &Point| point.asked["TransactItems"].as_array().cloned().unwrap_or_default();
    let deletes = |part: &Value| {
        let key = &part["Delete"]["Key"];
        key["sk"]["S"] == "profile" && key["pk"]["S"] == *run.subject.pk
    };
    let Some(end) = run.points.iter().position(|point| point.is_done && parts(point).iter().any(deletes)) else {
        return Ok(());
    };
    let is_owned = |part: &Value| part["Put"]["Item"]["account"]["N"].as_str() == Some(&run.subject.id.to_string());
    // The retry of a transaction whose answer was lost writes nothing.
    let token = |point: &Point| point.asked["ClientRequestToken"].clone();
    let is_again = |point: &Point| run.points[..end].iter().any(|one| one.is_done && token(one) == token(point));
    let is_late = |point: &Point| point.is_done && parts(point).iter().any(is_owned) && !is_again(point);
    let imports = |point: &Point| {
        case.kind(point.step.who) == Kind::Import && point.is_done && WRITES.contains(&point.operation.as_str())
    };
    if run.points[end..].iter().take_while(|point| !imports(point)).any(is_late) {
        return Err("an entry was stored for an account that had been deleted".to_owned());
    }
    Ok(())
}

/// No id was assigned twice.
fn check_ids(case: &Case, run: &Run) -> Result<(), Wrong> {
    let leases = case.whos().filter(|who| case.kind(*who) == Kind::Lease);
    let answers = leases.map(|who| said(&run.answers[who as usize])).filter(|said| said.status != FAILED);
    let ids: Vec<String> = answers.map(|said| said.text).collect();
    if ids.iter().collect::<BTreeSet<_>>().len() < ids.len() {
        return Err(format!("an id was assigned twice: {ids:?}"));
    }
    Ok(())
}
