//! The Lambda function.

shared::function!(delete_account::DeleteAccount);
