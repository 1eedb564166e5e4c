//! How many mails an address gets. A stranger, or whoever was in once, must not be able to fill somebody's inbox, nor to
//! hide a notice among others. Reset links and verification links have counts of their own, so that notices never use up
//! the share of a reset link.

use crate::store::counting;
use crate::store::items::failures::{self, Bucket};
use crate::store::items::mails::{self, DAY, MailShare, Mails};
use crate::store::table::{Outcome, Table, Write, again, read};
use crate::{Email, Fault, Setup};

/// The highest number of mails a day that may be set.
const MAILS_MAX: u64 = 1000;
/// The maximum number of attempts if other calls count a mail to the same address at the same time.
const ROUNDS: usize = 8;

/// Counts the mails to each address.
#[derive(Clone)]
pub struct MailBudget {
    table: Table,
    /// How many mails of each count an address gets in 24 hours.
    limit: u64,
}

impl MailBudget {
    /// Reads `ACCOUNTS_TABLE` and `MAILS_PER_DAY`.
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup), limit: setup.settings().number("MAILS_PER_DAY", 1..=MAILS_MAX) }
    }

    /// Counts the notice of an event, and says what is sent of it. A repeat for the same event has the same answer. An
    /// address that nobody has proved gets one notice of each kind.
    pub async fn take(&self, email: &Email, is_proved: bool, kind: &str, event_id: &str) -> Result<MailShare, Fault> {
        again(ROUNDS, "table.mails", || async move {
            let now = self.table.now();
            let mut mails: Mails =
                self.table.item(mails::key_of(email)).await?.map(read).transpose()?.unwrap_or_default();
            mails.count(kind, event_id, is_proved, self.limit, now);
            let written = self.table.write(mails.put(email, now)?.when(mails.is_unchanged())).await?;
            Ok(written.is_ok().then(|| mails.share()))
        })
        .await
    }

    /// Counts a mail, whatever becomes of it. Returns false, and does not count it, if the share is used up.
    pub(super) async fn count(&self, bucket: &Bucket) -> Result<bool, Fault> {
        counting::take(&self.table, bucket, self.limit, DAY).await
    }

    /// Sends a write of the profile that issues the token of a link, and counts the link, in one transaction. If the share
    /// is used up, it sends `pressing` instead, which issues a token only if there is no live one.
    pub(super) async fn issue(&self, bucket: &Bucket, write: Write, pressing: Write) -> Result<Outcome, Fault> {
        let now = self.table.now();
        let expires_at = now.seconds() + DAY + 1;
        let counted = vec![write.clone(), bucket.add(now, self.limit, expires_at)];
        let full = match self.table.transact(counted).await? {
            Err(refused) if refused.index == 1 => refused.item.map(failures::read).transpose()?,
            outcome => return Ok(outcome),
        };
        let Some(full) = full else { return self.table.write(pressing).await };
        let mut times = full.since(now, DAY);
        if u64::try_from(times.len()).is_ok_and(|sent| sent >= self.limit) {
            return self.table.write(pressing).await;
        }
        times.push(now.milliseconds());
        match self.table.transact(vec![write, bucket.replace(&full, &times, expires_at)]).await? {
            // Another call has counted a link in the meantime.
            Err(refused) if refused.index == 1 => self.table.write(pressing).await,
            outcome => Ok(outcome),
        }
    }
}
