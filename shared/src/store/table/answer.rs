//! The table's answers to conditional writes.

use aws_sdk_dynamodb::Error;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::CancellationReason;

use super::item::Item;
use crate::Fault;
use crate::aws::fault;

/// A write whose guard failed.
pub(in crate::store) struct Refused {
    /// The index of the write in its transaction; 0 for a single write.
    pub(in crate::store) index: usize,
    /// The existing item, if there is one.
    pub(in crate::store) item: Option<Item>,
}

/// The outcome of a guarded write.
pub(in crate::store) type Outcome<T = ()> = Result<T, Refused>;

/// The outcome of a single write: the returned attributes, or the existing item if the guard failed.
pub(super) fn outcome<E: ProvideErrorMetadata>(
    operation: &'static str,
    answer: Result<Option<Item>, SdkError<E>>,
) -> Result<Outcome<Item>, Fault>
where
    Error: From<SdkError<E>>,
{
    let error = match answer {
        Ok(item) => return Ok(Ok(item.unwrap_or_default())),
        Err(error) => error,
    };
    let fault = fault(operation, &error);
    match Error::from(error) {
        Error::ConditionalCheckFailedException(failed) => Ok(Err(Refused { index: 0, item: failed.item })),
        _ => Err(fault),
    }
}

fn reasons(error: &SdkError<TransactWriteItemsError>) -> &[CancellationReason] {
    match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => cancelled.cancellation_reasons(),
        _ => &[],
    }
}

/// The first failed condition of a transaction.
pub(super) fn refused(error: &SdkError<TransactWriteItemsError>) -> Option<Refused> {
    let mut reasons = reasons(error).iter().enumerate();
    let (index, reason) = reasons.find(|(_, reason)| reason.code() == Some("ConditionalCheckFailed"))?;
    Some(Refused { index, item: reason.item.clone() })
}

/// Whether the transaction was cancelled for a transient reason: a conflict with another one, or throttling.
pub(super) fn is_transient(error: &SdkError<TransactWriteItemsError>) -> bool {
    let transient = ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"];
    reasons(error).iter().any(|reason| reason.code().is_some_and(|code| transient.contains(&code)))
}
