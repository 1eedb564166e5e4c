//! The Lambda function.

shared::function!(activity::Activity);
