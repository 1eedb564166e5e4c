//! `accounts audit`: the security events of an account.

use std::fs;
use std::io::ErrorKind;

use shared::system::clock::{Clock, SystemClock, Timestamp};

use crate::cli::{Auditing, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::trail::{LogGroup, Logs, Recorded, local_file};
use crate::{lookup, output};

/// Prints the audit lines of an account. The local stack keeps only the operator's lines.
pub(crate) async fn audit(target: &Target, options: &Auditing) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    // An erased account has lines too.
    let id = lookup::id(&deployment, &options.who).await?;
    let since = options.since.before(SystemClock.now());
    let lines = if let Some(stack) = &deployment.stack {
        LogGroup::of(&deployment.config, stack, Logs::Functions).await?.audit_lines(id, since).await?
    } else {
        output::note("the service's lines are on the standard output of make dev; these are the operator's");
        local_lines(id, since)?
    };
    output::rows_without_empty_columns(target.json, &lines)?;
    Ok(Done::All)
}

/// The operator's lines about an account on the local stack.
fn local_lines(account_id: u64, since: Timestamp) -> Result<Vec<Recorded>, Failure> {
    let Some(path) = local_file() else { return Ok(Vec::new()) };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::Failed(format!("{} cannot be read: {error}", path.display()))),
    };
    let lines = text.lines().filter_map(Recorded::parse);
    Ok(lines.filter(|line| line.is_about(account_id, since)).collect())
}
