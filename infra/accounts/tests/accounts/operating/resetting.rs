//! `accounts force-reset` for many accounts: all, or those of a file, with a mail to each owner.

use std::fs;
use std::path::PathBuf;

use journeys::sentences::{LOGGED_IN, WRONG_CREDENTIALS, assert_says};
use journeys::{Embedded, Failure, PASSWORD, Visitor, rows};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{OTHER, change, start};
use crate::Ended;
use crate::support::{accounts_with, text};

const SUBJECT: &str = "Elige otra contraseña";

/// A stack, and a folder for the files of the command.
struct Scene {
    stack: Embedded,
    folder: TempDir,
}

impl Scene {
    fn of(stack: Embedded) -> Self {
        Self { stack, folder: tempfile::tempdir().unwrap() }
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("journal.ndjson")
    }

    /// Runs the command with the journal. Its mails go through the stack's proxy.
    async fn reset(&self, more: &[&str]) -> Ended {
        let journal = self.journal();
        let own = ["force-reset", "--journal", journal.to_str().unwrap(), "--rate", "1000"];
        self.run(&[&own, more].concat()).await
    }

    async fn run(&self, arguments: &[&str]) -> Ended {
        let variables = [("LOCAL_DATA", "memory"), ("AWS_ENDPOINT_URL_SESV2", &self.stack.mail.url())];
        let reason = ["--reason", "leaked hashes"];
        accounts_with(&self.stack, &variables, &[&["--local", "--json"], arguments, &reason].concat()).await
    }

    /// How many mails of the command an address has got.
    async fn mails(&self, visitor: &Visitor) -> usize {
        let mails = self.stack.service.mails(&visitor.email).await;
        mails.iter().filter(|mail| text(mail, "subject") == SUBJECT).count()
    }
}

/// A summary with these counts; all others are 0.
#[expect(clippy::needless_pass_by_value, reason = "each caller makes the counts in the call")]
fn summary(counts: Value) -> Value {
    let mut all = json!({
        "dry_run": false, "reset": 0, "mailed": 0, "mails_failed": 0, "done_before": 0, "changed_meanwhile": 0, "not_found": 0,
    });
    all.as_object_mut().unwrap().extend(counts.as_object().unwrap().clone());
    all
}

async fn has_password(stack: &Embedded, visitor: &Visitor) -> bool {
    rows::profile(stack, &visitor.email).await.unwrap().contains_key("password")
}

fn rejected() -> Failure {
    Failure::Answer(400, json!({"__type": "MessageRejected", "message": "no"}).to_string())
}

#[tokio::test]
async fn a_reset_of_all_accounts_leaves_each_owner_a_link_and_is_not_repeated() {
    let (stack, mut ana) = start().await;
    let eva = stack.service.visitor().signed_in().await;
    let mut gus = stack.service.visitor();
    assert_eq!(gus.google(json!({})).await.json()["status"], "inserted");
    let dora = stack.service.visitor().registered().await;
    assert_eq!(change(&stack, &["disable", &dora.email]).await.code, 0);
    let scene = Scene::of(stack);
    let stack = &scene.stack;

    let dry = scene.reset(&["--all", "--mail", "--dry-run"]).await;
    assert_eq!((dry.code, dry.json()), (0, summary(json!({"dry_run": true, "reset": 3, "mailed": 2}))), "{dry:?}");
    assert!(has_password(stack, &ana).await && !scene.journal().exists());
    assert_eq!(scene.reset(&["--all", "--mail"]).await.code, 3, "without a terminal nobody is asked");
    let done = scene.reset(&["--all", "--mail", "--yes"]).await;
    assert_eq!((done.code, done.json()), (0, summary(json!({"reset": 3, "mailed": 2}))), "{done:?}");
    let trail = done.trail();
    assert_eq!(trail, [["password-removed intended"; 3], ["password-removed done"; 3]].concat());

    for (visitor, mails) in [(&ana, 1), (&eva, 1), (&dora, 0), (&gus, 0)] {
        assert_eq!(scene.mails(visitor).await, mails, "{}", visitor.email);
    }
    for visitor in [&ana, &eva] {
        assert_eq!(visitor.clone().session().await.status, 401);
        assert_says(&visitor.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "login");
    }
    assert_eq!(gus.session().await.status, 200, "an account without a password");
    let token = ana.mailed_tokens().await.remove(0);
    assert_eq!(ana.reset(&token, OTHER).await.success(), true);

    let again = scene.reset(&["--all", "--mail", "--yes"]).await;
    assert_eq!((again.code, again.json()), (0, summary(json!({"done_before": 3}))), "{again:?}");
    assert_says(&ana.elsewhere().login(OTHER).await, LOGGED_IN, "the new password");
    assert_eq!((scene.mails(&ana).await, scene.mails(&eva).await), (1, 1));
}

