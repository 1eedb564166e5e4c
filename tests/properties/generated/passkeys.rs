//! Answers of authenticators.

use journeys::changes;
use properties::passkey::{self, CHALLENGE};
use properties::{assertion, seeds};
use proptest::prelude::*;

const CLIENT_DATA: &[&str] = &["valid", "hostile-twice", "almost-frame"];
const ASSERTIONS: &[&str] = &["valid-client-data", "almost-frame", "valid-json", "hostile-json-twice"];

fn seed(target: &str, name: &str) -> Vec<u8> {
    seeds::named(target, &[name]).remove(0)
}

proptest! {
    #[test]
    fn a_changed_answer_to_a_login_is_refused_or_meets_the_requirements(bytes in changes::of(seeds::named("assertion", ASSERTIONS))) {
        assertion::holds(&bytes);
    }

    #[test]
    fn changed_authenticator_data_of_a_login_are_refused_or_meet_the_requirements(
        bytes in changes::of(seeds::named("assertion", &["valid-data"])),
    ) {
        assertion::holds(&bytes);
    }

    #[test]
    fn changed_client_data_are_refused_or_meet_the_requirements(bytes in changes::of(seeds::named("client_data", CLIENT_DATA))) {
        passkey::client_data_holds(&bytes);
    }

    #[test]
    fn a_changed_attestation_object_is_refused_or_meets_the_requirements(
        bytes in changes::of([passkey::attestation_object()]),
    ) {
        passkey::attestation_holds(&bytes);
    }

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
