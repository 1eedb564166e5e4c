//! A session that has ended stays ended.

use std::time::Duration;

use journeys::sentences::{CONFIGURED, LOGGED_OUT, NO_SESSION};
use journeys::{Answer, paths};

use super::{ROUNDS, at_once, model, of_profile, says, winners};
use journeys::rows;
use journeys::sound::assert_sound;

#[tokio::test]
async fn a_session_that_ends_during_simultaneous_requests_does_not_come_back() {
    let (stack, model) = model().await;
    for _ in 0..ROUNDS {
        let ana = stack.service.visitor();
        rows::copy_account(&stack, &model, &ana).await;
        let ana = rows::open_session(&stack, &ana).await;
        // Each use updates the row, which is the write that could recreate the session.
        stack.advance(Duration::from_mins(11));
        let answers = at_once(async |index| {
            let (mut device, name) = (ana.clone(), format!("Ana {index}"));
            if index % 4 == 3 {
                device.form(paths::LOGOUT, &[]).await
            } else {
                device.form(paths::USER_CONFIG, &[("name", &name)]).await
            }
        });
        let answers = answers.await;
        let (logouts, updates): (Vec<_>, Vec<_>) = (0..).zip(answers).partition(|(index, _)| index % 4 == 3);
        assert!(logouts.iter().all(|(_, answer)| says(answer, LOGGED_OUT)), "{logouts:?}");
        let (indexes, updates): (Vec<usize>, Vec<Answer>) = updates.into_iter().unzip();
        let done = winners(&updates, CONFIGURED, NO_SESSION).into_iter().map(|index| format!("Ana {}", indexes[index]));
        let done: Vec<String> = done.collect();
        // The stored name is that of a successful change, or the old one if no change succeeded.
        let name = of_profile(&stack, &ana, "name").await;
        let expected = if done.is_empty() { name == rows::text(&model, "name") } else { done.contains(&name) };
        assert!(expected, "{name} of {done:?}");
        assert_eq!(rows::sessions(&stack, &ana.email).await, []);
        assert!(says(&ana.clone().session().await, NO_SESSION));
        assert_sound(&stack).await;
    }
}
