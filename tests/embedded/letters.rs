//! A sample of every letter. `scripts/test/test-web` takes their HTML from `target/letters`, for its pictures and tests.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use journeys::generated;
use local::Template;
use shared::mail::{GoogleLinkFacts, Letter, Letters, NewPasswordFacts, Notice};
use shared::system::clock::{SystemClock, Timestamp};
use shared::system::random::SystemRandom;
use shared::{BrowserName, Setup, Token};

/// A well-formed token that belongs to no account.
const TOKEN: &str = "LETTER_SAMPLE_ACCOUNTS.THIS-TOKEN-IS-ONLY-IN-A-SAMPLE-OF-A-LETTERA";
const FIREFOX: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0";

fn linked(is_password_removed: bool, are_passkeys_removed: bool) -> GoogleLinkFacts {
    GoogleLinkFacts { is_password_removed, are_passkeys_removed, is_first_proof: false }
}

/// The letters by the names of their files and pictures.
fn samples() -> Vec<(&'static str, Letter)> {
    let mut settings = Template::of_this_project().unwrap().defaults();
    settings.insert("FRONT_END_URL".to_owned(), "https://app.example.com".to_owned());
    let letters = Letters::new(&Setup::new(settings, Arc::new(SystemClock), Arc::new(SystemRandom)));
    let token = Token::parse(TOKEN).unwrap();
    let notice = Notice {
        name: Some("Ana García".to_owned()),
        at: Timestamp::from_seconds(1_795_370_760),
        browser: Some(BrowserName::of(Some(FIREFOX))),
        lock: Token::parse(TOKEN),
    };
    vec![
        ("reset", letters.reset(&token, 30)),
        ("verification", letters.verification(&token, 24)),
        ("locked", letters.locked(&token, 30)),
        ("password-removed", letters.password_removed(&token, 30)),
        ("email-change", letters.email_change(&token, 24)),
        ("email-changed", letters.email_changed(&notice)),
        ("password-changed", letters.password_changed(&notice, NewPasswordFacts::default())),
        ("google-linked", letters.google_linked(&notice, linked(false, false))),
        ("google-linked-password-removed", letters.google_linked(&notice, linked(true, false))),
        ("google-linked-passkeys-removed", letters.google_linked(&notice, linked(false, true))),
        ("passkey-created", letters.passkey_created(&notice)),
        ("passkey-removed", letters.passkey_removed(&notice)),
        ("google-unlinked", letters.google_unlinked(&notice)),
        ("account-exported", letters.account_exported(&notice)),
        ("joined", letters.joined(&notice, &["ha cambiado la contraseña", "ha entrado un navegador nuevo"])),
        ("new-browser", letters.new_browser(&notice)),
        ("account-deleted", letters.account_deleted(&notice)),
    ]
}

#[test]
fn the_html_of_every_letter_is_written_for_the_tests_in_a_browser() {
    let folder = generated::path("target/letters");
    fs::create_dir_all(&folder).unwrap();
    // A letter that no longer exists must not be tested.
    for old in fs::read_dir(&folder).unwrap() {
        fs::remove_file(old.unwrap().path()).unwrap();
    }
    for (name, letter) in samples() {
        fs::write(folder.join(format!("{name}.html")), letter.html()).unwrap();
    }
}

#[test]
fn a_letter_as_text_says_what_happened_and_what_to_do() {
    let samples = samples();
    let (_, letter) = samples.iter().find(|(name, _)| *name == "new-browser").unwrap();
    insta::assert_snapshot!(letter.text(), @"
    Hola, Ana García:

    Alguien ha entrado en tu cuenta con un navegador que no habíamos visto antes.

    Cuándo: 22 de noviembre de 2026, 18:06 (UTC)
    Navegador: Firefox en Windows

    Si has sido tú, no tienes que hacer nada.

    ¿No has sido tú?
    Si entras con Google, cambia también la contraseña de tu cuenta de Google.
    Pulsa «No he sido yo»: cerraremos todas las sesiones, quitaremos la contraseña y las llaves de acceso, y te enviaremos un enlace para elegir otra contraseña.

    No he sido yo:
    https://app.example.com/no-fui-yo?token=LETTER_SAMPLE_ACCOUNTS.THIS-TOKEN-IS-ONLY-IN-A-SAMPLE-OF-A-LETTERA

    Ver las sesiones abiertas:
    https://app.example.com/sesiones

    --\x20
    Correo automático de Finanzas, https://app.example.com
    Nunca te pediremos la contraseña por correo.
    ");
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
    let frame = colours(include_str!("../../shared/templates/frame.html"));
    assert!(frame.len() > 10, "{frame:?}");
    assert_eq!(frame.difference(&pages).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn every_letter_that_the_service_can_write_has_a_sample_and_unit_tests() {
    let code = include_str!("../../shared/src/mail/letter.rs");
    let methods = code.split("pub fn ").skip(1).filter(|rest| rest.lines().next().unwrap().ends_with("-> Letter {"));
    let names: Vec<&str> = methods.map(|rest| rest.split('(').next().unwrap()).collect();
    assert!(names.contains(&"reset") && names.contains(&"new_browser"), "{names:?}");
    for name in names {
        let call = format!("letters.{name}(");
        for tests in [include_str!("letters.rs"), include_str!("../../shared/src/mail/tests.rs")] {
            assert!(tests.contains(&call), "no sample or no unit test calls {call}…)");
        }
    }
}
