//! Why a call to AWS failed, and what to type next.

use std::error::Error;

use aws_sdk_dynamodb::error::ProvideErrorMetadata;

/// The actions that write audit lines.
pub(crate) const WRITES_LINES: &str = "logs:CreateLogStream and logs:PutLogEvents";

/// Why a call failed.
pub(crate) struct Why {
    /// The cause: the service's code and message, or the innermost error of the SDK.
    pub(crate) cause: String,
    /// What to type, or to check.
    pub(crate) next: String,
}

/// Why a call with this IAM action failed.
pub(crate) fn why<E: Error + ProvideErrorMetadata>(action: &str, error: &E) -> Why {
    let Some(code) = error.code() else { return of_the_sdk(error) };
    let message = error.message().map(|message| format!(": {message}")).unwrap_or_default();
    Why { cause: format!("{code}{message}"), next: next(action, code, error.message().unwrap_or_default()) }
}

/// What to do about an error code of a service.
fn next(action: &str, code: &str, message: &str) -> String {
    const LOGIN: &str = "log in again, such as with `aws sso login --profile NAME`, or export new credentials";
    let is = |codes: &[&str]| codes.iter().any(|start| code.starts_with(start));
    if is(&["ExpiredToken", "RequestExpired"]) {
        format!("your credentials have expired: {LOGIN}")
    } else if is(&["InvalidClientTokenId", "UnrecognizedClient", "MissingAuthenticationToken", "IncompleteSignature"]) {
        format!("AWS does not know your credentials: {LOGIN}; `aws sts get-caller-identity` tries them")
    } else if is(&["InvalidSignature", "SignatureDoesNotMatch"]) {
        "check AWS_SECRET_ACCESS_KEY, and this computer's clock".to_owned()
    } else if is(&["AccessDenied", "AuthorizationError", "NotAuthorized", "UnauthorizedOperation"]) {
        let policy = if action == WRITES_LINES { "OperatorChanges" } else { "OperatorReads" };
        format!("ask for a role that allows {action}: the stack's policy {policy} does")
    } else if is(&["Throttling", "ProvisionedThroughputExceeded", "RequestLimitExceeded", "TooManyRequests"]) {
        "AWS throttles these calls: try again later, or with a lower --rate".to_owned()
    } else if code == "ValidationError" && message.contains("does not exist") {
        "check the name after --stack, --region and --profile: `aws cloudformation list-stacks` lists the stacks"
            .to_owned()
    } else if code == "ResourceNotFoundException" {
        "check --stack, --region and --profile: it does not exist there".to_owned()
    } else {
        "try again; check the profile, the region and the clock of this computer".to_owned()
    }
}

/// What the SDK says if no service has answered.
fn of_the_sdk(error: &dyn Error) -> Why {
    let mut texts = vec![error.to_string()];
    let mut source = error.source();
    while let Some(error) = source {
        texts.push(error.to_string());
        source = error.source();
    }
    let all = texts.join(": ").to_lowercase();
    let cause = texts.pop().unwrap_or_default();
    let next = if all.contains("credential") || all.contains("sso") {
        "there are no valid credentials: give --profile or set AWS_PROFILE, and log in with `aws sso login --profile NAME`, or set \
         AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    } else if all.contains("timeout") || all.contains("timed out") {
        "AWS has not answered in time: try again; check the network"
    } else if all.contains("dispatch") || all.contains("connect") {
        "AWS is unreachable: check the network and the region"
    } else {
        "try again"
    };
    Why { cause, next: next.to_owned() }
}
