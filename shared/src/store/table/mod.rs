//! One table: consistent reads, conditional writes, and a bounded number of retries.

mod answer;
mod write;

pub(in crate::store) use answer::{Refused, outcome};
pub(in crate::store) use write::{Item, Write, n, s};

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeValue, KeysAndAttributes, ReturnValue, ReturnValuesOnConditionCheckFailure, TransactWriteItem,
};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;

use self::answer::{is_transient, refused};
use self::write::{Action, NONCE, key};
use crate::aws::fault;
use crate::problem::FaultKind;
use crate::system::random::{self, Random};
use crate::{Fault, Setup};

/// The maximum number of attempts of a write that conflicts with a transaction, and of unprocessed keys. The SDK does
/// not retry these.
const TRIES: u32 = 6;
/// The upper bound of the first wait between two such attempts. The bound doubles with each attempt, and each wait is a
/// random time below it.
const WAIT_MAX_MS: u64 = 20;

/// The operation that sends a transaction.
const TRANSACTION: &str = "table.TransactWriteItems";

/// The maximum number of writes of one transaction (DynamoDB's limit).
pub(in crate::store) const TRANSACTION_MAX: usize = 100;

/// The start of a page in its partition.
pub(in crate::store) enum Start {
    /// The first item.
    First,
    /// The item with this sort key, or the next one.
    At(&'static str),
    /// The item after the one with this key, the last of another page.
    After(Item),
}

/// Some items of a partition, in the order of their sort keys.
pub(in crate::store) struct Page {
    pub(in crate::store) items: Vec<Item>,
    /// The key of the last item, if the partition may have more.
    pub(in crate::store) last: Option<Item>,
}

/// The outcome of a conditional write.
pub(in crate::store) type Outcome = Result<(), Refused>;

#[derive(Clone)]
pub(in crate::store) struct Table {
    pub(in crate::store) client: Client,
    pub(in crate::store) name: String,
    random: Arc<dyn Random>,
}

impl Table {
    /// The table whose name is in the setting `name`.
    pub(in crate::store) fn new(setup: &Setup, name: &str) -> Self {
        Self { client: setup.dynamodb(), name: setup.settings().required(name), random: setup.random() }
    }

    /// Reads an item.
    pub(in crate::store) async fn item(&self, pk: &str, sk: &str) -> Result<Option<Item>, Fault> {
        let get = self.client.get_item().table_name(&self.name).set_key(Some(key(pk, sk))).consistent_read(true);
        Ok(get.send().await.map_err(|error| fault("table.GetItem", &error))?.item)
    }

    /// Reads two items with one request. Each is `None` if it does not exist.
    pub(in crate::store) async fn pair(&self, keys: [(&str, &str); 2]) -> Result<[Option<Item>; 2], Fault> {
        let items = self.items(&keys).await?;
        items.try_into().map_err(|_| Fault::new("table.BatchGetItem", "incomplete"))
    }

    /// Reads at most 100 items with one request, in the order of their keys. Each is `None` if it does not exist.
    pub(in crate::store) async fn items(&self, keys: &[(&str, &str)]) -> Result<Vec<Option<Item>>, Fault> {
        self.items_at(keys.iter().map(|(pk, sk)| key(pk, sk)).collect()).await
    }

    /// Reads the items with these keys, like [`Table::items`].
    pub(in crate::store) async fn items_at(&self, wanted: Vec<Item>) -> Result<Vec<Option<Item>>, Fault> {
        let mut missing = wanted.clone();
        let mut found = Vec::new();
        for attempt in 0..TRIES {
            let keys = KeysAndAttributes::builder().set_keys(Some(missing)).consistent_read(true).build();
            let keys = keys.map_err(|_| Fault::new("table.BatchGetItem", "unbuildable"))?;
            let answer = self.client.batch_get_item().request_items(&self.name, keys).send().await;
            let mut answer = answer.map_err(|error| fault("table.BatchGetItem", &error))?;
            let items = answer.responses.as_mut().and_then(|tables| tables.remove(&self.name));
            found.extend(items.unwrap_or_default());
            let left = answer.unprocessed_keys.and_then(|mut tables| tables.remove(&self.name));
            missing = left.map(|left| left.keys).unwrap_or_default();
            if missing.is_empty() {
                let is_at = |item: &Item, key: &Item| key.iter().all(|(name, value)| item.get(name) == Some(value));
                let items = wanted.iter().map(|key| {
                    let index = found.iter().position(|item| is_at(item, key))?;
                    Some(found.swap_remove(index))
                });
                return Ok(items.collect());
            }
            self.wait(attempt).await?;
        }
        Err(Fault::new("table.BatchGetItem", "unprocessed"))
    }

