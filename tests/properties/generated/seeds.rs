//! Checks the properties with the seeds. They include the inputs on which a fuzzer has found a fault.

use std::path::Path;

use properties::{
    assertion, cookie, credential, email, entries, event, form, multipart, passkey, position, proof, token,
};

/// Checks a property with every seed of its target.
fn replay(target: &str, holds: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 3, "{target} has {} seeds", files.len());
    for file in files {
        println!("{}", file.display());
        holds(&std::fs::read(&file).unwrap());
    }
}

#[test]
fn every_seed_of_an_event_is_read_correctly_or_refused() {
    replay("event", event::holds);
}

#[test]
fn every_seed_of_a_form_is_read_correctly_or_refused() {
    replay("form", form::holds);
}

#[test]
fn no_seed_of_a_multipart_form_gets_a_value_that_nobody_sent() {
    replay("multipart", multipart::holds);
}

#[test]
fn cookies_in_every_seed_are_found_only_by_their_exact_name() {
    replay("cookie", cookie::holds);
}

#[test]
fn every_seed_of_an_address_is_refused_or_has_one_spelling() {
    replay("email", email::holds);
}

#[test]
fn every_seed_of_a_token_is_refused_or_has_one_text() {
    replay("token", token::holds);
}

#[test]
fn every_seed_of_a_cursor_is_refused_or_has_one_text() {
    replay("position", position::holds);
}

#[test]
fn every_seed_of_a_credential_is_accepted_only_if_it_is_signed_and_valid() {
    replay("credential", credential::holds);
}

#[test]
fn every_seed_of_a_body_is_kept_byte_for_byte_or_refused() {
    replay("entries", entries::holds);
}

#[test]
fn every_seed_of_a_proof_is_refused_or_has_one_signed_text() {
    replay("proof", proof::holds);
}

#[test]
fn every_seed_of_client_data_is_refused_or_meets_the_requirements() {
    replay("client_data", passkey::client_data_holds);
}

#[test]
fn every_seed_of_an_attestation_object_is_refused_or_meets_the_requirements() {
    replay("attestation", passkey::attestation_holds);
}

#[test]
fn every_seed_of_a_login_with_a_passkey_is_refused_or_meets_the_requirements() {
    replay("assertion", assertion::holds);
}

#[test]
fn every_target_has_seeds_and_every_folder_of_seeds_has_a_target() {
    let names = |folder: &str| {
        let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
        let names = files.map(|file| file.unwrap().path().file_stem().unwrap().to_owned());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(names("targets"), names("seeds"));
}
