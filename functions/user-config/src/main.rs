//! The Lambda function.

shared::function!(user_config::UserConfig);
