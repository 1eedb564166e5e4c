//! The pool of memory for hashes, and the choice of the implementation.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::{Argon2id, HASH_BYTES, HashCost, Implementation};
use crate::Setup;
use crate::log::{Log, error_line};
use crate::system::clock::Clock;

/// The salt of the known answers. Their password is empty.
const SALT: [u8; 16] = [0; 16];
/// A cost with two passes, which take microseconds. The second pass mixes the output of the first.
const TWO_PASSES: HashCost = HashCost { passes: 2, ..HashCost::LEAST };
/// One pass over the memory of the usual cost. It touches every page, so that no later hash causes page faults.
const ONE_PASS: HashCost = HashCost { passes: 1, ..HashCost::OWASP };
/// The hashes at these costs, computed with the reference implementation in C.
const KNOWN_ANSWERS: [(HashCost, [u8; HASH_BYTES]); 2] = [
    (
        TWO_PASSES,
        *b"\x2b\xf7\x98\xa8\x72\xdd\x5a\xc0\x68\xd5\x55\xd2\xff\x67\xc3\x72\xaf\xac\x0d\x28\x63\x03\x53\xc8\x85\xf0\x80\xa1\x14\x32\x9a\x2c",
    ),
    (
        ONE_PASS,
        *b"\xa9\xe5\xf7\xff\xa0\x92\x89\x7d\x05\x1f\x3a\xe2\x95\x12\xa2\x88\xf1\xf7\x34\x4a\x00\x1c\x9e\x64\xf6\x75\x20\xf1\x3a\xdb\x33\x6e",
    ),
];

/// The memory for all hashes at one cost.
pub(crate) struct Pool {
    cost: HashCost,
    wanted: Implementation,
    /// The implementation, once it has passed its known-answer test.
    engine: OnceLock<Implementation>,
    waiting: Mutex<Vec<Argon2id>>,
    clock: Arc<dyn Clock>,
    log: Arc<dyn Log>,
}

impl Pool {
    /// Uses the cost, clock and log of `setup`, and reads `ARGON2_IMPLEMENTATION`.
    pub(crate) fn new(setup: &Setup) -> Self {
        let words = [("fastest", Implementation::FASTEST), ("rustcrypto", Implementation::RustCrypto)];
        Self {
            cost: setup.hash_cost(),
            wanted: setup.settings().choice("ARGON2_IMPLEMENTATION", Implementation::FASTEST, &words),
            engine: OnceLock::new(),
            waiting: Mutex::default(),
            clock: setup.clock(),
            log: setup.log(),
        }
    }

    /// The cost of the hashes.
    pub(crate) fn cost(&self) -> HashCost {
        self.cost
    }

    /// Reserves the memory for the first hash, unless there is some already.
    pub(crate) fn warm_up(&self) {
        if let Ok(memory) = self.take() {
            self.give_back(memory);
        }
    }

    /// Takes memory for a hash. [`give_back`](Self::give_back) returns it afterwards.
    ///
    /// # Errors
    /// There is not enough memory, or no implementation passes its known-answer test.
    pub(crate) fn take(&self) -> Result<Argon2id, String> {
        let waiting = self.waiting().pop();
        if let Some(memory) = waiting {
            return Ok(memory);
        }
        if let Some(engine) = self.engine.get() {
            return Argon2id::reserved(*engine, self.cost);
        }
        let (engine, memory) = self.choose().ok_or("no implementation gives the known answers")?;
        // If two calls choose at the same time, they choose the same implementation.
        let _ = self.engine.set(engine);
        Ok(memory)
    }

    /// Returns memory to the pool, for the next hash.
    pub(crate) fn give_back(&self, memory: Argon2id) {
        self.waiting().push(memory);
    }

    /// The configured implementation, or `RustCrypto`'s if that one fails its known-answer test, with its memory. A
    /// wrong hash would lock its owner out, because no other implementation would verify it.
    fn choose(&self) -> Option<(Implementation, Argon2id)> {
        let spare = Some(Implementation::RustCrypto).filter(|spare| *spare != self.wanted);
        let mut engines = [Some(self.wanted), spare].into_iter().flatten();
        engines.find_map(|engine| match self.proven(engine) {
            Ok(memory) => Some((engine, memory)),
            Err(reason) => {
                let message = format!("{} is not used to hash passwords: {reason}", engine.name());
                self.log.write(&error_line(self.clock.now(), &message));
                None
            }
        })
    }

