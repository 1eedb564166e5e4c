//! The Lambda function.

shared::function!(unlink_google::UnlinkGoogle);
