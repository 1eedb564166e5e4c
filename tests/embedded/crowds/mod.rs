//! Races without a known end: a crowd makes the same request, or two, at once, twenty times over, and the tables
//! are looked into after each. `races.rs` forces the one order of two writes that matters.

mod accounts;
mod credentials;
mod ids;
mod sessions;

use futures_util::future::join_all;
use journeys::{Answer, Embedded, Item, Visitor};

use crate::rows;

/// Requests at once.
const CROWD: usize = 32;
/// How often each race is run.
const ROUNDS: usize = 20;

type Sentence = (u16, &'static str);

const CONFIGURED: Sentence = (200, "Configuración actualizada correctamente");
const DELETED: Sentence = (200, "Usuario eliminado correctamente.");
const EMAIL_TAKEN: Sentence = (200, "El email ya está registrado");
const INVALID_TOKEN: Sentence = (200, "Token inválido o expirado");
const LOGGED_IN: Sentence = (200, "Inicio de sesión correcto");
const LOGGED_OUT: Sentence = (200, "Sesión cerrada correctamente");
const NO_SESSION: Sentence = (401, "No hay una sesión activa");
const NO_SESSION_EMAIL: Sentence = (200, "No hay una sesión activa con email.");
const REGISTERED: Sentence = (200, "Usuario registrado correctamente");
const RESET: Sentence = (200, "Contraseña restablecida con éxito");
const WRONG_CREDENTIALS: Sentence = (200, "Email o contraseña incorrectas");

fn says(answer: &Answer, sentence: Sentence) -> bool {
    answer.said() == (sentence.0, sentence.1.to_owned())
}

/// The places of those that say `won`; all others must say `lost`.
#[track_caller]
fn winners(answers: &[Answer], won: Sentence, lost: Sentence) -> Vec<usize> {
    assert!(answers.iter().all(|answer| says(answer, won) || says(answer, lost)), "{answers:?}");
    answers.iter().enumerate().filter(|(_, answer)| says(answer, won)).map(|(place, _)| place).collect()
}

/// The place of the only one that says `won`.
#[track_caller]
fn winner(answers: &[Answer], won: Sentence, lost: Sentence) -> usize {
    let winners = winners(answers, won, lost);
    assert_eq!(winners.len(), 1, "{answers:?}");
    winners[0]
}

/// What each of a crowd does, all at once.
async fn at_once<T>(each: impl AsyncFn(usize) -> T) -> Vec<T> {
    join_all((0..CROWD).map(|place| each(place))).await
}

/// A password that nobody else sets.
fn password(number: usize) -> String {
    format!("Clave-{number:04}")
}

/// A stack, and the row of an account with a password there: the rounds copy it, and so hash nothing.
async fn model() -> (Embedded, Item) {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().registered().await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    (stack, profile)
}

/// The value of an attribute of an account's row.
async fn of_profile(stack: &Embedded, ana: &Visitor, name: &str) -> String {
    rows::text(&rows::profile(stack, &ana.email).await.unwrap(), name)
}
