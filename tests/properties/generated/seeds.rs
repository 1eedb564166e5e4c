//! The seeds, in `make test` too: what a fuzzer has found stays among them.

use std::path::Path;

use properties::{cookie, credential, email, entries, event, form, multipart, token};

/// Every seed of a target keeps its property. There are some of each kind: valid, almost valid, hostile.
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
fn every_seed_of_an_event_is_read_correctly() {
    replay("event", event::holds);
}

#[test]
fn every_seed_of_a_form_is_read_correctly() {
    replay("form", form::holds);
}

#[test]
fn no_seed_of_a_multipart_form_gains_fields() {
    replay("multipart", multipart::holds);
}

#[test]
fn every_seed_of_a_cookie_is_found_by_its_exact_name() {
    replay("cookie", cookie::holds);
}

#[test]
fn every_seed_of_an_address_has_one_spelling_or_none() {
    replay("email", email::holds);
}

#[test]
fn every_seed_of_a_token_has_one_text_or_none() {
    replay("token", token::holds);
}

#[test]
fn every_seed_of_a_credential_is_believed_only_as_signed() {
    replay("credential", credential::holds);
}

#[test]
fn every_seed_of_a_body_is_kept_byte_for_byte_or_refused() {
    replay("entries", entries::holds);
}

#[test]
fn every_target_has_its_seeds_and_every_folder_of_seeds_its_target() {
    let names = |folder: &str| {
        let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
        let names = files.map(|file| file.unwrap().path().file_stem().unwrap().to_owned());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(names("targets"), names("seeds"));
}
