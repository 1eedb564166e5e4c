//! The passkeys of an account that is deleted, changes hands or gets a new password.

use std::time::Duration;

use journeys::authenticator::Algorithm;
use journeys::sentences::{
    DELETED, INVALID_PARAMETERS, INVALID_PASSKEY, INVALID_TOKEN, LOGGED_IN, PASSKEY_CREATED, RESET, WRONG_CREDENTIALS,
    assert_says,
};
use journeys::{Embedded, PASSWORD, paths, rows};
use serde_json::{Value, json};

use super::{passkey_items, start};
use crate::concurrency::held_up;

#[tokio::test]
async fn the_deletion_of_an_account_erases_its_passkeys() {
    let (stack, mut ana, mut authenticator) = start(&[]).await;
    for _ in 0..4 {
        ana.with_passkey().await;
    }
    assert_eq!(passkey_items(&stack).await, 10);
    assert_says(&ana.form(paths::DELETE_ACCOUNT, &[]).await, DELETED, "deletion");
    assert_eq!(passkey_items(&stack).await, 0);
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "login");

    let mut successor = ana.elsewhere().signed_in().await;
    assert_eq!(successor.passkeys().await, Vec::<Value>::new());
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "later account");
    assert_says(&successor.add_passkey(&mut authenticator).await, PASSKEY_CREATED, "the credential is free");
}

#[tokio::test]
async fn a_passkey_that_is_created_during_the_deletion_is_erased_too() {
    let stack = Embedded::start(&[]).await;
    for others in 0..2 {
        let mut ana = stack.service.visitor().signed_in().await;
        for _ in 0..others {
            ana.with_passkey().await;
        }
        let mut owner = ana.clone();
        let creation = async {
            ana.clone().with_passkey().await;
        };
        // The deletion has read the session and the account.
        let deleted = held_up(&stack, 2, owner.form(paths::DELETE_ACCOUNT, &[]), creation).await;
        assert_says(&deleted, DELETED, "deletion");
        assert_eq!(passkey_items(&stack).await, 0, "beside {others}");
    }
}

#[tokio::test]
async fn a_passkey_that_is_removed_while_its_signature_is_verified_opens_nothing_and_leaves_no_row() {
    for deletes in [false, true] {
        let (stack, mut ana, mut authenticator) = start(&[]).await;
        let mut phone = stack.service.visitor();
        let meanwhile = async {
            if deletes {
                ana.form(paths::DELETE_ACCOUNT, &[]).await
            } else {
                let id = ana.first_passkey().await;
                ana.delete_passkey(&id).await
            }
        };
        // After the options, the login has read the challenge, the credential and the account.
        let login = held_up(&stack, 3, phone.passkey_login(&mut authenticator), meanwhile).await;
        assert_says(&login, INVALID_PASSKEY, "login");
        assert_eq!(phone.session().await.status, 401);
        assert_eq!(passkey_items(&stack).await, 0, "deletes: {deletes}");
    }
}

#[tokio::test]
async fn a_session_that_has_ended_meanwhile_creates_no_passkey() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut authenticator = ana.authenticator(Algorithm::Es256).await;
    let answer = authenticator.create(&ana.passkey_options().await).json();
    let mut caller = ana.clone();
    let logout = async {
        ana.clone().form(paths::LOGOUT, &[]).await;
    };
    let created = held_up(&stack, 2, caller.register_passkey(&answer), logout).await;
    assert_eq!(created.status, 401, "{created:?}");
    assert_eq!(passkey_items(&stack).await, 0);
}

#[tokio::test]
async fn a_hand_over_by_google_erases_the_passkeys_of_whoever_registered_the_address() {
    let (stack, mut squatter, mut authenticator) = start(&[]).await;
    squatter.with_passkey().await;
    let mut owner = squatter.elsewhere();
    assert_eq!(owner.google(json!({})).await.status, 200);
    assert_eq!(passkey_items(&stack).await, 0);
    assert_eq!(owner.passkeys().await, Vec::<Value>::new());
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "the squatter");
    // The user handle differs, so the squatter's authenticator does not recognise the account either.
    let before = authenticator.user.clone();
    assert_says(&owner.add_passkey(&mut authenticator).await, PASSKEY_CREATED, "the owner");
    assert_ne!(authenticator.user, before);
}

#[tokio::test]
async fn a_passkey_that_is_created_during_a_hand_over_is_erased_or_refused() {
    let (stack, squatter, mut authenticator) = start(&[]).await;
    let credential = squatter.credential(json!({})).await;
    let mut owner = squatter.elsewhere();
    let creation = async {
        squatter.clone().with_passkey().await;
    };
    let body = json!({"credential": credential}).to_string();
    let login = held_up(&stack, 1, owner.json(paths::GOOGLE_LOGIN, body), creation).await;
    assert_eq!(login.status, 200, "{login:?}");
    assert_eq!(passkey_items(&stack).await, 0, "created before the hand-over is written");
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "the squatter");

    let mut squatter = stack.service.visitor().signed_in().await;
    let mut authenticator = squatter.authenticator(Algorithm::Es256).await;
    let answer = authenticator.create(&squatter.passkey_options().await).json();
    let mut owner = squatter.elsewhere();
    let hand_over = async { assert_eq!(owner.google(json!({})).await.status, 200) };
    let created = held_up(&stack, 2, squatter.register_passkey(&answer), hand_over).await;
    assert_eq!(created.status, 401, "{created:?}");
    assert_eq!(passkey_items(&stack).await, 0, "written after the hand-over");
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "the squatter");
}

