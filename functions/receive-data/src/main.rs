//! The function on Lambda.

shared::function!(receive_data::ReceiveData);
