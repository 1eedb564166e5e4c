//! The table of movements. Its key is the id of the account and the id of the movement.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_config::BehaviorVersion;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::error::TransactionCanceledException;
use aws_sdk_dynamodb::types::{AttributeValue, ConditionCheck, DeleteRequest, Put, TransactWriteItem, WriteRequest};
use aws_sdk_dynamodb::{Client, Error};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The most items of one `BatchWriteItem` (DynamoDB's quotas).
const BATCH: usize = 25;
/// The id of the mark that the movements of an account were erased. A UUID comes after it.
const ERASED: &str = "#erased";
/// How long the mark stays: longer than any request takes, and an event that comes again.
const MARKED: Duration = Duration::from_hours(48);

/// A movement of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Movement {
    /// What it was for.
    pub concept: String,
    /// Cents of a euro; negative if they were spent.
    pub cents: i64,
}

/// The table.
#[derive(Clone)]
pub struct Movements {
    client: Client,
    table: String,
}

impl Movements {
    /// The table that the environment variable `MOVEMENTS_TABLE` names.
    pub async fn from_environment() -> Self {
        let https = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
        let config = aws_config::defaults(BehaviorVersion::latest()).http_client(https).load().await;
        let table = std::env::var("MOVEMENTS_TABLE").unwrap_or_else(|_| "movements".to_owned());
        Self { client: Client::new(&config), table }
    }

    /// Stores a movement of an account, and returns its id; `None` if the account was deleted meanwhile.
    ///
    /// # Errors
    /// DynamoDB failed.
    pub async fn add(&self, account: &str, movement: &Movement) -> Result<Option<String>, Error> {
        let id = Uuid::now_v7().to_string();
        let unless_erased = ConditionCheck::builder().table_name(&self.table).set_key(Some(key(account, ERASED)));
        let unless_erased = unless_erased.condition_expression("attribute_not_exists(id)").build()?;
        let put = Put::builder().table_name(&self.table).set_item(Some(key(account, &id)));
        let put = put.item("concept", text(&movement.concept)).item("cents", number(movement.cents.into()));
        let put = put.condition_expression("attribute_not_exists(id)").build()?;
        let write = self.client.transact_write_items();
        let write = write.transact_items(TransactWriteItem::builder().condition_check(unless_erased).build());
        let sent = write.transact_items(TransactWriteItem::builder().put(put).build()).send().await;
        match sent.map_err(Error::from) {
            Ok(_) => Ok(Some(id)),
            Err(Error::TransactionCanceledException(reasons)) if is_erased(&reasons) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The newest movements of an account, at most a hundred.
    ///
    /// # Errors
    /// DynamoDB failed.
    pub async fn newest(&self, account: &str) -> Result<Vec<Movement>, Error> {
        let found = self.of(account).scan_index_forward(false).limit(100).send().await?;
        Ok(found.items().iter().filter_map(movement).collect())
    }

    /// Erases all movements of an account. A mark refuses those of requests that passed the authorizer before the deletion. It
    /// does no harm to erase them twice.
    ///
    /// # Errors
    /// DynamoDB failed. Some movements may be left.
    #[expect(clippy::disallowed_methods, reason = "only the end of the mark depends on the time")]
    pub async fn erase(&self, account: &str) -> Result<(), Error> {
        let end = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default() + MARKED;
        let mark = self.client.put_item().table_name(&self.table).set_item(Some(key(account, ERASED)));
        mark.item("expires_at", number(end.as_secs().into())).send().await?;
        loop {
            let found = self.of(account).consistent_read(true).projection_expression("account, id").send().await?;
            if found.items().is_empty() {
                return Ok(());
            }
            for keys in found.items().chunks(BATCH) {
                let deletes = keys.iter().filter_map(|key| {
                    // This fails only without a key.
                    let delete = DeleteRequest::builder().set_key(Some(key.clone())).build().ok()?;
                    Some(WriteRequest::builder().delete_request(delete).build())
                });
                let deletes = deletes.collect();
                // What DynamoDB has not processed, the next query finds again.
                self.client.batch_write_item().request_items(&self.table, deletes).send().await?;
            }
        }
    }

    /// A query for the movements of an account. Their ids come after that of the mark.
    fn of(&self, account: &str) -> QueryFluentBuilder {
        let query = self.client.query().table_name(&self.table);
        let query = query.key_condition_expression("account = :account AND id > :mark");
        query.expression_attribute_values(":account", text(account)).expression_attribute_values(":mark", text(ERASED))
    }
}

/// Whether the mark has refused a movement: the first part of the transaction.
fn is_erased(cancelled: &TransactionCanceledException) -> bool {
    cancelled.cancellation_reasons().first().and_then(|reason| reason.code()) == Some("ConditionalCheckFailed")
}

fn key(account: &str, id: &str) -> HashMap<String, AttributeValue> {
    HashMap::from([("account".to_owned(), text(account)), ("id".to_owned(), text(id))])
}

fn number(value: i128) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

fn movement(item: &HashMap<String, AttributeValue>) -> Option<Movement> {
    let concept = item.get("concept")?.as_s().ok()?.clone();
    Some(Movement { concept, cents: item.get("cents")?.as_n().ok()?.parse().ok()? })
}
