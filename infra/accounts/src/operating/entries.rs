//! `accounts entries`: the entries of an account.

use shared::store::Position;

use crate::cli::Target;
use crate::connection::Deployment;
use crate::exporting::Entry;
use crate::failure::{Done, Failure};
use crate::interruption::Interruption;
use crate::{lookup, output};

/// The bytes after which lines are written: 4 MB.
const BYTES: usize = 4 << 20;

/// Prints the entries of an account as NDJSON, page by page.
pub(super) async fn export(target: &Target, who: &str) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let id = lookup::id(&deployment, who).await?;
    let interruption = Interruption::watch();
    let (mut lines, mut after): (u64, Option<Position>) = (0, None);
    loop {
        let (mut text, mut unwritable) = (Vec::new(), None);
        let next = deployment.entries.read_of(id, after.as_ref(), |entry| {
            if text.len() >= BYTES {
                return Ok(false);
            }
            if let Err(error) = serde_json::to_writer(&mut text, &Entry::of_account(&entry)) {
                unwritable = Some(error);
            }
            text.push(b'\n');
            lines += 1;
            Ok(true)
        });
        after = next.await?;
        if let Some(error) = unwritable {
            return Err(Failure::Failed(format!("an entry cannot be written: {error}")));
        }
        output::data(&String::from_utf8_lossy(&text))?;
        if after.is_none() {
            output::note(&format!("{lines} entries"));
            return Ok(Done::All);
        }
        output::note(&format!("{lines} entries so far"));
        if interruption.has_come() {
            return Err(Failure::Failed("interrupted; what was written is incomplete".to_owned()));
        }
    }
}
