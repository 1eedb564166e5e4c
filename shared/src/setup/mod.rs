//! The dependencies that an endpoint is built from, once at start: settings, time, randomness, the log, AWS.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};

use crate::aws::{Access, Aws, ServiceClient};
use crate::log::{Log, StandardOutput};
use crate::settings::Settings;
use crate::system::clock::Clock;
use crate::system::random::Random;

/// How long the start waits for the warm-up. Lambda gives the start ten seconds, which a dependency that does not
/// answer must not use up.
const WARM_UP_TIMEOUT: Duration = Duration::from_secs(1);

/// The cost parameters of Argon2id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashCost {
    /// Memory, in KiB.
    pub(crate) memory_kib: u32,
    /// Passes over the memory.
    pub(crate) passes: u32,
    /// Lanes of the memory. One thread fills all of them, because a function has at most one processor.
    pub(crate) lanes: u32,
}

impl HashCost {
    /// 19456 KiB, two passes, one lane: the second of the five equivalent Argon2id configurations in OWASP's password
    /// storage cheat sheet.
    pub const OWASP: Self = Self { memory_kib: 19_456, passes: 2, lanes: 1 };
    /// The lowest cost that RFC 9106, 3.1, allows. It protects no password.
    pub const LEAST: Self = Self { memory_kib: 8, passes: 1, lanes: 1 };
}

/// What an operator may read of the accounts table, by the policies of `infra/permissions.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperatorAccess {
    /// `OperatorReads`: everything but what passwords can be guessed with.
    WithoutHashes,
    /// `OperatorReadsHashes` too: everything.
    WithHashes,
}

/// The dependencies that every part of the service is built from.
pub struct Setup {
    settings: Settings,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    log: Arc<dyn Log>,
    hashed: Arc<AtomicU64>,
    hash_cost: HashCost,
    warm_up: RefCell<Vec<BoxFuture<'static, ()>>>,
    aws: Aws,
    operator: Option<OperatorAccess>,
}

impl Setup {
    /// The setup of a function on Lambda, with the settings and the AWS credentials in the process's environment.
    pub async fn of_environment(clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        let aws = Aws::new(Access::of_environment().await);
        Self { aws, ..Self::with(Settings::of_environment(), clock, random) }
    }

    /// A setup with the given settings, for AWS services on this machine, which do not check credentials.
    #[must_use]
    pub fn new(
        settings: impl IntoIterator<Item = (String, String)>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        Self::with(Settings::new(settings), clock, random)
    }

    fn with(settings: Settings, clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        Self {
            settings,
            clock,
            random,
            log: Arc::new(StandardOutput),
            hashed: Arc::default(),
            hash_cost: HashCost::OWASP,
            warm_up: RefCell::default(),
            aws: Aws::new(Access::local()),
            operator: None,
        }
    }

    /// The same setup with another log than standard output.
    #[must_use]
    pub fn logging_to(self, log: Arc<dyn Log>) -> Self {
        Self { log, ..self }
    }

    /// The same setup with another hash cost, for measurements that exclude the hash.
    #[must_use]
    pub fn hashing_at(self, hash_cost: HashCost) -> Self {
        Self { hash_cost, ..self }
    }

    /// The same setup with this DynamoDB client, which may have any credentials.
    #[cfg(feature = "operator")]
    #[must_use]
    pub fn with_dynamodb(self, client: aws_sdk_dynamodb::Client) -> Self {
        Self { aws: self.aws.with_dynamodb(client), ..self }
    }

    /// The same setup for an operator, whose calls ask for no more than this.
    #[cfg(feature = "operator")]
    #[must_use]
    pub fn of_operator(self, access: OperatorAccess) -> Self {
        Self { operator: Some(access), ..self }
    }

    /// What the operator may read; `None` for the service itself.
    pub(crate) fn operator(&self) -> Option<OperatorAccess> {
        self.operator
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// The random number generator.
    #[must_use]
    pub fn random(&self) -> Arc<dyn Random> {
        Arc::clone(&self.random)
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> Arc<dyn Log> {
        Arc::clone(&self.log)
    }

    /// The DynamoDB client, which all tables share. The warm-up opens its connection.
    pub(crate) fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        self.aws.dynamodb(|| self.warmed_client())
    }

    /// A client of an AWS service. It connects at its first call.
    #[cfg(any(feature = "captcha", feature = "stream"))]
    pub(crate) fn client<C: ServiceClient>(&self) -> C {
        C::of(&self.aws.config::<C>(&self.settings))
    }

    /// A client of an AWS service. The warm-up opens its connection.
    pub(crate) fn warmed_client<C: ServiceClient>(&self) -> C {
        let config = self.aws.config::<C>(&self.settings);
        self.warm_up_with(self.aws.connect(&self.settings, &config));
        C::of(&config)
    }

    /// The cost of password hashes.
    pub(crate) fn hash_cost(&self) -> HashCost {
        self.hash_cost
    }

    /// The number of hashes computed by all parts that were built from this setup. A test can compare it exactly,
    /// unlike a duration.
    #[must_use]
    pub fn hashed(&self) -> u64 {
        self.hashed.load(Ordering::Relaxed)
    }

    /// The counter behind [`Setup::hashed`].
    pub(crate) fn hash_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.hashed)
    }

    /// Adds work to the warm-up. A failure is ignored: the first call repeats the work, and reports the fault.
    pub(crate) fn warm_up_with(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.warm_up.borrow_mut().push(work.boxed());
    }

    /// Opens connections, fetches keys and touches memory before the first call. It takes at most a second.
    pub async fn warm_up(&self) {
        let work = join_all(self.warm_up.take());
        // The first call does the remaining work.
        let _ = tokio::time::timeout(WARM_UP_TIMEOUT, work).await;
    }
}

#[cfg(test)]
impl Setup {
    /// A setup for unit tests, with the system's clock and randomness and the given settings.
    pub(crate) fn for_tests<const N: usize>(settings: [(&str, &str); N]) -> Self {
        let clock = Arc::new(crate::system::clock::SystemClock);
        Self::with(Settings::for_tests(settings), clock, Arc::new(crate::system::random::SystemRandom))
    }
}
