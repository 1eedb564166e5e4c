//! The Lambda function.

shared::function!(activity::ListActivity);