    /// Reads at most `limit` items of a partition.
    pub(in crate::store) async fn page(&self, pk: &str, start: Start, limit: i32) -> Result<Page, Fault> {
        let query = self.client.query().table_name(&self.name).consistent_read(true).limit(limit);
        let query = query.expression_attribute_values(":pk", s(pk));
        let query = match start {
            Start::First => query.key_condition_expression("pk = :pk"),
            Start::At(sk) => {
                query.key_condition_expression("pk = :pk AND sk >= :sk").expression_attribute_values(":sk", s(sk))
            }
            Start::After(last) => query.key_condition_expression("pk = :pk").set_exclusive_start_key(Some(last)),
        };
        let answer = query.send().await.map_err(|error| fault("table.Query", &error))?;
        Ok(Page { items: answer.items.unwrap_or_default(), last: answer.last_evaluated_key })
    }

    /// Sends one write. If the answer is lost and the SDK retries the write, the retry finds the nonce of this write in
    /// the item, and the write counts as successful.
    pub(in crate::store) async fn write(&self, write: Write) -> Result<Outcome, Fault> {
        Ok(self.write_returning(write, ReturnValue::None).await?.map(|_| ()))
    }

    /// Sends one write like [`Table::write`], and returns the item after an update ([`ReturnValue::AllNew`]) or before
    /// a deletion ([`ReturnValue::AllOld`]). The item is empty if there is none, for example when a deletion is
    /// retried.
    pub(in crate::store) async fn write_returning(
        &self,
        write: Write,
        returned: ReturnValue,
    ) -> Result<Result<Item, Refused>, Fault> {
        let nonce = self.nonce()?;
        let write = write.marked(&nonce);
        for attempt in 0..TRIES {
            match self.send(write.clone(), returned.clone()).await {
                Ok(Err(refused)) if refused.item.as_ref().and_then(|old| old.get(NONCE)) == Some(&s(&nonce)) => {
                    return Ok(Ok(refused.item.unwrap_or_default()));
                }
                Err(fault) if fault.kind == FaultKind::Conflict => self.wait(attempt).await?,
                done => return done,
            }
        }
        Err(Fault::new("table.write", "conflict"))
    }

    async fn send(&self, write: Write, returned: ReturnValue) -> Result<Result<Item, Refused>, Fault> {
        let (names, values) = (write.names(), write.values());
        let condition = write.condition.map(Cow::into_owned);
        let old = condition.is_some().then_some(ReturnValuesOnConditionCheckFailure::AllOld);
        match write.action {
            Action::Put(item) => {
                let put = self.client.put_item().table_name(&self.name).set_item(Some(item));
                let put = put.set_condition_expression(condition).set_return_values_on_condition_check_failure(old);
                let put = put.set_expression_attribute_names(names).set_expression_attribute_values(values);
                let put = put.return_values(returned);
                outcome("table.PutItem", put.send().await.map(|put| put.attributes))
            }
            Action::Update(key, changes) => {
                let update =
                    self.client.update_item().table_name(&self.name).set_key(Some(key)).update_expression(changes);
                let update =
                    update.set_condition_expression(condition).set_return_values_on_condition_check_failure(old);
                let update = update.set_expression_attribute_names(names).set_expression_attribute_values(values);
                let update = update.return_values(returned);
                outcome("table.UpdateItem", update.send().await.map(|update| update.attributes))
            }
            Action::Delete(key) => {
                let delete = self.client.delete_item().table_name(&self.name).set_key(Some(key));
                let delete =
                    delete.set_condition_expression(condition).set_return_values_on_condition_check_failure(old);
                let delete = delete.set_expression_attribute_names(names).set_expression_attribute_values(values);
                let delete = delete.return_values(returned);
                outcome("table.DeleteItem", delete.send().await.map(|delete| delete.attributes))
            }
            Action::Check(_) => Err(Fault::new("table.write", "a check alone")),
        }
    }

