//! The Lambda function.

shared::function!(reset_password::ResetPassword);