#[tokio::test]
async fn a_reset_of_listed_accounts_leaves_all_others() {
    let (stack, ana) = start().await;
    let eva = stack.service.visitor().signed_in().await;
    let ivo = stack.service.visitor().signed_in().await;
    let scene = Scene::of(stack);
    let id = super::restored::id(&eva).await;
    let file = scene.folder.path().join("ids.txt");
    fs::write(&file, format!("{}\n\n {id} \n{id}\nnobody@example.com\n", ana.email)).unwrap();
    let from = ["--from", file.to_str().unwrap()];
    let done = scene.reset(&[&from[..], &["--yes"]].concat()).await;
    assert_eq!((done.code, done.json()), (0, summary(json!({"reset": 2, "not_found": 1}))), "{done:?}");
    assert!(done.notes().contains("there is no account nobody@example.com"), "{done:?}");
    assert_eq!((scene.mails(&ana).await, scene.mails(&eva).await), (0, 0), "without --mail");
    assert_eq!(ivo.clone().session().await.status, 200);
    let mailed = scene.reset(&[&from[..], &["--mail", "--yes"]].concat()).await;
    assert_eq!(mailed.json(), summary(json!({"mailed": 2, "not_found": 1})), "{mailed:?}");
    assert_eq!((scene.mails(&ana).await, scene.mails(&eva).await, scene.mails(&ivo).await), (1, 1, 0));
}

#[tokio::test]
async fn a_mail_that_could_not_be_sent_is_sent_by_the_next_run_and_no_other_is() {
    let (stack, ana) = start().await;
    let eva = stack.service.visitor().signed_in().await;
    let scene = Scene::of(stack);
    scene.stack.mail.fail_call(0, rejected());
    let failed = scene.reset(&["--all", "--mail", "--yes"]).await;
    assert_eq!(failed.code, 1, "{failed:?}");
    assert_eq!(failed.json(), summary(json!({"reset": 2, "mailed": 1, "mails_failed": 1})), "{failed:?}");
    assert!(failed.err.contains("1 mails could not be sent") && failed.err.contains("Run the same command again"));
    let again = scene.reset(&["--all", "--mail", "--yes"]).await;
    assert_eq!((again.code, again.json()), (0, summary(json!({"mailed": 1, "done_before": 1}))), "{again:?}");
    for mut visitor in [ana, eva] {
        assert_eq!(scene.mails(&visitor).await, 1);
        let token = visitor.mailed_tokens().await.remove(0);
        assert_eq!(visitor.reset(&token, OTHER).await.success(), true);
    }
}

#[tokio::test]
async fn a_reset_stops_when_no_mail_can_be_sent_and_leaves_the_new_passwords_of_those_who_were_faster() {
    let (stack, mut ana) = start().await;
    let eva = stack.service.visitor().signed_in().await;
    let scene = Scene::of(stack);
    scene.stack.mail.fail_always(rejected());
    let failed = scene.reset(&["--all", "--mail", "--yes"]).await;
    assert!(failed.code == 1 && failed.err.contains("no mail of 2 could be sent"), "{failed:?}");
    scene.stack.mail.heal();
    let token = ana.reset_token().await;
    assert_eq!(ana.reset(&token, OTHER).await.success(), true);
    let again = scene.reset(&["--all", "--mail", "--yes"]).await;
    assert_eq!((again.code, again.json()), (0, summary(json!({"mailed": 1, "done_before": 1}))), "{again:?}");
    assert_says(&ana.elsewhere().login(OTHER).await, LOGGED_IN, "the new password");
    assert_eq!((scene.mails(&ana).await, scene.mails(&eva).await), (0, 1));
}

#[tokio::test]
async fn a_reset_that_the_table_interrupts_goes_on() {
    let (stack, ana) = start().await;
    let eva = stack.service.visitor().signed_in().await;
    let scene = Scene::of(stack);
    scene.stack.table.fail_call_of("UpdateItem", 1, Failure::Answer(400, "{}".to_owned()), true);
    let failed = scene.reset(&["--all", "--mail", "--yes"]).await;
    assert!(failed.code == 1 && failed.trail().contains(&"password-removed failed".to_owned()), "{failed:?}");
    scene.stack.table.heal();
    let again = scene.reset(&["--all", "--mail", "--yes"]).await;
    assert_eq!((again.code, again.json()), (0, summary(json!({"reset": 1, "mailed": 2}))), "{again:?}");
    assert_eq!((scene.mails(&ana).await, scene.mails(&eva).await), (1, 1));
}

#[tokio::test]
async fn a_reset_of_many_accounts_refuses_files_that_it_cannot_use_and_changes_nothing() {
    let (stack, ana) = start().await;
    let scene = Scene::of(stack);
    let file = scene.folder.path().join("ids.txt");
    fs::write(&file, "1\nnot an account\n").unwrap();
    let path = file.to_str().unwrap();
    for (arguments, code, said) in [
        (&["force-reset", "--all", "--yes"][..], 3, "--journal"),
        (&["force-reset", "--from", path, "--journal", "/nowhere/j", "--yes"], 3, "line 2"),
        (&["force-reset", "--from", "/nowhere/ids", "--journal", "/nowhere/j", "--yes"], 1, "cannot be read"),
        (&["force-reset", "--all", "--journal", path, "--yes"], 3, "not a journal's"),
        (&["force-reset", "--all", "--journal", "/nowhere/j", "--yes"], 1, "cannot be used"),
        (&["force-reset", "--yes"], 3, "<WHO>"),
        (&["force-reset", "1", "--all", "--yes"], 3, "cannot be used with"),
        (&["force-reset", "1", "--mail", "--yes"], 3, "cannot be used with"),
    ] {
        let refused = scene.run(arguments).await;
        assert!(refused.code == code && refused.err.contains(said), "{arguments:?}: {refused:?}");
    }
    assert!(has_password(&scene.stack, &ana).await);
    assert_eq!(ana.clone().session().await.status, 200);
}
