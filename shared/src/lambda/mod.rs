//! The `main` of every Lambda function, and the tower service that it runs.
//!
//! Lambda starts a process before its first call. [`run`] reads the settings, builds the endpoint, warms it up and then
//! waits for events. An event passes these layers, from the outside in, and its answer passes them back:
//!
//! 1. `guard` answers an event that cannot be read or converted, so that it cannot end the process.
//! 2. `event` and `lambda_http` convert the event to a request of the `http` crate.
//! 3. `logged` writes one log line when the answer is known.
//! 4. `front` refuses calls that went around the proxy in front of the gateway.
//! 5. `origins` answers preflights, adds the headers of CORS, and lets the endpoint refuse foreign pages.
//! 6. [`endpoint`](crate::endpoint) checks the call and runs the rule.
//!
//! The listener to the stream and the [`Authorizer`] have events of their own, and none of these layers.

mod authorizer;
mod event;
mod front;
mod function;
mod guard;
mod logged;
mod origins;

pub use authorizer::{Authorizer, Authorizing, Context, Verdict};
pub use function::{Function, read_request};
pub use mimalloc::MiMalloc as Allocator;

use std::process::ExitCode;
use std::sync::Arc;

use lambda_http::{Error, LambdaEvent, service_fn};
use serde_json::value::RawValue;

use crate::endpoint::Endpoint;
use crate::log::Invocation;
#[cfg(feature = "stream")]
use crate::stream::{Batches, Listener};
use crate::system::clock::SystemClock;
use crate::system::random::SystemRandom;
use crate::{HashCost, Setup, log};

/// The whole `main.rs` of a function: the endpoint, and the allocator, which each binary has to declare. A call takes a
/// fifth fewer instructions than with the C library's allocator, which in turn retains less memory between calls.
#[macro_export]
macro_rules! function {
    ($endpoint:ty) => {
        $crate::function!(@allocator);
        $crate::function!(@main run, $endpoint);
    };
    ($endpoint:ty, with the allocator of the C library) => {
        $crate::function!(@main run, $endpoint);
    };
    (listener $listener:ty) => {
        $crate::function!(@allocator);
        $crate::function!(@main run_listener, $listener);
    };
    (authorizer $authorizer:ty) => {
        $crate::function!(@allocator);
        $crate::function!(@main run_authorizer, $authorizer);
    };
    (@allocator) => {
        #[global_allocator]
        static ALLOCATOR: $crate::lambda::Allocator = $crate::lambda::Allocator;
    };
    (@main $run:ident, $what:ty) => {
        fn main() -> std::process::ExitCode {
            $crate::lambda::$run::<$what>()
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

/// Runs a listener to the stream of the accounts table on Lambda until the environment ends.
#[cfg(feature = "stream")]
#[must_use]
pub fn run_listener<L: Listener>() -> ExitCode {
    log::install_panic_hook();
    exit(start_listener::<L>())
}

/// Runs an authorizer on Lambda until the environment ends.
#[must_use]
pub fn run_authorizer<A: Authorizer>() -> ExitCode {
    log::install_panic_hook();
    exit(start_authorizer::<A>())
}

fn run_at<E: Endpoint>(cost: HashCost) -> ExitCode {
    log::install_panic_hook();
    exit(start::<E>(cost))
}

fn exit(outcome: Result<(), Error>) -> ExitCode {
    match outcome {
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
        reason = "`run` passes the full cost; clippy also forbids `run_light`, which passes the lowest"
    )]
    let setup = setup.hashing_at(cost);
    let function = Function::start::<E>(&setup)?;
    setup.warm_up().await;
    lambda_runtime::run(function.0).await
}

#[cfg(feature = "stream")]
#[tokio::main(flavor = "current_thread")]
async fn start_listener<L: Listener>() -> Result<(), Error> {
    let setup = Setup::of_environment(Arc::new(SystemClock), Arc::new(SystemRandom)).await;
    let batches = Arc::new(Batches::<L>::start(&setup)?);
    setup.warm_up().await;
    let handle = move |event: LambdaEvent<Box<RawValue>>| {
        let batches = Arc::clone(&batches);
        async move {
            let invocation = Invocation::of(&event.context);
            batches.handle(event.payload.get(), &invocation).await.map_err(|fault| fault.cause)
        }
    };
    lambda_runtime::run(service_fn(handle)).await
}

#[tokio::main(flavor = "current_thread")]
async fn start_authorizer<A: Authorizer>() -> Result<(), Error> {
    let setup = Setup::of_environment(Arc::new(SystemClock), Arc::new(SystemRandom)).await;
    let authorizing = Arc::new(Authorizing::<A>::start(&setup)?);
    setup.warm_up().await;
    let handle = move |event: LambdaEvent<Box<RawValue>>| {
        let authorizing = Arc::clone(&authorizing);
        async move {
            let invocation = Invocation::of(&event.context);
            authorizing.handle(event.payload.get(), invocation).await.map_err(|fault| fault.cause)
        }
    };
    lambda_runtime::run(service_fn(handle)).await
}
