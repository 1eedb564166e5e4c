//! `RESET_COOLDOWN_SECONDS`: the shortest time between two reset links of an account.

use std::time::Duration;

use futures_util::future::join_all;
use journeys::sentences::{INTERNAL, LINK_SENT, assert_says};
use journeys::{Answer, Embedded, Failure, Visitor, paths};

/// Five minutes, longer than any test takes.
const COOLDOWN: [(&str, &str); 1] = [("RESET_COOLDOWN_SECONDS", "300")];
const FIVE_MINUTES: Duration = Duration::from_mins(5);

async fn start() -> (Embedded, Visitor) {
    let stack = Embedded::start(&COOLDOWN).await;
    let ana = stack.service.visitor().registered().await;
    (stack, ana)
}

async fn ask(visitor: &Visitor) -> Answer {
    visitor.elsewhere().form(paths::SEND_RESET_LINK, &[("email", &visitor.email)]).await
}

#[tokio::test]
async fn within_the_cooldown_a_second_request_sends_nothing_and_the_first_link_works() {
    let (stack, mut ana) = start().await;
    let first = ask(&ana).await;
    let second = ask(&ana).await;
    assert_eq!(first.whole(), second.whole(), "the answers tell nothing");
    let tokens = ana.mailed_tokens().await;
    assert_eq!(tokens.len(), 1);
    assert_eq!(ana.reset(&tokens[0], "Otra1234").await.success(), true);

    assert_says(&ask(&ana).await, LINK_SENT, "before the pause");
    stack.advance(FIVE_MINUTES + Duration::from_secs(1));
    assert_says(&ask(&ana).await, LINK_SENT, "after the pause");
    assert_eq!(ana.mailed_tokens().await.len(), 3);
}

#[tokio::test]
async fn many_requests_at_once_send_one_mail_within_the_cooldown() {
    let (_stack, ana) = start().await;
    let answers = join_all((0..32).map(|_| ask(&ana))).await;
    for answer in &answers {
        assert_says(answer, LINK_SENT, "each");
    }
    assert_eq!(ana.mailed_tokens().await.len(), 1);
}

#[tokio::test]
async fn a_mail_that_could_not_be_sent_starts_no_cooldown() {
    let (stack, mut ana) = start().await;
    stack.mail.fail_always(Failure::Error);
    assert_says(&ask(&ana).await, INTERNAL, "no mail");
    stack.mail.heal();
    assert_says(&ask(&ana).await, LINK_SENT, "at once");
    let tokens = ana.mailed_tokens().await;
    assert_eq!(ana.reset(&tokens[0], "Otra1234").await.success(), true);
}
