//! The Lambda function.

shared::function!(receive_data::ReceiveData, with the allocator of the C library);
