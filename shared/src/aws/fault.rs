//! Converts errors of the SDK to [`Fault`]s.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

use crate::problem::{Fault, FaultKind};

/// The fault of an SDK error. It contains the error's code and not its message, which may contain keys and addresses.
pub(crate) fn fault<E: ProvideErrorMetadata>(operation: &'static str, error: &SdkError<E>) -> Fault {
    let cause = match error {
        SdkError::ServiceError(service) => service.err().code().unwrap_or("unknown"),
        SdkError::TimeoutError(_) => return Fault::timeout(operation),
        SdkError::DispatchFailure(failure) if failure.is_other() => "broken answer",
        SdkError::DispatchFailure(_) => "unreachable",
        SdkError::ResponseError(_) => "broken answer",
        SdkError::ConstructionFailure(_) => "unbuildable",
        _ => "unknown",
    };
    Fault { kind: kind(cause), advice: advice(cause), ..Fault::new(operation, cause) }
}

/// The kind of fault for a service's error code.
fn kind(code: &str) -> FaultKind {
    match code {
        "TransactionConflictException" => FaultKind::Conflict,
        "TransactionInProgressException" => FaultKind::InProgress,
        "ThrottlingException" | "ProvisionedThroughputExceededException" | "RequestLimitExceeded" => {
            FaultKind::Throttled
        }
        _ => FaultKind::Other,
    }
}

/// The advice for an error code about credentials; `None` for other codes.
fn advice(code: &str) -> Option<&'static str> {
    match code {
        "ExpiredTokenException" | "ExpiredToken" => Some(
            "AWS_SESSION_TOKEN has expired: start the function again; on a computer, export the profile's credentials \
             again with eval \"$(aws configure export-credentials --profile NAME --format env)\"",
        ),
        "UnrecognizedClientException" | "InvalidClientTokenId" => {
            Some("AWS does not know AWS_ACCESS_KEY_ID, or AWS_SESSION_TOKEN does not belong to it")
        }
        "InvalidSignatureException" | "SignatureDoesNotMatch" => {
            Some("AWS_SECRET_ACCESS_KEY does not belong to AWS_ACCESS_KEY_ID")
        }
        "MissingAuthenticationTokenException" | "IncompleteSignatureException" => {
            Some("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not valid credentials")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_about_credentials_have_advice_and_it_names_the_variable() {
        for (code, variable) in [
            ("ExpiredTokenException", "AWS_SESSION_TOKEN"),
            ("UnrecognizedClientException", "AWS_ACCESS_KEY_ID"),
            ("InvalidSignatureException", "AWS_SECRET_ACCESS_KEY"),
        ] {
            assert!(advice(code).is_some_and(|advice| advice.contains(variable)), "{code}");
        }
        assert_eq!(advice("ThrottlingException"), None);
    }

    #[test]
    fn a_transaction_in_progress_is_no_conflict_because_it_may_still_be_carried_out() {
        assert_eq!(kind("TransactionInProgressException"), FaultKind::InProgress);
        assert_eq!(kind("TransactionConflictException"), FaultKind::Conflict);
    }
}
