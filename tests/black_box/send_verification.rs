//! `/app/auth/sendVerification.php`: a link that verifies the address of the caller's account.

use journeys::sentences::{VERIFICATION_SENT, VERIFIED_ALREADY, assert_says};
use journeys::{Service, paths};

use crate::reset_link::front_end;

#[tokio::test]
async fn the_mail_has_a_link_of_the_front_end_and_the_answer_sets_no_cookie() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let answer = ana.form(paths::SEND_VERIFICATION, &[]).await;
    assert_says(&answer, VERIFICATION_SENT, "the first");
    assert!(answer.set_cookies().is_empty());
    let mails = ana.service.mails(&ana.email).await;
    let text = mails[0]["text"].as_str().unwrap();
    let link = format!("{}/verificar?token=", front_end(&ana.service).await);
    assert!(text.contains(&link) && !text.contains("Ana García"), "{text}");
}

#[tokio::test]
async fn a_verified_address_gets_no_mail() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let token = ana.verification_token().await;
    ana.verify(&token).await;
    let mails = ana.service.mails(&ana.email).await.len();
    assert_says(&ana.form(paths::SEND_VERIFICATION, &[]).await, VERIFIED_ALREADY, "verified");
    assert_eq!(ana.service.mails(&ana.email).await.len(), mails);
}