    /// Sends a transaction. Its token makes retries idempotent. After a fault of the kind [`FaultKind::Conflict`],
    /// nothing was written.
    pub(in crate::store) async fn transact(&self, writes: Vec<Write>) -> Result<Outcome, Fault> {
        let parts: Result<Vec<_>, _> = writes.into_iter().map(|write| write.into_part(&self.name)).collect();
        let parts = parts.map_err(|_| Fault::new(TRANSACTION, "unbuildable"))?;
        let token = self.nonce()?;
        let mut kind = FaultKind::Conflict;
        for attempt in 0..TRIES {
            match self.attempt(parts.clone(), &token).await {
                Err(fault) if matches!(fault.kind, FaultKind::Conflict | FaultKind::InProgress) => {
                    if fault.kind == FaultKind::InProgress {
                        kind = FaultKind::InProgress;
                    }
                    self.wait(attempt).await?;
                }
                done => return done,
            }
        }
        Err(Fault { kind, ..Fault::new(TRANSACTION, "conflict") })
    }

    /// Sends a transaction once. Its parts may belong to several tables. If it is cancelled because of a conflict with
    /// another transaction or because of throttling, the fault is a [`FaultKind::Conflict`].
    pub(in crate::store) async fn attempt(&self, parts: Vec<TransactWriteItem>, token: &str) -> Result<Outcome, Fault> {
        let request = self.client.transact_write_items().set_transact_items(Some(parts));
        let Err(error) = request.client_request_token(token).send().await else {
            return Ok(Ok(()));
        };
        if let Some(refused) = refused(&error) {
            return Ok(Err(refused));
        }
        let fault = fault(TRANSACTION, &error);
        Err(Fault { kind: if is_transient(&error) { FaultKind::Conflict } else { fault.kind }, ..fault })
    }

    /// Adds to the counter in an item and returns the sum. The item is created if it does not exist. If an answer is
    /// lost, the retry adds again, which is harmless because ids may have gaps.
    pub(in crate::store) async fn add(&self, pk: &str, sk: &str, by: u64) -> Result<u64, Fault> {
        let mut update = self.client.update_item().table_name(&self.name).set_key(Some(key(pk, sk)));
        update = update.expression_attribute_names("#total", "total").expression_attribute_values(":by", n(by));
        update = update.update_expression("ADD #total :by");
        let update = update.return_values(ReturnValue::UpdatedNew);
        for attempt in 0..TRIES {
            match update.clone().send().await.map_err(|error| fault("table.UpdateItem", &error)) {
                Ok(answer) => {
                    let total =
                        answer.attributes.as_ref().and_then(|item| item.get("total")?.as_n().ok()?.parse().ok());
                    return total.ok_or_else(|| Fault::new("table.UpdateItem", "no number"));
                }
                Err(fault) if fault.kind == FaultKind::Conflict => self.wait(attempt).await?,
                Err(fault) => return Err(fault),
            }
        }
        Err(Fault::new("table.UpdateItem", "conflict"))
    }

    /// Waits before another attempt, with exponential backoff and jitter.
    pub(in crate::store) async fn wait(&self, attempt: u32) -> Result<(), Fault> {
        let below = WAIT_MAX_MS << attempt.min(TRIES);
        let drawn = u64::from_le_bytes(random::bytes(self.random.as_ref())?) % below;
        tokio::time::sleep(Duration::from_millis(drawn + 1)).await;
        Ok(())
    }

    /// The random number generator.
    pub(in crate::store) fn random(&self) -> &dyn Random {
        self.random.as_ref()
    }

    /// A new nonce, or the token of a transaction.
    pub(in crate::store) fn nonce(&self) -> Result<String, Fault> {
        Ok(URL_SAFE_NO_PAD.encode(random::bytes::<16>(self.random.as_ref())?))
    }
}

/// Deserialises an item.
pub(in crate::store) fn read<T: DeserializeOwned>(item: impl Into<serde_dynamo::Item>) -> Result<T, Fault> {
    serde_dynamo::from_item(item).map_err(|_| Fault::new("table.row", "broken"))
}

/// Serialises a value to an attribute.
pub(in crate::store) fn attribute<T: serde::Serialize>(value: &T) -> Result<AttributeValue, Fault> {
    serde_dynamo::to_attribute_value(value).map_err(|_| Fault::new("table.row", "unwritable"))
}

/// Serialises a row to an item.
pub(in crate::store) fn item<T: serde::Serialize>(row: &T) -> Result<Item, Fault> {
    let item: HashMap<_, _> = serde_dynamo::to_item(row).map_err(|_| Fault::new("table.row", "unwritable"))?;
    Ok(item)
}
