//! What databases and spreadsheets write that is not what it seems.

use journeys::Embedded;
use serde_json::{Value, json};

use super::files::{HASH, PASSWORD, TempFile, user_with};
use crate::{Ended, Program};

/// Imports a file, and gives the codes of the report too.
async fn import(stack: &Embedded, file: &TempFile, options: &[&str]) -> (Ended, Vec<String>) {
    let report = TempFile::new("ndjson");
    let arguments = ["import", file.path(), "--proved", "all", "--report", report.path()];
    let ended = Program::of(stack).run(&[&arguments[..], options].concat()).await;
    let text = report.text();
    let lines = text.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
    (ended, lines.map(|line| line["code"].as_str().unwrap().to_owned()).collect())
}

#[tokio::test]
async fn a_google_sub_that_may_have_been_rounded_is_refused_and_its_digits_are_kept() {
    let stack = Embedded::start(&[]).await;
    let rounded = [
        "110169484474386276334",
        "1.10169484474386e20",
        "9007199254740993",
        r#""1.10169E+20""#,
        r#""1,10169E+20""#,
        r#""110169484474386276334.0""#,
        r#""110169484474386000000""#,
    ];
    for (id, sub) in (1..).zip(rounded) {
        let row = user_with(id, &json!({"google_sub": "SUB"})).to_string().replace(r#""SUB""#, sub);
        let file = TempFile::with("ndjson", row + "\n");
        let (ended, codes) = import(&stack, &file, &[]).await;
        assert_eq!((ended.code, ended.count("created")), (2, 0), "{sub}: {ended:?}");
        assert!(["identity-rounded", "row-unreadable"].contains(&&*codes[0]), "{sub}: {codes:?}");
    }
    let row = "id,email,google_sub\n9,a@example.com,110169484474386276334\n8,b@example.com,1.10169E+20\n";
    let (ended, codes) = import(&stack, &TempFile::with("csv", row), &[]).await;
    assert_eq!((ended.count("created"), codes[0].as_str()), (1, "identity-rounded"), "{ended:?}");
    let found = Program::of(&stack).run(&["find", "google:110169484474386276334"]).await;
    assert_eq!((found.code, found.json()["id"].clone()), (0, json!(9)));
}

#[tokio::test]
async fn the_word_null_of_an_sql_client_is_no_value_in_any_column() {
    let stack = Embedded::start(&[]).await;
    let null = "NULL,NULL,NULL,NULL,NULL,NULL,NULL";
    let rows = format!(
        "id,email,name,salt,google_sub,created_at,disabled_at,password,url_image\n1,a@example.com,{null}\n2,b@example.com,{null}\n3,c@example.com,Null,\\N,null,,,f85a3240fd9c55b12427db31f9c453e2,NULL\n"
    );
    let (ended, codes) = import(&stack, &TempFile::with("csv", rows), &[]).await;
    assert_eq!((ended.code, ended.count("created"), ended.count("without_password")), (0, 3, 2), "{ended:?} {codes:?}");
    for (id, name) in [(1, "a"), (3, "Null")] {
        let found = Program::of(&stack).run(&["find", &id.to_string()]).await.json();
        assert_eq!((found["name"].clone(), found["google_sub"].clone()), (json!(name), Value::Null));
    }
    let mut user = stack.service.visitor();
    user.email = "c@example.com".to_owned();
    assert_eq!(user.login(PASSWORD).await.success(), true);
}

#[tokio::test]
async fn a_backslash_in_csv_is_read_only_when_the_command_says_what_it_means() {
    let stack = Embedded::start(&[]).await;
    let text = format!("id,email,name,password\n1,a@example.com,\"Ana \\\"la\\\" C:\\\\D\",{HASH}\n");
    let file = TempFile::with("csv", text);
    let (ended, codes) = import(&stack, &file, &[]).await;
    assert_eq!((ended.code, codes), (2, vec!["backslash-unclear".to_owned()]), "{ended:?}");
    let (ended, _) = import(&stack, &file, &["--csv-backslash", "escape"]).await;
    assert_eq!(ended.count("created"), 1, "{ended:?}");
    let found = Program::of(&stack).run(&["find", "1"]).await.json();
    assert_eq!(found["name"], r#"Ana "la" C:\D"#);
    let plain = TempFile::with("csv", "id,email,name\n2,b@example.com,C:\\D\n3,c@example.com,\"E\\\"\n");
    let (ended, _) = import(&stack, &plain, &["--csv-backslash", "text"]).await;
    assert_eq!(ended.count("created"), 2, "{ended:?}");
    assert_eq!(Program::of(&stack).run(&["find", "2"]).await.json()["name"], r"C:\D");
}
