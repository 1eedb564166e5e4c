//! Many changes of addresses at once.

use futures_util::future::join_all;
use journeys::sound::assert_sound;
use journeys::{Embedded, PASSWORD, Visitor};

const MANY: usize = 32;

#[tokio::test]
async fn of_32_changes_to_one_address_at_once_one_succeeds_and_nobody_else_loses_theirs() {
    let stack = Embedded::start(&[("MAILS_PER_DAY", "100")]).await;
    let wanted = "todas-la-quieren@example.com";
    let visitors = join_all((0..MANY).map(|_| stack.service.visitor().signed_in())).await;
    let asked = join_all(visitors.into_iter().map(async |mut visitor| {
        assert_eq!(visitor.change_email(wanted).await.success(), true);
        visitor
    }))
    .await;
    let tokens = Visitor { email: wanted.to_owned(), ..asked[0].elsewhere() }.mailed_tokens().await;
    assert_eq!(tokens.len(), MANY);
    let nobody = stack.service.visitor();
    let confirmed = join_all(tokens.iter().map(|token| {
        let mut nobody = nobody.clone();
        async move { nobody.confirm_email(token).await.success() == true }
    }))
    .await;
    assert_eq!(confirmed.iter().filter(|is_done| **is_done).count(), 1);
    let reached = join_all(asked.iter().map(async |visitor| {
        let own = visitor.elsewhere().login(PASSWORD).await.success() == true;
        let session = visitor.clone().session().await;
        assert_eq!(session.status, 200);
        assert_eq!(own, session.user("email") == *visitor.email);
        own
    }))
    .await;
    assert_eq!(reached.iter().filter(|own| **own).count(), MANY - 1);
    assert_sound(&stack).await;
}

#[tokio::test]
async fn of_32_registrations_of_an_address_that_was_left_one_succeeds() {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().signed_in().await;
    let (left, new) = (ana.elsewhere(), ana.new_email());
    ana.moved_to(&new).await;
    let registered = join_all((0..MANY).map(|_| {
        let mut visitor = left.clone();
        async move { visitor.register().await.success() == true }
    }))
    .await;
    assert_eq!(registered.iter().filter(|is_done| **is_done).count(), 1);
    assert_sound(&stack).await;
}
