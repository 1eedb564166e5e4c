//! The function on Lambda.

shared::function!(delete_account::DeleteAccount);
