//! Answers of authenticators.

use properties::passkey::{self, CHALLENGE};
use properties::{assertion, seeds};
use proptest::prelude::*;

fn seed(target: &str, name: &str) -> Vec<u8> {
    seeds::named(target, name)
}

proptest! {
    #[test]
    fn any_bytes_are_refused_as_an_attestation_object(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(!passkey::is_accepted(&seed("client_data", "valid"), &bytes));
    }
}

#[test]
fn a_valid_answer_is_accepted() {
    let client_data = seed("client_data", "valid");
    assert!(passkey::is_accepted(&client_data, &passkey::attestation_object()));
    assert!(!passkey::is_accepted(b"{}", &passkey::attestation_object()));
    assert!(str::from_utf8(&client_data).unwrap().contains(CHALLENGE));
}

#[test]
fn a_valid_answer_to_a_login_is_accepted() {
    for sound in ["valid-client-data", "valid-json", "valid-json-extra", "valid-data"] {
        assert!(assertion::is_accepted(&seed("assertion", sound)), "{sound}");
    }
    for odd in ["almost-counter", "almost-json-no-user", "hostile-credential", "almost-registration"] {
        assert!(!assertion::is_accepted(&seed("assertion", odd)), "{odd}");
    }
}
