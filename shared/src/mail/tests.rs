//! Tests of all letters.

use std::collections::BTreeSet;

use super::{GoogleLinkFacts, Letter, Letters, NewPasswordFacts, Notice};
use crate::system::clock::Timestamp;
use crate::system::random::SystemRandom;
use crate::{AccountKey, BrowserName, Email, Setup, Token};

const FRONT_END: &str = "https://app.example";
const LOCK: &str = "t4mUxR1kPz0wYc7LhQe2Ng.3q2-7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789A";

fn letters_of(product: &str) -> Letters {
    Letters::new(&Setup::for_tests([("FRONT_END_URL", FRONT_END), ("PRODUCT_NAME", product)]))
}

fn token() -> Token {
    Token::mint(&AccountKey::of(&Email::parse("ana@example.com").unwrap()), &SystemRandom).unwrap()
}

fn notice(name: Option<&str>) -> Notice {
    let browser = BrowserName::of(Some("Mozilla/5.0 (Windows NT 10.0) Firefox/145.0"));
    let at = Timestamp::from_seconds(1_795_370_760);
    Notice { name: name.map(str::to_owned), at, browser: Some(browser), lock: Some(Token::parse(LOCK).unwrap()) }
}

fn linked(is_password_removed: bool, are_passkeys_removed: bool) -> GoogleLinkFacts {
    GoogleLinkFacts { is_password_removed, are_passkeys_removed, is_first_proof: false }
}

/// Every notice.
fn notices(letters: &Letters, notice: &Notice) -> Vec<Letter> {
    vec![
        letters.password_changed(notice, NewPasswordFacts { passkeys_kept: 2, ..Default::default() }),
        letters.google_linked(notice, linked(true, true)),
        letters.google_linked(notice, linked(true, false)),
        letters.google_linked(notice, linked(false, true)),
        letters.google_linked(notice, linked(false, false)),
        letters.account_exported(notice),
        letters.email_changed(notice),
        letters.joined(notice, &["ha cambiado la contraseña"]),
        letters.passkey_created(notice),
        letters.passkey_removed(notice),
        letters.google_unlinked(notice),
        letters.account_deleted(notice),
        letters.new_browser(notice),
    ]
}

/// Every letter.
fn all() -> Vec<Letter> {
    let letters = letters_of("Ahorro & Cía.");
    let with_token = [
        letters.reset(&token(), 30),
        letters.locked(&token(), 30),
        letters.password_removed(&token(), 30),
        letters.verification(&token(), 24),
        letters.email_change(&token(), 24),
    ];
    with_token.into_iter().chain(notices(&letters, &notice(Some("Ana García")))).collect()
}

