//! Writes of a table: one, a transaction, a batch.

use aws_sdk_dynamodb::types::{ReturnValue, TransactWriteItem, WriteRequest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::answer::{is_transient, outcome, refused};
use super::write::{Action, NONCE, with_expressions};
use super::{Item, Key, Outcome, Refused, Retry, Table, Update, Write, number, s};
use crate::Fault;
use crate::aws::fault;
use crate::problem::FaultKind;
use crate::system::random;

/// The maximum number of writes of one transaction (DynamoDB's limit).
pub(in crate::store) const TRANSACTION_MAX: usize = 100;
/// The operations that send a transaction and a batch.
const TRANSACTION: &str = "table.TransactWriteItems";
pub(in crate::store) const BATCH: &str = "table.BatchWriteItem";

impl Table {
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
    ) -> Result<Outcome<Item>, Fault> {
        let nonce = self.nonce()?;
        let sent = self.write_unmarked(self.retry(&[FaultKind::Conflict]), write.marked(&nonce), returned).await?;
        let is_own = |refused: &Refused| refused.item.as_ref().and_then(|old| old.get(NONCE)) == Some(&s(&nonce));
        Ok(match sent {
            Err(refused) if is_own(&refused) => Ok(refused.item.unwrap_or_default()),
            outcome => outcome,
        })
    }

    /// Sends one write with these retries, and without a nonce. A retry after a lost answer finds the guard
    /// refused.
    pub(in crate::store) async fn write_unmarked(
        &self,
        mut retry: Retry<'_>,
        write: Write,
        returned: ReturnValue,
    ) -> Result<Outcome<Item>, Fault> {
        loop {
            match self.send(write.clone(), returned.clone()).await {
                Err(fault) => retry.after(fault).await?,
                done => return done,
            }
        }
    }

    async fn send(&self, write: Write, returned: ReturnValue) -> Result<Outcome<Item>, Fault> {
        if !self.is_silent() {
            return self.send_once(write, returned).await;
        }
        let is_whole = [ReturnValue::AllNew, ReturnValue::AllOld].contains(&returned);
        let asked = if is_whole { ReturnValue::None } else { returned.clone() };
        let key = write.key();
        Ok(match self.send_once(write.silent(), asked).await? {
            Ok(_) if returned == ReturnValue::AllNew => Ok(self.item(key).await?.unwrap_or_default()),
            outcome => self.with_refused(outcome, |_| Some(key)).await?,
        })
    }

    async fn send_once(&self, write: Write, returned: ReturnValue) -> Result<Outcome<Item>, Fault> {
        let (action, changes, expressions) = write.into_expressions();
        macro_rules! sent {
            ($operation:literal, $request:expr) => {{
                let request = with_expressions!($request, &self.name, expressions).return_values(returned);
                outcome($operation, request.send().await.map(|answer| answer.attributes))
                    .map_err(|fault| self.explained(fault))
            }};
        }
        match action {
            Action::Put(item) => sent!("table.PutItem", self.client.put_item().set_item(Some(item))),
            Action::Update(key, _) => {
                let update = self.client.update_item().set_key(Some(key)).update_expression(changes);
                sent!("table.UpdateItem", update)
            }
            Action::Delete(key) => sent!("table.DeleteItem", self.client.delete_item().set_key(Some(key))),
            Action::Check(_) => Err(Fault::new("table.write", "a check alone")),
        }
    }

    /// Sends a transaction. Its token makes retries idempotent. After a fault of the kind [`FaultKind::Conflict`],
    /// nothing was written.
    pub(in crate::store) async fn transact(&self, writes: Vec<Write>) -> Result<Outcome, Fault> {
        let keys: Vec<Key> = if self.is_silent() { writes.iter().map(Write::key).collect() } else { Vec::new() };
        let parts = writes.into_iter().map(|write| self.part(write)).collect::<Result<_, _>>()?;
        let outcome = self.transact_under(self.retry(&[FaultKind::Conflict, FaultKind::InProgress]), parts).await?;
        self.with_refused(outcome, |index| keys.get(index).cloned()).await
    }

    /// A part of a transaction, which may also have parts of other tables.
    pub(in crate::store) fn part(&self, write: Write) -> Result<TransactWriteItem, Fault> {
        let write = if self.is_silent() { write.silent() } else { write };
        write.into_part(&self.name).map_err(|_| Fault::new(TRANSACTION, "unbuildable"))
    }

    /// Sends a transaction with these retries.
    pub(in crate::store) async fn transact_under(
        &self,
        mut retry: Retry<'_>,
        parts: Vec<TransactWriteItem>,
    ) -> Result<Outcome, Fault> {
        let token = self.nonce()?;
        loop {
            let request = self.client.transact_write_items().set_transact_items(Some(parts.clone()));
            let Err(error) = request.client_request_token(&token).send().await else { return Ok(Ok(())) };
            if let Some(refused) = refused(&error) {
                return Ok(Err(refused));
            }
            let fault = self.explained(fault(TRANSACTION, &error));
            let kind = if is_transient(&error) { FaultKind::Conflict } else { fault.kind };
            retry.after(Fault { kind, ..fault }).await?;
        }
    }

    /// Sends writes that have no guard, in one batch. Returns those that the table did not process.
    pub(in crate::store) async fn batch(&self, writes: Vec<WriteRequest>) -> Result<Vec<WriteRequest>, Fault> {
        let sent = self.client.batch_write_item().request_items(&self.name, writes).send().await;
        let answer = sent.map_err(|error| self.explained(fault(BATCH, &error)))?;
        Ok(answer.unprocessed_items.unwrap_or_default().remove(&self.name).unwrap_or_default())
    }

    /// Adds to the number in an item and returns the sum. The item is created if it does not exist. If an answer is
    /// lost, the retry adds again, which is harmless because ids may have gaps.
    pub(in crate::store) async fn add(&self, key: Key, name: &'static str, by: u64) -> Result<u64, Fault> {
        let write = Write::update(key, Update::new().add(name, super::n(by)));
        let added = self.write_unmarked(self.retry(&[FaultKind::Conflict]), write, ReturnValue::UpdatedNew).await?;
        let sum = added.ok().and_then(|item| number(&item, name));
        sum.ok_or_else(|| Fault::new("table.UpdateItem", "no number"))
    }

    /// A new nonce, or the token of a transaction.
    fn nonce(&self) -> Result<String, Fault> {
        Ok(URL_SAFE_NO_PAD.encode(random::bytes::<16>(self.random.as_ref())?))
    }
}
