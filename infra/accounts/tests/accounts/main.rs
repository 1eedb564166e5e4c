//! Tests of the operator's tool. Each starts a stack, runs the program as an operator does, and asks the service over
//! HTTP what has become of the account.

mod operating;
mod recording;
mod support;
