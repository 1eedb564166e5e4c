//! The `main` of every Lambda function, and the tower service that it runs.

mod event;
mod function;
mod guard;
mod logged;
mod origins;

pub use function::{Function, read_request};
pub use mimalloc::MiMalloc as Allocator;

use std::process::ExitCode;
use std::sync::Arc;

use lambda_http::Error;

use crate::endpoint::Endpoint;
use crate::system::clock::SystemClock;
use crate::system::random::SystemRandom;
use crate::{HashCost, Setup, log};

/// The whole `main.rs` of a function: the endpoint, and the allocator, which each binary has to declare. A call takes a
/// fifth fewer instructions than with the C library's allocator, which in turn retains less memory between calls.
#[macro_export]
macro_rules! function {
    ($endpoint:ty) => {
        #[global_allocator]
        static ALLOCATOR: $crate::lambda::Allocator = $crate::lambda::Allocator;

        $crate::function!(@main $endpoint);
    };
    ($endpoint:ty, with the allocator of the C library) => {
        $crate::function!(@main $endpoint);
    };
    (@main $endpoint:ty) => {
        fn main() -> std::process::ExitCode {
            $crate::lambda::run::<$endpoint>()
        }
    };
}

/// Runs an endpoint on Lambda until the environment ends.
#[must_use]
pub fn run<E: Endpoint>() -> ExitCode {
    run_at::<E>(HashCost::OWASP)
}

/// As [`run`], with the lowest hash cost, so that `make bench` and `make gate` measure a call without its hash. Such a
/// hash protects no password.
#[must_use]
pub fn run_light<E: Endpoint>() -> ExitCode {
    run_at::<E>(HashCost::LEAST)
}

fn run_at<E: Endpoint>(cost: HashCost) -> ExitCode {
    log::panics_as_lines();
    match start::<E>(cost) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log::error(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn start<E: Endpoint>(cost: HashCost) -> Result<(), Error> {
    let setup = Setup::of_environment(Arc::new(SystemClock), Arc::new(SystemRandom)).await;
    #[expect(
        clippy::disallowed_methods,
        reason = "`run` passes the full cost; clippy also forbids calls of the function that passes the lowest"
    )]
    let setup = setup.hashing_at(cost);
    let function = Function::<E>::start(&setup)?;
    setup.warm_up().await;
    lambda_runtime::run(function.0).await
}
