//! `accounts log`: queries of `CloudWatch` Logs Insights.

use serde_json::{Map, Value};
use shared::system::clock::{Clock, SystemClock};

use crate::cli::{Searching, Target};
use crate::connection::stack_config;
use crate::failure::{Done, Failure};
use crate::output;
use crate::trail::{LogGroup, Logs};

/// Prints what a query finds. Every row has all columns; a field that a line lacks is empty. It reads no table, so that
/// it works while the tables do not.
pub(crate) async fn search(target: &Target, options: &Searching) -> Result<Done, Failure> {
    let stack = target.in_aws("the local stack has no log group: its lines are on the standard output of make dev")?;
    let config = stack_config(target).await?;
    let logs = if options.gateway { Logs::Gateway } else { Logs::Functions };
    let now = SystemClock.now();
    let found = LogGroup::of(&config, stack, logs).await?.query(&options.query, options.since.before(now), now).await?;
    let mut columns = Map::new();
    for name in found.iter().flatten().map(|(name, _)| name) {
        columns.entry(name).or_insert(Value::Null);
    }
    let rows: Vec<Map<String, Value>> = found
        .into_iter()
        .map(|fields| {
            let mut row = columns.clone();
            row.extend(fields.into_iter().map(|(name, value)| (name, value.into())));
            row
        })
        .collect();
    output::rows(target.json, &rows)?;
    Ok(Done::All)
}
