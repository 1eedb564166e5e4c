//! Counts of attempts and of mails, each of which has a limit in a window of time.

use super::items::failures::{self, Bucket};
use super::table::{Table, again};
use crate::Fault;

/// The maximum number of attempts to write if other calls change the same item at the same time. The call that wins
/// removes all expired times from a full item. The others then find room or reach the limit. A second conflict is
/// possible only if further times expire within the same milliseconds.
const ROUNDS: usize = 8;

/// Counts one in a bucket. Returns false, and does not count it, if `limit` were counted in the last `window` seconds.
pub(in crate::store) async fn take(table: &Table, bucket: &Bucket, limit: u64, window: u64) -> Result<bool, Fault> {
    again(ROUNDS, "table.attempts", move || async move {
        let now = table.now();
        let expires_at = now.seconds() + window + 1;
        let Err(refused) = table.write(bucket.add(now, limit, expires_at)).await? else { return Ok(Some(true)) };
        let Some(full) = refused.item else { return Ok(None) };
        let read = failures::read(full)?;
        let mut times = read.since(now, window);
        if usize::try_from(limit).is_ok_and(|limit| times.len() >= limit) {
            return Ok(Some(false));
        }
        times.push(now.milliseconds());
        let replaced = table.write(bucket.replace(&read, &times, expires_at)).await?;
        Ok(replaced.is_ok().then_some(true))
    })
    .await
}