/// The text that a reader of the HTML sees.
fn seen(html: &str) -> String {
    let body = html.split_once("<body").unwrap().1.replace("<br>", " ");
    let text: String = body.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text).collect();
    let text = [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&#38;", "&")]
        .iter()
        .fold(text, |text, (escaped, character)| text.replace(escaped, character));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn links_of_text(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().filter(|word| word.contains("://")).collect()
}

fn links_of_html(html: &str) -> BTreeSet<&str> {
    html.split("href=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0).collect()
}

#[test]
fn the_text_and_the_html_of_a_letter_say_the_same_and_have_the_same_links() {
    for letter in all() {
        let seen = seen(letter.html());
        for line in letter.text().lines().filter(|line| *line != "-- ") {
            // Only in the text does the label of a link end with a colon.
            let shown = line.strip_suffix(':').unwrap_or(line);
            assert!(seen.contains(shown) || links_of_html(letter.html()).contains(line), "{line}\n{seen}");
        }
        assert_eq!(links_of_text(letter.text()), links_of_html(letter.html()), "{}", letter.subject());
    }
}

#[test]
fn a_letter_with_a_token_has_its_link_its_lifetime_and_no_name() {
    let letters = letters_of("");
    let token = token();
    let address = token.reveal();
    for (letter, page, lifetime) in [
        (letters.reset(&token, 30), "restablecer", "30 minutos "),
        (letters.reset(&token, 1), "restablecer", "1 minuto "),
        (letters.verification(&token, 24), "verificar", "24 horas "),
        (letters.verification(&token, 1), "verificar", "1 hora "),
        (letters.email_change(&token, 24), "confirmar-email", "24 horas "),
    ] {
        let link = format!("{FRONT_END}/{page}?token={}", address.as_str());
        for half in [letter.text(), letter.html()] {
            assert!(half.contains(&link) && half.contains(lifetime) && half.contains("Hola:"), "{half}");
        }
        assert!(letter.text().lines().any(|line| line == link), "the link has a line of its own: {}", letter.text());
    }
}

#[test]
fn a_notice_says_when_and_with_which_browser_and_leaves_an_unknown_browser_out() {
    let letters = letters_of("");
    for letter in notices(&letters, &notice(None)) {
        for half in [letter.text().to_owned(), seen(letter.html())] {
            assert!(half.contains("22 de noviembre de 2026, 18:06 (UTC)"), "{half}");
            assert!(half.contains("Navegador: ") && half.contains("Firefox en Windows"), "{half}");
        }
    }
    for letter in notices(&letters, &Notice { browser: None, ..notice(None) }) {
        assert!(!letter.text().contains("Navegador:") && !letter.html().contains("Navegador:"), "{}", letter.text());
    }
}

#[test]
fn a_notice_addresses_the_user_by_name_only_if_the_name_is_given() {
    let letters = letters_of("");
    for letter in notices(&letters, &notice(Some("Ana García"))) {
        assert!(letter.text().starts_with("Hola, Ana García:\n") && letter.html().contains(">Hola, Ana García:<"));
    }
    for nobody in [None, Some(""), Some(" \n")] {
        for letter in notices(&letters, &notice(nobody)) {
            assert!(letter.text().starts_with("Hola:\n") && letter.html().contains(">Hola:<"), "{}", letter.text());
        }
    }
}

#[test]
fn a_hostile_name_stays_a_name_in_the_text_and_the_html() {
    let letters = letters_of("");
    let tags = |letter: &Letter| letter.html().matches('<').count();
    let lines = |letter: &Letter| letter.text().lines().count();
    let plain = notices(&letters, &notice(Some("Ana")));
    for name in [
        "<a href=\"https://evil.example\">Premio</a>",
        "\"><script>alert(1)</script>",
        "</title></style><img src=x onerror='alert(1)'>",
        "Ana:\r\n\r\nEntra en https://evil.example\n",
        "Ana\u{2028}\u{2029}\u{85}Eva",
        "\u{202e}lave\u{202c} \u{2066}x",
        "{{ product }} {% raw %} {link}",
        "&#60;b&#62; &amp;",
    ] {
        for (letter, plain) in notices(&letters, &notice(Some(name))).iter().zip(&plain) {
            assert_eq!((tags(letter), lines(letter)), (tags(plain), lines(plain)), "{name:?}: {}", letter.text());
            assert_eq!(links_of_html(letter.html()), links_of_html(plain.html()), "{name:?}");
            let first = letter.text().lines().next().unwrap();
            assert!(!first.contains(['\u{202e}', '\u{2066}', '\u{2028}', '\r']), "{first:?}");
            assert!(seen(letter.html()).contains(first), "{name:?}: {}", seen(letter.html()));
        }
    }
}

#[test]
fn a_notice_has_no_link_to_another_site_and_its_only_token_locks_the_account() {
    let pages = ["", "/recuperar", "/sesiones", "/llaves", "/registro"].map(|page| format!("{FRONT_END}{page}"));
    let lock = format!("{FRONT_END}/no-fui-yo?token={LOCK}");
    for letter in notices(&letters_of(""), &notice(Some("Ana"))) {
        let links = links_of_html(letter.html());
        assert!(links.iter().all(|link| *link == lock || pages.iter().any(|page| page == link)), "{links:?}");
        // Nobody can lock an account that was deleted.
        assert_eq!(links.contains(&*lock), !letter.subject().contains("se ha eliminado"), "{}", letter.text());
        assert_eq!(letter.text().matches("token").count(), usize::from(links.contains(&*lock)), "{}", letter.text());
    }
    let without = letters_of("").passkey_removed(&Notice { lock: None, ..notice(None) });
    assert!(!without.text().contains("No he sido yo") && without.text().contains("/recuperar"), "{}", without.text());
}

#[test]
fn a_letter_loads_nothing_and_runs_nothing() {
    for letter in all() {
        for part in ["<img", "<script", "<link", "<iframe", "<form", "src=", "url(", "@import", "background=", "onload"]
        {
            assert!(!letter.html().contains(part), "{part} is in {}", letter.html());
        }
    }
}

#[test]
fn every_letter_has_its_subject_as_heading_and_names_the_product() {
    let letters = all();
    for letter in &letters {
        assert!(!letter.subject().contains(['\r', '\n']) && letter.subject().chars().count() <= 60);
        for end in ["</title>", "</h1>"] {
            assert!(letter.html().contains(&format!(">{}{end}", letter.subject())), "{}", letter.html());
        }
        assert!(letter.html().contains("Ahorro &#38; Cía.") && letter.text().contains("de Ahorro & Cía., https://"));
    }
    let subjects: BTreeSet<_> = letters.iter().map(Letter::subject).collect();
    assert_eq!(subjects.len(), letters.len(), "two letters have the same subject");
}

#[test]
fn the_owner_learns_that_linking_removed_the_password_only_if_it_did() {
    let letters = letters_of("");
    let removed = letters.google_linked(&notice(None), linked(true, false));
    let kept = letters.google_linked(&notice(None), linked(false, false));
    for said in ["hemos eliminado la contraseña", "hemos cerrado todas sus sesiones", "entra con Google"] {
        assert!(removed.text().contains(said) && !kept.text().contains(said), "{said}");
    }
    assert!(kept.text().contains("sigue siendo la misma"));
    // In a list of mails, only the subject and the preheader are shown.
    for (password, passkeys) in [(true, true), (true, false), (false, true), (false, false)] {
        let letter = letters.google_linked(&notice(None), linked(password, passkeys));
        let subject = letter.subject();
        assert_eq!((subject.contains("contraseña"), subject.contains("llaves de acceso")), (password, passkeys));
        let (_, rest) = letter.html().split_once("opacity:0\">").unwrap();
        let (preheader, _) = rest.split_once("</div>").unwrap();
        assert!(
            [subject, preheader].iter().any(|shown| shown.contains("vinculado con Google")),
            "{subject}, {preheader}"
        );
        assert!(letter.text().contains(" Google"), "{subject}");
    }
}

#[test]
fn the_owner_learns_whether_the_passkeys_were_kept_or_removed() {
    let letters = letters_of("");
    let page = format!("{FRONT_END}/llaves\n");
    for (passkeys, said) in [(0, None), (1, Some("tiene una llave de acceso, que sigue")), (2, Some("tiene 2 llaves"))]
    {
        let letter =
            letters.password_changed(&notice(None), NewPasswordFacts { passkeys_kept: passkeys, ..Default::default() });
        assert_eq!(letter.text().contains(&page), said.is_some(), "{}", letter.text());
        assert!(said.is_none_or(|said| letter.text().contains(said)), "{}", letter.text());
    }
    for removed in [true, false] {
        let letter = letters.google_linked(&notice(None), linked(true, removed));
        assert_eq!(letter.text().contains("y las llaves de acceso que tenía"), removed, "{}", letter.text());
    }
    let without_password = letters.google_linked(&notice(None), linked(false, true));
    let text = without_password.text();
    assert!(text.contains("hemos eliminado las llaves de acceso que tenía"), "{text}");
    assert!(!text.contains("eliminado la contraseña") && !text.contains("no tienes que hacer nada"), "{text}");
}
