//! Races with a random order: many clients send the same one, two or three requests in parallel, twenty times, and the
//! tables are checked after each round. `races.rs` forces the critical order of two writes.

mod accounts;
mod credentials;
mod ids;
mod sessions;

use futures_util::future::join_all;
use journeys::sentences::{Sentence, owned_sentence};
use journeys::{Answer, Embedded, Item, Visitor};

use journeys::rows;

/// Parallel requests.
const CROWD: usize = 32;
/// The number of rounds of each race.
const ROUNDS: usize = 20;

fn says(answer: &Answer, sentence: Sentence) -> bool {
    answer.sentence() == owned_sentence(sentence)
}

/// The indexes of the answers with the message `won`; all others must have `lost`.
#[track_caller]
fn winners(answers: &[Answer], won: Sentence, lost: Sentence) -> Vec<usize> {
    assert!(answers.iter().all(|answer| says(answer, won) || says(answer, lost)), "{answers:?}");
    answers.iter().enumerate().filter(|(_, answer)| says(answer, won)).map(|(index, _)| index).collect()
}

/// The index of the only answer with the message `won`.
#[track_caller]
fn winner(answers: &[Answer], won: Sentence, lost: Sentence) -> usize {
    let winners = winners(answers, won, lost);
    assert_eq!(winners.len(), 1, "{answers:?}");
    winners[0]
}

/// Runs an action for each client in parallel.
async fn at_once<T>(each: impl AsyncFn(usize) -> T) -> Vec<T> {
    join_all((0..CROWD).map(|index| each(index))).await
}

/// A password that no other request sets.
fn password(number: usize) -> String {
    format!("Clave-{number:04}")
}

/// A stack, and the row of an account with a password. The rounds copy the row instead of registering, which would
/// compute a hash.
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
