//! The settings of the cookie, the avatars and the mails, and the ranges of whole numbers. The other tests of the limit
//! of failed logins are in `attacks/attempts.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, FRONT_END, PASSWORD, Visitor, paths, rows};
use local::Template;
use serde_json::json;
use shared::Setup;
use shared::system::clock::SystemClock;
use shared::system::random::SystemRandom;

#[tokio::test]
async fn behind_https_the_cookie_is_bound_to_its_host() {
    let (_stack, mut ana) = Embedded::registered(&[("COOKIE_SECURE", "true")]).await;
    let line = ana.login(PASSWORD).await.set_cookies().pop().unwrap();
    let (pair, attributes) = line.split_once(';').unwrap();
    assert!(pair.starts_with("__Host-session="), "{line}");
    assert_eq!(attributes, " HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=604800");
    assert_eq!(ana.session().await.status, 200);
    let mut plain = ana.elsewhere();
    plain.cookie = Some(pair.replace("__Host-", ""));
    assert_eq!(plain.session().await.status, 401, "the name without the prefix is another cookie");
    let ending = ana.form(paths::LOGOUT, &[]).await.set_cookies().pop().unwrap();
    assert_eq!(ending, "__Host-session=; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=0");
}

#[tokio::test]
async fn the_avatars_may_be_on_another_host() {
    let (_stack, mut ana) = Embedded::signed_in(&[("AVATAR_BASE_URL", "https://cdn.example/static")]).await;
    let address = |name: &str| format!("https://cdn.example/static/assets/avatars/{name}.jpeg");
    assert_eq!(ana.session().await.user("url_image"), address("default"));
    let third = address("03");
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana"), ("avatar", &third)]).await.success(), true);
    assert_eq!(ana.session().await.user("url_image"), third);
    let elsewhere = format!("{FRONT_END}/assets/avatars/03.jpeg");
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana"), ("avatar", &elsewhere)]).await.status, 400);
}

#[tokio::test]
async fn an_avatar_that_was_chosen_before_the_front_end_moved_is_shown_at_the_new_host_and_another_can_be_chosen() {
    let (stack, mut ana) = Embedded::signed_in(&[("FRONT_END_URL", "https://new.example")]).await;
    let mut key = ana.with_passkey().await;
    let address = |host: &str, name: &str| format!("https://{host}.example/assets/avatars/{name}.jpeg");
    for stored in [address("old", "03"), address("new", "03"), "03".to_owned()] {
        let row = rows::profile(&stack, &ana.email).await.unwrap();
        rows::put(&stack, rows::with(&row, "url_image", Some(AttributeValue::S(stored.clone())))).await;
        let answers = [ana.session().await, ana.login(PASSWORD).await, ana.passkey_login(&mut key).await];
        for answer in answers {
            assert_eq!(answer.user("url_image"), address("new", "03"), "{stored}: {answer:?}");
        }
        let exported = ana.form(paths::EXPORT_ACCOUNT, &[]).await.json();
        assert_eq!(exported["account"]["url_image"], address("new", "03"), "{stored}");
        let mut choose =
            async |avatar: &str| ana.form(paths::USER_CONFIG, &[("name", "Ana"), ("avatar", avatar)]).await;
        assert_eq!(choose(&address("old", "05")).await.status, 400);
        assert_eq!(choose(&address("new", "05")).await.success(), true);
        assert_eq!(ana.session().await.user("url_image"), address("new", "05"));
        let row = rows::profile(&stack, &ana.email).await.unwrap();
        assert_eq!(rows::text(&row, "url_image"), "05", "the row has the name");
    }
}

/// Makes the functions send a reset link, a verification link, and the notice of a link to Google.
async fn send_three_mails(stack: &Embedded) -> Visitor {
    let mut ana = stack.service.visitor().registered().await;
    ana.reset_token().await;
    ana.verification_token().await;
    assert_eq!(ana.google(json!({})).await.json()["status"], "exists");
    assert!(stack.deliver_changes().await);
    ana
}

#[tokio::test]
async fn every_mail_is_sent_with_the_configuration_set_of_the_settings() {
    let stack = Embedded::start(&[("MAIL_CONFIGURATION_SET", "cuentas")]).await;
    drop(stack.mail.bodies());
    send_three_mails(&stack).await;
    let mails = stack.mail.bodies();
    let sets: Vec<_> = mails.iter().map(|(_, mail)| &mail["ConfigurationSetName"]).collect();
    assert_eq!(sets, ["cuentas"; 3]);
}

