//! The function on Lambda.

shared::function!(user_config::UserConfig);
