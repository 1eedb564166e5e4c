//! The Lambda function.

shared::function!(listener notices::Notices);