#[tokio::test]
async fn every_mail_has_the_name_of_the_product_in_its_sender_and_its_text() {
    for (name, sender) in
        [("Finanzas", "Finanzas"), ("Mis cuentas", "\"Mis cuentas\""), ("Céntimo", "=?utf-8?b?Q8OpbnRpbW8=?=")]
    {
        let stack = Embedded::start(&[("PRODUCT_NAME", name)]).await;
        let mails = stack.service.mails(&send_three_mails(&stack).await.email).await;
        assert_eq!(mails.len(), 3);
        for mail in mails {
            assert_eq!(mail["from"], format!("{sender} <cuentas@example.com>"));
            for half in ["text", "html"] {
                assert!(mail[half].as_str().unwrap().contains(&format!("Correo automático de {name}, ")), "{mail}");
            }
        }
    }
}

/// The settings that are whole numbers, each with a function that reads it, its lowest value and its highest.
const NUMBERS: [(&str, &str, i64, i64); 9] = [
    ("CAPTCHA_COST", "Captcha", 1, 100_000),
    ("LOGIN_MAX_FAILURES", "Login", 0, 1000),
    ("LOGIN_FAILURE_WINDOW_SECONDS", "Login", 1, 86_400),
    ("CONFIRM_SECONDS", "CloseSession", 0, 86_400),
    ("MAILS_PER_DAY", "Notices", 1, 1000),
    ("RESET_COOLDOWN_SECONDS", "SendResetLink", 0, 86_400),
    ("RESET_TOKEN_SECONDS", "ResetPassword", 60, 86_400),
    ("SESSION_ABSOLUTE_SECONDS", "Session", 60, 31_536_000),
    ("SESSION_IDLE_SECONDS", "Session", 60, 31_536_000),
];

/// The parameters without a default, and what else the template refers to.
const GIVEN: [(&str, &str); 5] = [
    ("AWS::StackName", "accounts"),
    ("DeadLetters", "http://localhost:9/dead-letters"),
    ("FrontEndUrl", FRONT_END),
    ("GoogleClientIds", "client"),
    ("MailFrom", "cuentas@example.com"),
];

#[tokio::test]
async fn the_template_alone_has_the_default_of_every_setting_of_a_function() {
    let template = Template::of_this_project().unwrap();
    let mut needed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for function in template.functions() {
        let name = &function.logical_id;
        // The function reads the secret only if the service is its own captcha provider.
        let own = [("CaptchaProvider", "altcha"), ("CaptchaSecretArn", "arn")];
        let own = own.into_iter().filter(|_| name == "Captcha");
        let environment = template.environment(function, &GIVEN.into_iter().chain(own).collect::<Vec<_>>()).unwrap();
        let start = |environment| {
            local::start_function(name, &Setup::new(environment, Arc::new(SystemClock), Arc::new(SystemRandom))).err()
        };
        let all_missing = start(BTreeMap::new()).unwrap();
        assert_eq!(start(environment.clone()), None, "{name}");
        for variable in environment.keys() {
            let mut without = environment.clone();
            without.remove(variable);
            let Some(error) = start(without) else { continue };
            assert!(error.faults().contains(&format!("{variable} is missing")), "{name}: {error}");
            let depends = (name.as_str(), variable.as_str()) == ("Captcha", "CAPTCHA_SECRET_ARN");
            let together = all_missing.faults().contains(&format!("{variable} is missing"));
            assert!(together || depends, "{name}, {variable}: {all_missing}");
            needed.entry(variable.clone()).or_default().insert(name.clone());
        }
    }
    // What `Globals` sets for all functions, some need.
    for function in template.functions() {
        for variable in function.environment.keys() {
            let by = needed.get(variable).unwrap_or_else(|| panic!("no function needs {variable}"));
            let is_global = template.functions().iter().all(|other| other.environment.contains_key(variable));
            assert!(is_global || by.contains(&function.logical_id), "{} does not need {variable}", function.logical_id);
        }
    }
}

#[tokio::test]
async fn a_number_outside_its_range_is_refused_at_start() {
    let stack = Embedded::start(&[]).await;
    for (name, function, lowest, highest) in NUMBERS {
        for (number, is_accepted) in [(lowest - 1, false), (lowest, true), (highest, true), (highest + 1, false)] {
            let started = local::start_function(function, &stack.setup(&[(name, &number.to_string())]));
            let faults = started.err().map(|error| error.faults().join("\n")).unwrap_or_default();
            assert_eq!(faults.is_empty(), is_accepted, "{name}={number}: {faults}");
            assert!(is_accepted || faults.starts_with(name), "{name}={number}: {faults}");
        }
    }
}
