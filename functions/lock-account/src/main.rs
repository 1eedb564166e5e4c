//! The Lambda function.

shared::function!(lock_account::LockAccount);
