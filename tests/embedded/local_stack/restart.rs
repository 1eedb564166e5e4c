//! The data that survives the end of a stack, and the conflicts of two stacks.

use std::path::PathBuf;
use std::sync::Arc;

use journeys::{Folder, Nowhere, PASSWORD, Service, paths};
use local::{Options, Stack};

fn start(options: &Options) -> Stack {
    Stack::start(options, &|_| ()).unwrap()
}

fn refusal(options: &Options) -> String {
    Stack::start(options, &|_| ()).err().unwrap().to_string()
}

#[tokio::test]
async fn accounts_and_sessions_survive_a_restart() {
    let folder = Folder::new("survive");
    let stack = start(&folder.options());
    let mut ana = Service::at(stack.base_url()).visitor().signed_in().await;
    let user = ana.session().await.json();
    stack.shutdown().await;
    let without_host = |mut user: serde_json::Value| {
        // The stack has another port after each start.
        let address = user["user"]["url_image"].take();
        (user, address.as_str().unwrap().split_once("/assets").unwrap().1.to_owned())
    };

    let stack = start(&folder.options());
    ana.service = Service::at(stack.base_url());
    assert_eq!(without_host(ana.session().await.json()), without_host(user.clone()));
    assert_eq!(ana.register().await.sentence().1, "El email ya está registrado");
    assert_eq!(ana.elsewhere().login(PASSWORD).await.success(), true);
    let eva = ana.service.visitor().signed_in().await;
    let id = eva.clone().session().await.user("id");
    assert!(id.as_u64() > user["user"]["id"].as_u64(), "no id is given twice");
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    stack.shutdown().await;

    let stack = start(&folder.options());
    ana.service = Service::at(stack.base_url());
    assert_eq!(ana.login(PASSWORD).await.success(), false);
}

#[tokio::test]
async fn confirmed_writes_survive_a_stack_that_is_dropped_without_a_shutdown() {
    let folder = Folder::new("dropped");
    let stack = start(&folder.options());
    let mut ana = Service::at(stack.base_url()).visitor().signed_in().await;
    drop(stack);
    let stack = loop {
        // The threads of the first stack may still be running.
        match Stack::start(&folder.options(), &|_| ()) {
            Ok(stack) => break stack,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    ana.service = Service::at(stack.base_url());
    assert_eq!(ana.session().await.status, 200);
}

#[tokio::test]
async fn a_session_is_live_in_every_stack_on_the_same_tables() {
    let quiet = || Options { log: Arc::new(Nowhere), ..Options::default() };
    let first = start(&quiet());
    let second = start(&Options { dynamodb_endpoint: Some(first.dynamodb_url().to_owned()), ..quiet() });
    let apart = start(&quiet());
    let mut ana = Service::at(first.base_url()).visitor().signed_in().await;
    ana.service = Service::at(second.base_url());
    assert_eq!(ana.session().await.status, 200);
    ana.service = Service::at(apart.base_url());
    assert_eq!(ana.session().await.status, 401);
}

#[tokio::test]
async fn a_folder_belongs_to_one_stack_at_a_time() {
    let folder = Folder::new("shared");
    let first = start(&folder.options());
    let refusal = refusal(&folder.options());
    assert!(refusal.contains(folder.0.to_str().unwrap()), "{refusal}");
    assert!(refusal.contains("used by another running stack") && refusal.contains("LOCAL_DATA"), "{refusal}");
    assert_eq!(Service::at(first.base_url()).visitor().register().await.success(), true);
}

#[tokio::test]
async fn the_error_for_a_folder_that_cannot_be_created_names_it() {
    let folder = Folder(PathBuf::from("/proc/no/such"));
    let refusal = refusal(&folder.options());
    assert!(refusal.contains("/proc/no/such") && refusal.contains("LOCAL_DATA"), "{refusal}");
}
