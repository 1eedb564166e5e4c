//! The checks of the tables.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    IndexStatus, PointInTimeRecoveryStatus, StreamViewType, TableDescription, TableStatus, TimeToLiveStatus,
};

use super::clients::Clients;
use super::finding::Finding;

/// The index of profiles by id (`template.yaml`).
const PROFILES: &str = "profiles";
/// The attribute of the accounts table that TTL reads.
const EXPIRY: &str = "expires_at";
/// Why a finding recommends a call and not a deployment.
const DEPLOY: &str = "because make deploy does not restore a setting that was changed by hand";

pub(super) async fn described(client: &Client, check: &'static str, table: &str) -> Result<TableDescription, Finding> {
    let described = client.describe_table().table_name(table).send().await;
    let described = described.map_err(|error| Finding::call_failed(check, "dynamodb:DescribeTable", &error))?;
    described.table.ok_or_else(|| Finding::failed(check, format!("The table {table} has no description."), "try again"))
}

/// The outcome of a check that can end early.
fn settled(result: Result<Finding, Finding>) -> Finding {
    result.unwrap_or_else(|failed| failed)
}

async fn active(client: &Client, check: &'static str, table: &str, aws: &str) -> Result<Finding, Finding> {
    let status = described(client, check, table).await?.table_status;
    Ok(match status {
        Some(TableStatus::Active) => Finding::ok(check, format!("The table {table} is active.")),
        status => Finding::problem(
            check,
            format!("The table {table} is not active: {}.", status.as_ref().map_or("unknown", TableStatus::as_str)),
            format!("{aws} describe-table --table-name {table}, and wait until its status is ACTIVE"),
        ),
    })
}

pub(super) async fn accounts_active(clients: &Clients) -> Finding {
    active_of(&clients.dynamodb, &clients.names.accounts, &clients.names.aws).await
}

/// The same for any client and table, also those of the local stack.
pub(super) async fn active_of(client: &Client, accounts: &str, aws: &str) -> Finding {
    settled(active(client, "accounts-active", accounts, aws).await)
}

pub(super) async fn entries_active(clients: &Clients) -> Finding {
    settled(active(&clients.dynamodb, "entries-active", &clients.names.entries, &clients.names.aws).await)
}

/// Whether the table has the stream that `notices` reads.
pub(super) async fn stream(clients: &Clients) -> Finding {
    const CHECK: &str = "accounts-stream";
    let (accounts, aws) = (&clients.names.accounts, &clients.names.aws);
    settled(described(&clients.dynamodb, CHECK, accounts).await.map(|table| {
        let stream = table.stream_specification.filter(|stream| stream.stream_enabled);
        match stream.and_then(|stream| stream.stream_view_type) {
            Some(StreamViewType::NewAndOldImages) => {
                Finding::ok(CHECK, format!("The table {accounts} has a stream with old and new images."))
            }
            _ => Finding::problem(
                CHECK,
                format!("The table {accounts} has no stream with old and new images, so nobody is told of changes."),
                format!(
                    "{aws} update-table --table-name {accounts} \
                     --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES, {DEPLOY}"
                ),
            ),
        }
    }))
}

pub(super) async fn index(clients: &Clients) -> Finding {
    index_of(&clients.dynamodb, &clients.names.accounts, &clients.names.aws).await
}

/// The same for any client and table, also those of the local stack.
pub(super) async fn index_of(client: &Client, accounts: &str, aws: &str) -> Finding {
    const CHECK: &str = "accounts-index";
    settled(described(client, CHECK, accounts).await.map(|table| {
        let index = table.global_secondary_indexes().iter().find(|index| index.index_name() == Some(PROFILES));
        match index.map(|index| index.index_status()) {
            Some(Some(IndexStatus::Active)) => Finding::ok(CHECK, format!("The index {PROFILES} is active.")),
            Some(status) => Finding::problem(
                CHECK,
                format!(
                    "The index {PROFILES} is not active: {}. `accounts find ID` does not work without it.",
                    status.map_or("unknown", IndexStatus::as_str)
                ),
                format!("{aws} describe-table --table-name {accounts}, and wait until the index is ACTIVE"),
            ),
            None => Finding::problem(
                CHECK,
                format!("The table {accounts} has no index {PROFILES}. `accounts find ID` does not work without it."),
                "deploy a release that has it: make deploy",
            ),
        }
    }))
}

pub(super) async fn expiry(clients: &Clients) -> Finding {
    const CHECK: &str = "accounts-expiry";
    let (table, aws) = (&clients.names.accounts, &clients.names.aws);
    let described = match clients.dynamodb.describe_time_to_live().table_name(table).send().await {
        Ok(described) => described.time_to_live_description,
        Err(error) => return Finding::call_failed(CHECK, "dynamodb:DescribeTimeToLive", &error),
    };
    let is_on = described.is_some_and(|described| {
        let is_on =
            matches!(described.time_to_live_status(), Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling));
        is_on && described.attribute_name() == Some(EXPIRY)
    });
    if is_on {
        return Finding::ok(CHECK, format!("TTL deletes the expired rows of the table {table}."));
    }
    Finding::problem(
        CHECK,
        format!("TTL on {EXPIRY} is off, so that expired sessions are never deleted from the table {table}."),
        format!(
            "{aws} update-time-to-live --table-name {table} --time-to-live-specification \
             Enabled=true,AttributeName={EXPIRY}, {DEPLOY}"
        ),
    )
}

async fn recovery(client: &Client, check: &'static str, table: &str, aws: &str) -> Finding {
    let described = match client.describe_continuous_backups().table_name(table).send().await {
        Ok(described) => described.continuous_backups_description,
        Err(error) => return Finding::call_failed(check, "dynamodb:DescribeContinuousBackups", &error),
    };
    let recovery = described.and_then(|described| described.point_in_time_recovery_description);
    match recovery.and_then(|recovery| recovery.point_in_time_recovery_status) {
        Some(PointInTimeRecoveryStatus::Enabled) => {
            Finding::ok(check, format!("The table {table} can be restored to any time of the last days."))
        }
        _ => Finding::problem(
            check,
            format!("Point-in-time recovery is off: the table {table} cannot be restored."),
            format!(
                "{aws} update-continuous-backups --table-name {table} --point-in-time-recovery-specification \
                 PointInTimeRecoveryEnabled=true, {DEPLOY}"
            ),
        ),
    }
}

pub(super) async fn accounts_recovery(clients: &Clients) -> Finding {
    recovery(&clients.dynamodb, "accounts-recovery", &clients.names.accounts, &clients.names.aws).await
}

pub(super) async fn entries_recovery(clients: &Clients) -> Finding {
    recovery(&clients.dynamodb, "entries-recovery", &clients.names.entries, &clients.names.aws).await
}

async fn protection(client: &Client, check: &'static str, table: &str, aws: &str) -> Finding {
    settled(described(client, check, table).await.map(|described| {
        if described.deletion_protection_enabled == Some(true) {
            return Finding::ok(check, format!("The table {table} is protected against deletion."));
        }
        Finding::problem(
            check,
            format!("Deletion protection of the table {table} is off: one call can delete all data."),
            format!("{aws} update-table --table-name {table} --deletion-protection-enabled, {DEPLOY}"),
        )
    }))
}

pub(super) async fn accounts_protection(clients: &Clients) -> Finding {
    protection(&clients.dynamodb, "accounts-protection", &clients.names.accounts, &clients.names.aws).await
}

pub(super) async fn entries_protection(clients: &Clients) -> Finding {
    protection(&clients.dynamodb, "entries-protection", &clients.names.entries, &clients.names.aws).await
}
