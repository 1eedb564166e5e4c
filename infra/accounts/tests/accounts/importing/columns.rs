//! Columns that a command names, and columns that it should have named.

use journeys::{Embedded, paths};
use serde_json::{Value, json};

use super::files::{PASSWORD, TempFile, user, user_with};
use super::{counts, registered_after_an_import};
use crate::{Ended, Program, table};

/// Runs an import of one user with `email_verified_at` in place of `email_verified`.
async fn import(program: &Program, format: &str, options: &[&str]) -> Ended {
    let mut row = user(1);
    row["email_verified_at"] = json!("2020-02-29 12:00:00");
    row.as_object_mut().unwrap().shift_remove("email_verified");
    let file = if format == "csv" {
        let (names, values): (Vec<_>, Vec<_>) = row.as_object().unwrap().iter().unzip();
        let values: Vec<String> = values.iter().map(|value| value.to_string().trim_matches('"').to_owned()).collect();
        let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        TempFile::with("csv", format!("{}\n{}\n", names.join(","), values.join(",")))
    } else {
        TempFile::of(&[row])
    };
    program.run(&[&["import", file.path()], options].concat()).await
}

#[tokio::test]
async fn a_column_that_the_command_names_and_the_file_lacks_ends_it_with_the_columns_that_exist() {
    let stack = Embedded::start(&[]).await;
    let (program, before) = (Program::of(&stack), table(&stack).await);
    let avatars = TempFile::with("csv", "http://old.example/1.png,01\n");
    for format in ["ndjson", "csv"] {
        for (options, lacking) in [
            (&["--proved", "email_verified"][..], "email_verified, which --proved names"),
            (&["--proved", "all", "--map", "name=fullname"], "fullname, which --map names"),
            (&["--proved", "all", "--map", "disabled_at=banned"], "banned, which --map names"),
            (&["--proved", "all", "--map", "id=uid"], "uid, which --map names"),
            (&["--proved", "all", "--salt", "first"], "salt, which --salt needs"),
            (&["--proved", "all", "--map", "url_image=photo", "--avatar-map", avatars.path()], "photo, which --map"),
        ] {
            for dry in [&["--dry-run"][..], &[]] {
                let ended = import(&program, format, &[options, dry].concat()).await;
                assert!(ended.code == 3 && ended.out.is_empty(), "{ended:?}");
                assert!(ended.err.contains(&format!("no column {lacking}")), "{ended:?}");
                assert!(ended.err.contains("accept_news, password, created_at, email_verified_at"), "{ended:?}");
            }
        }
        let ended =
            import(&program, format, &["--proved", "email_verified_at", "--map", "email=email", "--dry-run"]).await;
        assert_eq!((ended.code, ended.count("created"), ended.count("unproved")), (0, 1, 0), "{ended:?}");
    }
    assert_eq!(table(&stack).await, before);
}

#[tokio::test]
async fn a_command_that_names_two_columns_for_a_field_is_wrong_and_one_column_may_hold_two_fields() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    for options in [
        &["--proved", "email_verified_at", "--map", "email_verified=accept_news"][..],
        &["--proved", "all", "--map", "email_verified=accept_news"],
        &["--proved", "all", "--map", "name=email", "--map", "name=id"],
    ] {
        let ended = import(&program, "ndjson", options).await;
        assert!(ended.code == 3 && ended.err.contains("names two"), "{ended:?}");
    }
    for format in ["csv", "ndjson"] {
        let ended = import(&program, format, &["--proved", "accept_news", "--map", "name=email"]).await;
        assert_eq!((ended.code, ended.count("rows"), ended.count("unproved")), (0, 1, 0), "{ended:?}");
    }
    let mut ana = stack.service.visitor();
    ana.email = "user1@example.com".to_owned();
    assert_eq!(ana.login(PASSWORD).await.user("name"), "user1@example.com");
}