#[tokio::test]
async fn a_link_to_google_keeps_the_passkeys_of_a_verified_address() {
    let (stack, mut ana, mut authenticator) = start(&[]).await;
    ana.prove_address().await;
    assert_eq!(ana.elsewhere().google(json!({})).await.status, 200);
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, LOGGED_IN, "login");
}

/// Somebody registers the address of another person and creates passkeys. The owner's reset is the first proof of the
/// address, so nothing from before it opens the account.
#[tokio::test]
async fn the_first_proof_of_an_address_by_a_reset_hands_the_account_over() {
    let (stack, mut squatter, mut authenticator) = start(&[]).await;
    squatter.with_passkey().await;
    assert_eq!(squatter.json(paths::RECEIVE_DATA, r#"{"de":"antes"}"#).await.success(), true);
    stack.advance(Duration::from_secs(2));
    let verification = squatter.verification_token().await;
    let mut owner = squatter.elsewhere();
    owner.reset_to("Otra1234").await;
    assert!(stack.deliver_changes().await);
    let letter = owner.first_letter("Tu contraseña ha cambiado").await;
    for said in ["También se han quitado las llaves de acceso", "primera vez que alguien confirma"] {
        assert!(letter["text"].as_str().unwrap().contains(said), "{letter}");
    }
    assert_eq!(squatter.session().await.status, 401, "the sessions from before the reset");
    assert_says(&owner.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "the first password");
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "a passkey");
    assert_says(&squatter.verify(&verification).await, INVALID_TOKEN, "the link from before");
    assert_eq!(passkey_items(&stack).await, 0);

    assert_says(&owner.login("Otra1234").await, LOGGED_IN, "the new password");
    assert_eq!(owner.json(paths::RECEIVE_DATA, r#"{"de":"despues"}"#).await.success(), true);
    let export = owner.form(paths::EXPORT_ACCOUNT, &[]).await.json();
    let marks: Vec<_> = export["entries"].as_array().unwrap().iter().map(|entry| &entry["before_proof"]).collect();
    assert_eq!(marks, [&json!(true), &json!(null)], "{export}");
}

#[tokio::test]
async fn a_reset_of_a_proved_address_keeps_the_passkeys_unless_the_owner_wants_them_removed() {
    let (stack, mut ana, mut authenticator) = start(&[]).await;
    ana.prove_address().await;
    assert_eq!(ana.json(paths::RECEIVE_DATA, r#"{"de":"antes"}"#).await.success(), true);
    stack.advance(Duration::from_secs(2));
    let mut other = ana.elsewhere();
    let token = other.reset_token().await;
    let wrong = other.reset_with(&token, "Otra1234", "quitar").await;
    assert_says(&wrong, INVALID_PARAMETERS, "another word");
    assert_says(&other.reset(&token, "Otra1234").await, RESET, "kept");
    assert!(stack.deliver_changes().await);
    let letter = ana.first_letter("Tu contraseña ha cambiado").await;
    assert!(letter["text"].as_str().unwrap().contains("tiene una llave de acceso, que sigue funcionando"), "{letter}");
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, LOGGED_IN, "kept");
    other.login("Otra1234").await;
    let export = other.form(paths::EXPORT_ACCOUNT, &[]).await.json();
    assert_eq!(export["entries"][0]["before_proof"], json!(null), "{export}");

    let token = other.reset_token().await;
    assert_says(&other.reset_with(&token, "Otra5678", "remove").await, RESET, "removed");
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "removed");
    assert_eq!(passkey_items(&stack).await, 0);
}

#[tokio::test]
async fn the_owner_is_notified_of_a_new_passkey_and_of_a_removed_one() {
    let (stack, mut ana, _) = start(&[]).await;
    assert!(stack.deliver_changes().await);
    ana.first_letter("Tu cuenta tiene una llave de acceso nueva").await;
    let id = ana.first_passkey().await;
    ana.delete_passkey(&id).await;
    assert!(stack.deliver_changes().await);
    ana.first_letter("Se ha eliminado una llave de acceso").await;
    let mails = stack.service.mails(&ana.email).await;
    assert_eq!(mails.len(), 2, "{mails:?}");
    assert!(mails.iter().all(|mail| !mail.to_string().contains("Mi portátil")), "the name is in a letter");
}

#[tokio::test]
async fn a_new_password_from_the_settings_keeps_the_passkeys() {
    let (stack, mut ana, mut authenticator) = start(&[]).await;
    assert_eq!(ana.set_password("Otra1234").await.success(), true);
    assert_eq!(ana.passkeys().await.len(), 1);
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, LOGGED_IN, "login");
    assert_says(&ana.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "the old password");
}

#[tokio::test]
async fn with_notices_off_an_owner_without_a_password_is_notified_that_a_link_removed_the_passkeys() {
    let (stack, ana, _) = start(&[("NOTICES", "off")]).await;
    // `accounts force-reset` leaves an account in this state.
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    rows::put(&stack, rows::with(&profile, "password", None)).await;
    assert_eq!(ana.elsewhere().google(json!({})).await.status, 200);
    assert!(stack.deliver_changes().await);
    let letters = stack.service.mails(&ana.email).await;
    assert_eq!(letters.len(), 1);
    let text = letters[0]["text"].as_str().unwrap();
    assert!(text.contains("hemos eliminado las llaves de acceso que tenía"), "{text}");
    assert!(!text.contains("no tienes que hacer nada"), "{text}");
}
