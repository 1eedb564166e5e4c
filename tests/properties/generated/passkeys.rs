//! Answers of authenticators.

use properties::assertion;
use properties::passkey::{self, CHALLENGE};
use proptest::prelude::*;

use crate::changes;

const CLIENT_DATA: &[&str] = &[
    include_str!("../seeds/client_data/valid"),
    include_str!("../seeds/client_data/hostile-twice"),
    include_str!("../seeds/client_data/almost-frame"),
];

const ASSERTIONS: &[&str] = &[
    include_str!("../seeds/assertion/valid-client-data"),
    include_str!("../seeds/assertion/almost-frame"),
    include_str!("../seeds/assertion/valid-json"),
    include_str!("../seeds/assertion/hostile-json-twice"),
];
const DATA: &[u8] = include_bytes!("../seeds/assertion/valid-data");

proptest! {
    #[test]
    fn a_changed_answer_to_a_login_is_refused_or_meets_the_requirements(bytes in changes::of(ASSERTIONS)) {
        assertion::holds(&bytes);
    }

    #[test]
    fn changed_authenticator_data_of_a_login_are_refused_or_meet_the_requirements(
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        more in prop::collection::vec(any::<u8>(), 0..4),
        cut in any::<bool>(),
    ) {
        let mut data = DATA.to_vec();
        let place = place.index(data.len());
        data[place] = byte;
        if cut {
            data.truncate(place);
        }
        assertion::holds(&[&*data, &more].concat());
    }

    #[test]
    fn changed_client_data_are_refused_or_meet_the_requirements(bytes in changes::of(CLIENT_DATA)) {
        passkey::client_data_holds(&bytes);
    }

    #[test]
    fn a_changed_attestation_object_is_refused_or_meets_the_requirements(
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        end in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let mut object = passkey::attestation_object();
        let place = place.index(object.len());
        object[place] = byte;
        if cut {
            object.truncate(end.index(object.len()));
        }
        passkey::attestation_holds(&object);
    }

    #[test]
    fn any_bytes_are_refused_as_an_attestation_object(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(!passkey::is_accepted(include_bytes!("../seeds/client_data/valid"), &bytes));
    }
}

#[test]
fn a_valid_answer_is_accepted() {
    assert!(passkey::is_accepted(include_bytes!("../seeds/client_data/valid"), &passkey::attestation_object()));
    assert!(!passkey::is_accepted(b"{}", &passkey::attestation_object()));
    assert!(include_str!("../seeds/client_data/valid").contains(CHALLENGE));
}

#[test]
fn a_valid_answer_to_a_login_is_accepted() {
    for sound in ["valid-client-data", "valid-json", "valid-json-extra", "valid-data"] {
        let seed = std::fs::read(format!("{}/seeds/assertion/{sound}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(assertion::is_accepted(&seed), "{sound}");
    }
    for odd in ["almost-counter", "almost-json-no-user", "hostile-credential", "almost-registration"] {
        let seed = std::fs::read(format!("{}/seeds/assertion/{odd}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(!assertion::is_accepted(&seed), "{odd}");
    }
}
