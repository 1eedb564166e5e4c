//! What the table answers to a write whose condition may not hold.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::error::ConditionalCheckFailedException;

use super::write::Item;
use crate::Fault;
use crate::aws::fault;

/// A condition did not hold.
pub(in crate::store) struct Refused {
    /// Which write of the transaction; 0 for a single one.
    pub(in crate::store) index: usize,
    /// The item as it is, if there is one.
    pub(in crate::store) item: Option<Item>,
}

/// What a write that states a condition was answered: the item's attributes that were asked for, or what it was instead.
pub(in crate::store) fn outcome<E>(
    operation: &'static str,
    answer: Result<Option<Item>, SdkError<E>>,
) -> Result<Result<Item, Refused>, Fault>
where
    E: ProvideErrorMetadata + ConditionFailure,
{
    match answer {
        Ok(item) => Ok(Ok(item.unwrap_or_default())),
        Err(error) => match error.as_service_error().and_then(ConditionFailure::failed) {
            Some(failed) => Ok(Err(Refused { index: 0, item: failed.item.clone() })),
            None => Err(fault(operation, &error)),
        },
    }
}

/// Errors that may say that a condition did not hold, and what the item was instead.
pub(in crate::store) trait ConditionFailure {
    fn failed(&self) -> Option<&ConditionalCheckFailedException>;
}

macro_rules! condition_failure {
    ($($error:ty),*) => {$(
        impl ConditionFailure for $error {
            fn failed(&self) -> Option<&ConditionalCheckFailedException> {
                match self {
                    Self::ConditionalCheckFailedException(failed) => Some(failed),
                    _ => None,
                }
            }
        }
    )*};
}
condition_failure!(
    aws_sdk_dynamodb::operation::put_item::PutItemError,
    aws_sdk_dynamodb::operation::update_item::UpdateItemError,
    aws_sdk_dynamodb::operation::delete_item::DeleteItemError
);

fn reasons(error: &SdkError<TransactWriteItemsError>) -> &[aws_sdk_dynamodb::types::CancellationReason] {
    match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => cancelled.cancellation_reasons(),
        _ => &[],
    }
}

/// The first condition that did not hold.
pub(super) fn refused(error: &SdkError<TransactWriteItemsError>) -> Option<Refused> {
    let failed = |code: Option<&str>| code == Some("ConditionalCheckFailed");
    let index = reasons(error).iter().position(|reason| failed(reason.code()))?;
    let item = reasons(error).get(index).and_then(|reason| reason.item.clone());
    Some(Refused { index, item })
}

/// Whether the transaction only met another one, or a busy partition.
pub(super) fn is_passing(error: &SdkError<TransactWriteItemsError>) -> bool {
    let passing = ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"];
    let service = error.as_service_error();
    service.is_some_and(TransactWriteItemsError::is_transaction_in_progress_exception)
        || reasons(error).iter().any(|reason| reason.code().is_some_and(|code| passing.contains(&code)))
}
