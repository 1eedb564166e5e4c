//! The Lambda function.

shared::function!(authorizer authorizer::Authorizer);
