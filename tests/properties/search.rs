//! Searches for an input that breaks the property of the target that the variable `TARGET` names.

#![no_main]

use std::sync::LazyLock;

use properties::{Property, TARGETS};

static PROPERTY: LazyLock<Property> = LazyLock::new(|| {
    let wanted = std::env::var("TARGET").unwrap_or_default();
    let target = TARGETS.into_iter().find(|(name, _)| *name == wanted);
    #[expect(clippy::expect_used, reason = "a search of no target must fail")]
    let (_, holds) = target.expect("TARGET names a target");
    holds
});

libfuzzer_sys::fuzz_target!(|input: &[u8]| PROPERTY(input));
