//! `accounts doctor`: checks of a deployment, and of the rows of its accounts table.
//!
//! A check is a function that gives a [`Finding`]: a sentence, and what to do next. The checks that belong together
//! are in one file, and those of the rows are in `data`.

mod clients;
mod data;
mod finding;
mod mail;
mod notices;
mod outside;
mod tables;
mod watching;

use aws_config::SdkConfig;
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, join_all};

use crate::cli::{Doctor, Target};
use crate::connection::{Chosen, Location, stack_config};
use crate::failure::{Done, Failure};
use crate::output;
use clients::{Clients, Names};
use finding::Finding;

/// The checks that do not run on the local stack.
const SKIPPED: &str = "not checked on the local stack: the entries table, the stream, backups, deletion protection, expiry, \
                       mail, notices, alarms, logs, quotas, Google's keys, the clock";

/// Runs the checks.
pub(crate) async fn doctor(target: &Target, options: &Doctor) -> Result<Done, Failure> {
    let repairing = options.fixing.repairing()?;
    let mut findings = match target.chosen()? {
        Chosen::Stack(stack) => of_stack(target, stack).await?,
        Chosen::Local => of_local(target).await?,
    };
    if options.data {
        match data::check(target, options.with_hashes, repairing, options.rate).await {
            Ok(more) => findings.extend(more),
            Err(failure) => {
                // The findings so far may explain why the table cannot be read. The failure says what to do.
                let _ = finding::print(target.json, &findings);
                return Err(failure);
            }
        }
    }
    finding::print(target.json, &findings)
}

async fn of_local(target: &Target) -> Result<Vec<Finding>, Failure> {
    let location = Location::local(target).await?;
    let dynamodb = aws_sdk_dynamodb::Client::new(&location.config);
    let aws = target.aws_dynamodb()?;
    output::note(SKIPPED);
    Ok(vec![
        tables::active_of(&dynamodb, &location.accounts, &aws).await,
        tables::index_of(&dynamodb, &location.accounts, &aws).await,
    ])
}

async fn of_stack(target: &Target, stack: &str) -> Result<Vec<Finding>, Failure> {
    let config = stack_config(target).await?;
    // The clock comes first: if it is wrong, AWS refuses all other calls.
    let clock = outside::clock(&config).await;
    Ok(match Names::of_stack(&config, stack, target.aws_dynamodb()?).await {
        Ok(names) => std::iter::once(clock).chain(all(&config, names).await).collect(),
        Err(finding) => vec![clock, finding],
    })
}

/// Runs all checks of a deployment in AWS except the clock's. The findings are in the order in which they are printed.
async fn all(config: &SdkConfig, names: Names) -> Vec<Finding> {
    let clients = &Clients::new(config, names);
    let checks: Vec<LocalBoxFuture<'_, Finding>> = vec![
        tables::accounts_active(clients).boxed_local(),
        tables::index(clients).boxed_local(),
        tables::stream(clients).boxed_local(),
        tables::expiry(clients).boxed_local(),
        tables::accounts_recovery(clients).boxed_local(),
        tables::accounts_protection(clients).boxed_local(),
        tables::entries_active(clients).boxed_local(),
        tables::entries_recovery(clients).boxed_local(),
        tables::entries_protection(clients).boxed_local(),
        mail::verified(clients).boxed_local(),
        mail::dkim(clients).boxed_local(),
        mail::sending(clients).boxed_local(),
        mail::sandbox(clients).boxed_local(),
        mail::quota(clients).boxed_local(),
        notices::source(clients).boxed_local(),
        notices::dead_letters(clients).boxed_local(),
        watching::subscriptions(clients).boxed_local(),
        watching::retention(clients).boxed_local(),
        watching::concurrency(clients).boxed_local(),
        outside::google(clients).boxed_local(),
    ];
    join_all(checks).await
}