    fn proven(&self, engine: Implementation) -> Result<Argon2id, String> {
        let mut memory = Argon2id::reserved(engine, self.cost)?;
        for (cost, answer) in KNOWN_ANSWERS {
            // At the lowest cost, which protects nothing, there is no memory to warm up.
            let is_due = cost == TWO_PASSES || cost.memory_kib <= self.cost.memory_kib;
            if is_due && memory.hash(cost, b"", &SALT)? != answer {
                return Err("it fails its known-answer test".to_owned());
            }
        }
        Ok(memory)
    }

    /// Hashes a password with a salt.
    ///
    /// # Errors
    /// As [`take`](Self::take), or the cost or the salt is not allowed.
    pub(crate) fn hash(&self, cost: HashCost, password: &[u8], salt: &[u8]) -> Result<[u8; HASH_BYTES], String> {
        let mut memory = self.take()?;
        let hash = memory.hash(cost, password, salt);
        self.give_back(memory);
        hash
    }

    /// The number of unused memories.
    #[cfg(test)]
    pub(crate) fn idle(&self) -> usize {
        self.waiting().len()
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Argon2id>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::PoisonError;

    use super::*;

    /// The lines of a log.
    #[derive(Default)]
    struct Lines(Mutex<Vec<String>>);

    impl Log for Lines {
        fn write(&self, line: &str) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
        }
    }

    fn pool(wanted: Implementation, lines: &Arc<Lines>) -> Pool {
        let log: Arc<dyn Log> = Arc::<Lines>::clone(lines);
        Pool { wanted, ..Pool::new(&Setup::for_tests([]).logging_to(log)) }
    }

    #[test]
    fn rustcrypto_gives_the_known_answers() {
        for (cost, answer) in KNOWN_ANSWERS {
            let hash = Argon2id::reserved(Implementation::RustCrypto, cost).unwrap().hash(cost, b"", &SALT).unwrap();
            assert_eq!(hash, answer, "{cost:?}");
        }
    }

    #[test]
    fn an_implementation_that_fails_its_known_answer_test_is_logged_and_not_used() {
        let lines = Arc::new(Lines::default());
        let pool = pool(Implementation::Broken, &lines);
        for _ in 0..2 {
            let hash = pool.take().unwrap().hash(TWO_PASSES, b"", &SALT).unwrap();
            assert_eq!((hash, pool.engine.get()), (KNOWN_ANSWERS[0].1, Some(&Implementation::RustCrypto)));
        }
        let logged = lines.0.lock().unwrap();
        assert!(logged.len() == 1 && logged[0].contains("fails its known-answer test"), "{logged:?}");
        assert!(logged[0].contains(r#""level":"ERROR""#), "{logged:?}");
    }

    #[test]
    fn the_known_answer_test_reserves_the_memory_of_the_first_hash() {
        let lines = Arc::new(Lines::default());
        let pool = pool(Implementation::FASTEST, &lines);
        pool.warm_up();
        assert_eq!((pool.engine.get(), pool.idle()), (Some(&Implementation::FASTEST), 1));
        let memory = pool.take().unwrap();
        assert_eq!(pool.idle(), 0);
        pool.give_back(memory);
        assert!(lines.0.lock().unwrap().is_empty());
    }

    #[test]
    fn the_setting_chooses_between_the_fastest_and_rustcrypto() {
        for (text, wanted) in [
            ("", Implementation::FASTEST),
            ("fastest", Implementation::FASTEST),
            ("rustcrypto", Implementation::RustCrypto),
        ] {
            assert_eq!(Pool::new(&Setup::for_tests([("ARGON2_IMPLEMENTATION", text)])).wanted, wanted, "{text}");
        }
        let setup = Setup::for_tests([("ARGON2_IMPLEMENTATION", "md5")]);
        drop(Pool::new(&setup));
        assert!(setup.settings().check().is_err());
    }
}
