//! The samples of all letters in `docs/letters`, for the pictures of `docs/letters.md` and the tests of `tests/web`.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use journeys::generated;
use local::Template;
use shared::mail::{Letter, Letters, Notice};
use shared::system::clock::{SystemClock, Timestamp};
use shared::system::random::SystemRandom;
use shared::{BrowserName, Setup, Token};

/// A well-formed token that belongs to no account.
const TOKEN: &str = "LETTER_SAMPLE_ACCOUNTS.THIS-TOKEN-IS-ONLY-IN-A-SAMPLE-OF-A-LETTERA";
const FIREFOX: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0";

/// The letters by the names of their samples.
fn samples() -> Vec<(&'static str, Letter)> {
    let mut settings = Template::of_this_project().unwrap().defaults();
    settings.insert("FRONT_END_URL".to_owned(), "https://app.example.com".to_owned());
    let letters = Letters::new(&Setup::new(settings, Arc::new(SystemClock), Arc::new(SystemRandom)));
    let token = Token::parse(TOKEN).unwrap();
    let notice = Notice {
        name: Some("Ana García".to_owned()),
        at: Timestamp::from_seconds(1_795_370_760),
        browser: Some(BrowserName::of(Some(FIREFOX))),
    };
    vec![
        ("reset", letters.reset(&token, 30)),
        ("verification", letters.verification(&token, 24)),
        ("password-changed", letters.password_changed(&notice, 0)),
        ("google-linked", letters.google_linked(&notice, false, false)),
        ("google-linked-password-removed", letters.google_linked(&notice, true, false)),
        ("google-linked-passkeys-removed", letters.google_linked(&notice, false, true)),
        ("passkey-created", letters.passkey_created(&notice)),
        ("passkey-removed", letters.passkey_removed(&notice)),
        ("new-browser", letters.new_browser(&notice)),
        ("account-deleted", letters.account_deleted(&notice)),
    ]
}

#[test]
fn docs_letters_has_the_sample_of_every_letter() {
    let mut files = BTreeSet::new();
    for (name, letter) in samples() {
        for (kind, content) in [("txt", letter.text()), ("html", letter.html())] {
            let file = format!("{name}.{kind}");
            generated::check_file(&format!("docs/letters/{file}"), content);
            files.insert(file);
        }
    }
    let found = fs::read_dir(generated::path("docs/letters")).unwrap();
    let found: BTreeSet<String> = found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(found, files, "docs/letters has a file that is no sample");
    let page = fs::read_to_string(generated::path("docs/letters.md")).unwrap();
    for (name, letter) in samples() {
        assert!(page.contains(&format!("(letters/{name}.txt)")), "docs/letters.md does not show {name}");
        assert!(page.contains(letter.subject()), "docs/letters.md does not have the subject of {name}");
    }
}

/// The colours in a text, in six digits.
fn colours(text: &str) -> BTreeSet<String> {
    let digits =
        text.split('#').skip(1).map(|rest| rest.split(|digit: char| !digit.is_ascii_hexdigit()).next().unwrap());
    let long = digits.filter_map(|digits| match digits.len() {
        3 => Some(digits.chars().flat_map(|digit| [digit, digit]).collect()),
        6 => Some(digits.to_owned()),
        _ => None,
    });
    long.collect()
}

#[test]
fn the_letters_have_the_colours_of_the_pages() {
    let pages = colours(&fs::read_to_string(generated::path("web/assets/style.css")).unwrap());
    let frame = colours(include_str!("../../../shared/templates/frame.html"));
    assert!(frame.len() > 10, "{frame:?}");
    assert_eq!(frame.difference(&pages).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn every_letter_that_the_service_can_write_has_a_sample_and_unit_tests() {
    let code = include_str!("../../../shared/src/mail/letter.rs");
    let methods = code.split("pub fn ").skip(1).filter(|rest| rest.lines().next().unwrap().ends_with("-> Letter {"));
    let names: Vec<&str> = methods.map(|rest| rest.split('(').next().unwrap()).collect();
    assert!(names.contains(&"reset") && names.contains(&"new_browser"), "{names:?}");
    for name in names {
        let call = format!("letters.{name}(");
        for tests in [include_str!("letters.rs"), include_str!("../../../shared/src/mail/tests.rs")] {
            assert!(tests.contains(&call), "no sample or no unit test calls {call}…)");
        }
    }
}
