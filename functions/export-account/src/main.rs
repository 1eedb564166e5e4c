//! The Lambda function.

shared::function!(export_account::ExportAccount);
