//! How large each kind of item is, as it is stored.

use journeys::{Embedded, Visitor, paths};

use super::requests::{FORM, KINDS, sub, visitor};
use super::units;
use crate::hosts;
use crate::rows;

/// Bytes of each kind of item, with what they are.
pub(super) async fn all(stack: &Embedded) -> Vec<(&'static str, usize)> {
    let number = KINDS.len();
    let mut ana = visitor(stack, number).signed().await;
    let mut longest = Visitor { email: longest_address(), ..visitor(stack, number) };
    assert_eq!(longest.register_with(&[("nombre", &"😀".repeat(200))]).await.success(), true);
    longest.reset_token().await;
    let mut google = visitor(stack, number + 1);
    google.google(sub(number)).await;
    let limited = hosts::all(stack, &[("LOGIN_MAX_FAILURES", "10")]);
    let login = limited.iter().find(|function| function.path == paths::LOGIN).unwrap();
    let mut failures = Vec::new();
    for _ in 0..2 {
        let body = format!("email={}&password=Otra1234", ana.email);
        login.answer(&hosts::event(paths::LOGIN, FORM, &body).to_string()).await;
        failures.push(units::bytes(&rows::failures(stack, &ana.email).await.unwrap()));
    }
    ana.json(paths::RECEIVE_DATA, "{}").await;
    let accounts = stack.items("accounts").await;
    let of = |pk: &str| units::bytes(accounts.iter().find(|item| rows::text(item, "pk").starts_with(pk)).unwrap());
    let entry = stack.items("entries").await.iter().map(units::bytes).min().unwrap();
    vec![
        ("profile with a password", units::bytes(&rows::profile(stack, &ana.email).await.unwrap())),
        ("profile of a Google login", units::bytes(&rows::profile(stack, &google.email).await.unwrap())),
        (
            "profile, longest name and address, reset link",
            units::bytes(&rows::profile(stack, &longest.email).await.unwrap()),
        ),
        ("session", units::bytes(&rows::sessions(stack, &ana.email).await[0])),
        ("failures, one", failures[0]),
        ("failures, ten", failures[0] + 9 * (failures[1] - failures[0])),
        ("failures, a thousand", failures[0] + 999 * (failures[1] - failures[0])),
        ("identity", of("google#")),
        ("counter of ids", of("counter")),
        ("entry, beside its own bytes", entry - "{}".len()),
    ]
}

/// 254 bytes, as many as an address may have.
fn longest_address() -> String {
    let label = |letter: &str, bytes: usize| letter.repeat(bytes);
    let address = [label("b", 63), label("c", 63), label("d", 58), "es".to_owned()].join(".");
    let address = format!("{}@{address}", label("a", 64));
    assert_eq!(address.len(), 254);
    address
}