#[tokio::test]
async fn a_banned_user_is_imported_disabled_whether_the_column_holds_a_flag_or_a_date() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let values = [json!(1), json!("1"), json!(true), json!("2024-05-01"), json!("2024-05-01 10:00:00")];
    let not = [json!(0), json!("0"), json!(false), Value::Null, json!("0000-00-00"), json!("0000-00-00 00:00:00")];
    let rows = |values: &[Value]| -> Vec<Value> {
        (1..).zip(values).map(|(id, value)| user_with(id, &json!({ "banned": value }))).collect()
    };
    let all = rows(&[&values[..], &not].concat());
    let file = TempFile::of(&all);
    let arguments = ["import", file.path(), "--proved", "all", "--map", "disabled_at=banned"];
    let ended = program.run(&arguments).await;
    assert_eq!((ended.code, ended.count("created"), ended.count("with_changes")), (0, 11, 0), "{ended:?}");
    for id in 1..=11 {
        let mut user = stack.service.visitor();
        user.email = format!("user{id}@example.com");
        assert_eq!(user.login(PASSWORD).await.success(), id > values.len(), "{id}");
    }
    let again = program.run(&arguments).await;
    assert_eq!((again.code, again.count("unchanged")), (0, 11), "{again:?}");
}

#[tokio::test]
async fn a_user_who_is_banned_between_two_imports_loses_the_session() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    // A login replaces any other hash, which is a change here.
    let mut eva = registered_after_an_import(&stack).await;
    let export = program.run(&["export", "--with-hashes", "-"]).await;
    let row = export.out.lines().find(|row| row.contains(&eva.email)).unwrap();
    let strong = serde_json::from_str::<Value>(row).unwrap()["password"].clone();
    eva.form(paths::DELETE_ACCOUNT, &[]).await;
    let row = |banned: u8| user_with(90, &json!({"password": strong, "banned": banned}));
    for banned in [0, 1] {
        let file = TempFile::of(&[row(banned)]);
        let ended = program.run(&["import", file.path(), "--proved", "all", "--map", "disabled_at=banned"]).await;
        assert_eq!(ended.count("created") + ended.count("updated"), 1, "{ended:?}");
        if banned == 0 {
            eva.email = "user90@example.com".to_owned();
            assert_eq!(eva.login(journeys::PASSWORD).await.success(), true);
        }
    }
    assert_eq!(eva.session().await.status, 401);
}

#[tokio::test]
async fn a_column_that_seems_to_name_banned_users_is_hinted_at() {
    let stack = Embedded::start(&[]).await;
    for (column, hinted) in [("is_banned", true), ("Bloqueado", true), ("active", true), ("phone", false)] {
        let file = TempFile::of(&[user_with(1, &json!({ column: 1 }))]);
        let ended = Program::of(&stack).run(&["import", file.path(), "--proved", "all", "--dry-run"]).await;
        assert_eq!(ended.code, 0, "{ended:?}");
        assert_eq!(ended.err.contains("disabled_at"), hinted, "{ended:?}");
        assert!(ended.err.contains(column), "{ended:?}");
    }
    let file = TempFile::of(&[user(1)]);
    let ended = Program::of(&stack).run(&["import", file.path(), "--proved", "all", "--dry-run"]).await;
    assert_eq!((counts(&ended)["created"].clone(), ended.notes().as_str()), (json!(1), ""));
}

#[tokio::test]
async fn consents_are_imported_with_their_times_and_exported_again() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let consents =
        json!({"terms_accepted_at": "2024-05-01 10:00:00", "terms_version": "3", "news_changed_at": "2024-06-01"});
    let rows = [user_with(1, &consents), user_with(2, &json!({"terms_accepted_at": "yes", "terms_version": "3\n4"}))];
    let file = TempFile::of(&rows);
    let ended = program.run(&["import", file.path(), "--proved", "all"]).await;
    assert_eq!((ended.code, ended.count("created"), ended.count("with_changes")), (0, 2, 1), "{ended:?}");
    let export = program.run(&["export", "-"]).await.out;
    let lines: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |id: u64| lines.iter().find(|line| line["id"] == id).unwrap();
    let time = |name: &str| of(1)[name].as_str().unwrap().replace('T', " ").replace('Z', "");
    assert_eq!([time("terms_accepted_at"), time("news_changed_at")], ["2024-05-01 10:00:00", "2024-06-01 00:00:00"]);
    assert_eq!(of(1)["terms_version"], "3");
    assert_eq!((&of(2)["terms_accepted_at"], &of(2)["terms_version"]), (&Value::Null, &Value::Null));
}
