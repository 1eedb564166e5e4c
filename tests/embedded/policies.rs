//! What each function is allowed in `template.yaml` is what it does: nothing is missing when it is
//! deployed, and nothing is allowed for no use.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, PASSWORD, paths};
use serde_json::json;

use crate::rows;

const TEMPLATE: &str = include_str!("../../template.yaml");

/// The allowed actions by path, as the template's lines have them: a function's policies stand before
/// its route.
fn allowed() -> BTreeMap<&'static str, BTreeSet<String>> {
    let (mut allowed, mut actions) = (BTreeMap::new(), BTreeSet::new());
    for line in TEMPLATE.lines() {
        let words = line.split([' ', ',', '[', ']']);
        let named = words.filter_map(|word| word.strip_prefix("dynamodb:").or_else(|| word.strip_prefix("ses:")));
        actions.extend(named.filter(|name| name.bytes().all(|byte| byte.is_ascii_alphabetic())).map(str::to_owned));
        if let Some((_, route)) = line.split_once("Path: ") {
            allowed.insert(route.split(',').next().unwrap(), std::mem::take(&mut actions));
        }
    }
    allowed
}

/// Does all that the endpoint at this path can do, and gives the actions it took.
async fn all_of(stack: &Embedded, path: &'static str) -> BTreeSet<String> {
    let mut ana = stack.service.visitor();
    if path != paths::REGISTER {
        ana = ana.signed().await;
    }
    let token = if path == paths::RESET_PASSWORD { ana.reset_token().await } else { String::new() };
    if path == paths::LOGIN {
        let profile = rows::profile(stack, &ana.email).await.unwrap();
        let outdated = AttributeValue::S(rows::weak_hash(PASSWORD));
        rows::put(stack, rows::with(&profile, "password", Some(outdated))).await;
    }
    let email = ana.email.clone();
    drop((stack.table.actions(), stack.mail.actions()));
    match path {
        paths::REGISTER => drop(ana.register().await),
        paths::LOGIN => {
            assert_eq!(ana.login("Otra1234").await.success(), false);
            assert_eq!(ana.login(PASSWORD).await.success(), true);
        }
        paths::GOOGLE_LOGIN | paths::GOOGLE_REDIRECT => {
            let newcomer = stack.service.visitor().credential(json!({})).await;
            let linked = ana.credential(json!({"sub": "110"})).await;
            let moved = ana.credential(json!({"sub": "110", "email": "otra@example.com"})).await;
            for credential in [linked, moved, newcomer] {
                let answer = ana.json(path, json!({"credential": credential}).to_string()).await;
                assert_eq!(answer.status, 200, "{answer:?}");
            }
        }
        paths::SESSION => {
            stack.advance(Duration::from_mins(11));
            assert_eq!(ana.session().await.status, 200);
        }
        paths::USER_CONFIG => {
            let fields = [("name", "Ana"), ("password", "Otra1234"), ("confirm_password", "Otra1234")];
            assert_eq!(ana.form(path, &fields).await.success(), true);
            assert_eq!(ana.form(path, &fields[..1]).await.success(), true);
        }
        paths::SEND_RESET_LINK => assert_eq!(ana.form(path, &[("email", &email)]).await.success(), true),
        paths::RESET_PASSWORD => assert_eq!(ana.reset(&token, "Otra1234").await.success(), true),
        paths::RECEIVE_DATA => assert_eq!(ana.json(path, "{}").await.success(), true),
        _ => assert_eq!(ana.form(path, &[]).await.success(), true),
    }
    stack.table.actions().into_iter().chain(stack.mail.actions()).collect()
}

#[tokio::test]
async fn each_function_is_allowed_what_it_does_and_no_more() {
    let allowed = allowed();
    assert_eq!(allowed.len(), paths::ALL.len());
    for &path in paths::ALL {
        let stack = Embedded::start(&[("LOGIN_MAX_FAILURES", "9")]).await;
        assert_eq!(
            all_of(&stack, path).await,
            allowed[path],
            "{path}: what it did (left), what template.yaml allows (right)"
        );
    }
}
