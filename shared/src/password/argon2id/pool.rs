//! The pool of memory for hashes, and the choice of the implementation.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::{HASH_BYTES, HashCost, HashMemory, Implementation};
use crate::Setup;
use crate::log::{Log, error_line};
use crate::system::clock::Clock;

/// The salt of the known answers. Their password is empty.
const SALT: [u8; 16] = [0; 16];
/// The lowest cost, but with two passes, because only a pass after the first combines its blocks with those of the pass
/// before it. Such a hash takes microseconds.
const TWO_PASSES: HashCost = HashCost { passes: 2, ..HashCost::LEAST };
/// One pass over the memory of the usual cost. It touches every page, so that later hashes in this memory cause no page
/// faults. Only an implementation that reserves memory without touching it has to give this answer.
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

/// Memory for hashes: one piece for each hash that runs at the same time, each large enough for a hash of the pool's
/// cost.
pub(crate) struct Pool {
    cost: HashCost,
    /// The implementation that the setting names.
    wanted: Implementation,
    /// The implementation, once it has passed its known-answer test.
    engine: OnceLock<Implementation>,
    /// The memory that no hash is using.
    idle: Mutex<Vec<HashMemory>>,
    clock: Arc<dyn Clock>,
    log: Arc<dyn Log>,
}

impl Pool {
    /// Uses the cost, clock and log of `setup`, and reads `ARGON2_IMPLEMENTATION`.
    pub(crate) fn new(setup: &Setup) -> Self {
        let words = [("fastest", Implementation::FASTEST), ("rustcrypto", Implementation::RustCrypto)];
        Self {
            cost: setup.hash_cost(),
            wanted: setup.settings().choice("ARGON2_IMPLEMENTATION", words),
            engine: OnceLock::new(),
            idle: Mutex::default(),
            clock: setup.clock(),
            log: setup.log(),
        }
    }

    /// The cost of new hashes.
    pub(crate) fn cost(&self) -> HashCost {
        self.cost
    }

    /// Reserves the memory for the first hash, unless idle memory exists.
    pub(crate) fn warm_up(&self) {
        if let Ok(memory) = self.take() {
            self.give_back(memory);
        }
    }

    /// Takes memory for a hash. [`give_back`](Self::give_back) returns it afterwards.
    ///
    /// # Errors
    /// There is not enough memory, or no implementation passes its known-answer test.
    pub(crate) fn take(&self) -> Result<HashMemory, String> {
        let idle = self.idle_memory().pop();
        if let Some(memory) = idle {
            return Ok(memory);
        }
        if let Some(engine) = self.engine.get() {
            return HashMemory::reserved(*engine, self.cost);
        }
        let (engine, memory) = self.choose()?;
        // If two calls choose at the same time, they choose the same implementation.
        let _ = self.engine.set(engine);
        Ok(memory)
    }

    /// Returns memory to the pool, for the next hash.
    pub(crate) fn give_back(&self, memory: HashMemory) {
        self.idle_memory().push(memory);
    }

    /// Chooses the configured implementation, or `RustCrypto`'s if the configured one fails its known-answer test, and
    /// reserves memory for it. A wrong hash would lock its owner out, because no other implementation would verify it.
    fn choose(&self) -> Result<(Implementation, HashMemory), String> {
        let fallback = Some(Implementation::RustCrypto).filter(|fallback| *fallback != self.wanted);
        for engine in [Some(self.wanted), fallback].into_iter().flatten() {
            // A lack of memory says nothing about the implementation, so it ends the choice with an error.
            let mut memory = HashMemory::reserved(engine, self.cost)?;
            let Err(reason) = self.test_known_answers(engine, &mut memory) else { return Ok((engine, memory)) };
            let message = format!("{} is not used to hash passwords: {reason}", engine.name());
            self.log.write(&error_line(self.clock.now(), &message));
        }
        Err("no implementation gives the known answers".to_owned())
    }

    /// Runs the known-answer test. Afterwards each page of the memory was touched.
    fn test_known_answers(&self, engine: Implementation, memory: &mut HashMemory) -> Result<(), String> {
        for (cost, answer) in KNOWN_ANSWERS {
            // The second answer needs the memory of the usual cost. A pool with less, as in the tests, skips it.
            let is_asked = cost == TWO_PASSES || !engine.touches_memory() && cost.memory_kib <= self.cost.memory_kib;
            if is_asked && memory.hash(cost, b"", &SALT)? != answer {
                return Err("it fails its known-answer test".to_owned());
            }
        }
        Ok(())
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

    /// The number of pieces of memory that no hash is using.
    #[cfg(test)]
    pub(crate) fn idle(&self) -> usize {
        self.idle_memory().len()
    }

    fn idle_memory(&self) -> MutexGuard<'_, Vec<HashMemory>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
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
            let hash = HashMemory::reserved(Implementation::RustCrypto, cost).unwrap().hash(cost, b"", &SALT).unwrap();
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
    fn a_lack_of_memory_is_an_error_and_chooses_no_implementation() {
        let lines = Arc::new(Lines::default());
        let pool = pool(Implementation::Starved, &lines);
        assert_eq!(pool.take().err().as_deref(), Some("not enough memory"));
        assert!(pool.engine.get().is_none() && lines.0.lock().unwrap().is_empty());
    }

    #[test]
    fn the_warm_up_chooses_the_implementation_and_reserves_the_memory_of_the_first_hash() {
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
        for (text, wanted) in [("fastest", Implementation::FASTEST), ("rustcrypto", Implementation::RustCrypto)] {
            assert_eq!(Pool::new(&Setup::for_tests([("ARGON2_IMPLEMENTATION", text)])).wanted, wanted, "{text}");
        }
        for wrong in ["md5", ""] {
            let setup = Setup::for_tests([("ARGON2_IMPLEMENTATION", wrong)]);
            drop(Pool::new(&setup));
            assert!(setup.settings().check().is_err(), "{wrong}");
        }
    }
}
