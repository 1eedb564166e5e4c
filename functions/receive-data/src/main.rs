//! The function on Lambda.

shared::function!(receive_data::ReceiveData, with the allocator of the C library);
