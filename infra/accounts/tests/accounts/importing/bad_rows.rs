//! Rows and files that cannot be imported, each with its reason.

use std::fs;
use std::io::{Seek, SeekFrom, Write};

use journeys::Embedded;
use serde_json::{Value, json};

use super::files::{HASH, TempFile, user, user_with};
use crate::{Program, table};

const PHC: &str = "RnFldmIxeHN6TTdkdThCcg$u21kPoUjxwsn6l68k+zFkW+npk5Tn5ItbxHve2qobKQ";

/// Rows that are refused, and the codes of which one is expected.
fn refused() -> Vec<(Value, &'static [&'static str])> {
    let with = |changes: Value| user_with(1, &changes);
    let hash = |text: &str| with(json!({ "password": text }));
    vec![
        (with(json!({"id": null})), &["id-missing"]),
        (with(json!({"id": ""})), &["id-missing"]),
        (with(json!({"id": 0})), &["id-invalid"]),
        (with(json!({"id": -1})), &["id-invalid"]),
        (with(json!({"id": 1.5})), &["id-invalid"]),
        (with(json!({"id": "7a"})), &["id-invalid"]),
        (with(json!({"id": " 7"})), &["id-invalid"]),
        (with(json!({"id": 4_503_599_627_370_497_u64})), &["id-invalid"]),
        (with(json!({"id": "99999999999999999999999"})), &["id-invalid"]),
        (with(json!({"id": [1]})), &["row-unreadable"]),
        (with(json!({"email": null})), &["address-missing"]),
        (with(json!({"email": ""})), &["address-missing"]),
        (with(json!({"email": "  "})), &["address-invalid", "address-missing"]),
        (with(json!({"email": "ana"})), &["address-invalid"]),
        (with(json!({"email": "ana@example"})), &["address-invalid"]),
        (with(json!({"email": "ana@b@example.com"})), &["address-invalid"]),
        (with(json!({"email": "añá@example.com"})), &["address-invalid"]),
        (with(json!({"email": "ana@-exämple.com"})), &["address-invalid"]),
        (with(json!({"email": "\"ana b\"@example.com"})), &["address-invalid"]),
        (with(json!({"email": "ana@example.com, eva@example.com"})), &["address-invalid"]),
        (with(json!({"email": format!("{}@example.com", "a".repeat(65))})), &["address-invalid"]),
        (with(json!({"email": {"text": "ana@example.com"}})), &["row-unreadable"]),
        (with(json!({"google_sub": "1 2"})), &["identity-invalid"]),
        (with(json!({"google_sub": "ñ"})), &["identity-invalid"]),
        (with(json!({"google_sub": "1".repeat(256)})), &["identity-invalid"]),
        (with(json!({"email_verified": "yes"})), &["proved-invalid"]),
        (with(json!({"email_verified": 2})), &["proved-invalid"]),
        (hash("secret"), &["hash-unknown"]),
        (hash("$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/"), &["hash-unknown"]),
        (hash("rl.3StKT.4T8M"), &["hash-unknown"]),
        (hash("_J9..rasmBYk8r9AiWNc"), &["hash-unknown"]),
        (hash(&"a".repeat(64)), &["hash-unknown"]),
        (hash(&"g".repeat(32)), &["hash-unknown"]),
        (hash(&HASH.replace("$2y$", "$2x$")), &["hash-unknown"]),
        (hash(&HASH.replace("$2y$", "$2$")), &["hash-unknown"]),
        (hash(&format!(" {HASH}")), &["hash-unknown"]),
        (hash(&HASH[..59]), &["hash-broken"]),
        (hash(&format!("{HASH}x")), &["hash-broken"]),
        (hash(&HASH.replace("$04$", "$4$")), &["hash-broken"]),
        (hash(&HASH.replace("$04$", "$14$")), &["hash-too-expensive"]),
        (hash(&HASH.replace("$04$", "$31$")), &["hash-too-expensive"]),
        (hash(&format!("$argon2id$v=19$m=262144,t=4,p=1${PHC}")), &["hash-too-expensive"]),
        (hash(&format!("$argon2id$v=19$m=65536,t=9,p=1${PHC}")), &["hash-too-expensive"]),
        (hash(&format!("$argon2id$v=16$m=65536,t=4,p=1${PHC}")), &["hash-broken"]),
        (hash("$argon2id$v=19$m=65536,t=4,p=1$RnFldmIxeHN6TTdkdThCcg"), &["hash-broken"]),
        (hash(&format!("$argon2id$v=19$m=65536,t=0,p=1${PHC}")), &["hash-broken"]),
        (hash(&format!("$argon2id$v=19$m=8,t=1,p=2${PHC}")), &["hash-broken"]),
        (hash(&format!("$argon2i$v=19$m=7,t=1,p=1${PHC}")), &["hash-broken"]),
        (hash(&format!("$argon2d$v=19$m=65536,t=4,p=1${PHC}")), &["hash-unknown"]),
        (hash("$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L"), &["hash-broken"]),
        (hash("$P$ZIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0"), &["hash-too-expensive"]),
        (hash("$6$rounds=999999$salt$x"), &["hash-too-expensive"]),
        (hash("$wp$2y$10$short"), &["hash-broken"]),
        (with(json!({"password": "f85a3240fd9c55b12427db31f9c453e2", "salt": "s"})), &["salt-place-unknown"]),
        (with(json!({"disabled_at": "yes"})), &["disabled-at-invalid"]),
        (with(json!({"disabled_at": "31/12/2025"})), &["disabled-at-invalid"]),
        (with(json!({"generation": 0})), &["generation-invalid"]),
        (with(json!({"generation": "two"})), &["generation-invalid"]),
        (json!("a text"), &["row-unreadable"]),
        (json!([1, 2]), &["row-unreadable"]),
    ]
}

/// The codes of the refusals of a line, in a report.
fn codes(report: &TempFile, line: usize) -> Vec<String> {
    let lines = report.text();
    let lines = lines.lines().skip(1).map(|text| serde_json::from_str::<Value>(text).unwrap());
    let of_line = lines.filter(|entry| entry["line"] == line && entry["outcome"] == "refused");
    of_line.map(|entry| entry["code"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn every_bad_row_is_refused_with_its_line_and_reason_and_the_others_are_imported() {
    let stack = Embedded::start(&[]).await;
    let bad = refused();
    assert!(bad.len() >= 50);
    // Ids and addresses that repeat would be further reasons.
    let rows = bad.iter().enumerate().map(|(index, (row, _))| {
        let mut row = row.clone();
        if row["id"] == 1 {
            row["id"] = json!(1_000 + index);
        }
        if row["email"] == "user1@example.com" {
            row["email"] = json!(format!("bad{index}@example.com"));
        }
        row
    });
    let rows: Vec<Value> = rows.chain([user(2)]).collect();
    let (file, report) = (TempFile::of(&rows), TempFile::new("ndjson"));
    let arguments = ["import", file.path(), "--proved", "email_verified", "--report", report.path()];
    let ended = Program::of(&stack).run(&arguments).await;
    assert_eq!(ended.code, 2, "{ended:?}");
    for (index, (row, expected)) in bad.iter().enumerate() {
        let found = codes(&report, index + 1);
        assert!(found.len() == 1 && expected.contains(&&*found[0]), "{row}: {found:?}");
    }
    assert_eq!((ended.count("created"), ended.count("refused")), (1, bad.len() as u64));
}

#[tokio::test]
async fn rows_that_share_an_address_or_an_id_or_an_identity_are_all_refused() {
    let stack = Embedded::start(&[]).await;
    let rows = [
        user_with(1, &json!({"email": "ana@example.com"})),
        user_with(2, &json!({"email": " ANA@Example.com"})),
        user_with(3, &json!({"email": "three@example.com"})),
        user_with(3, &json!({"email": "four@example.com"})),
        user_with(5, &json!({"google_sub": "5"})),
        user_with(6, &json!({"google_sub": "5"})),
        user(7),
    ];
    let (file, report) = (TempFile::of(&rows), TempFile::new("ndjson"));
    let arguments = ["import", file.path(), "--proved", "all", "--report", report.path()];
    let ended = Program::of(&stack).run(&arguments).await;
    assert_eq!((ended.code, ended.count("created"), ended.count("refused")), (2, 1, 6));
    for (lines, code) in [([1, 2], "address-repeats"), ([3, 4], "id-repeats"), ([5, 6], "identity-repeats")] {
        assert!(lines.iter().all(|line| codes(&report, *line) == [code]), "{code}");
        let [one, other] = lines;
        let of_one =
            report.text().lines().find(|text| text.starts_with(&format!("{{\"line\":{one},"))).unwrap().to_owned();
        assert!(of_one.contains(&format!("\"other_line\":{other},")), "{of_one}");
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_an_error_before_anything_is_written() {
    let stack = Embedded::start(&[]).await;
    let before = table(&stack).await;
    let good = user(1).to_string();
    let latin1 = [good.as_bytes(), b"\n{\"id\":2,\"name\":\"\xd1and\xfa\"}\n"].concat();
    for (ending, bytes, reason) in [
        ("ndjson", Vec::new(), "no rows"),
        ("ndjson", b"\n\n".to_vec(), "no rows"),
        ("csv", b"id,email,name\n".to_vec(), "no rows"),
        ("ndjson", latin1, "line 2 is not UTF-8"),
        ("csv", b"id,email,name\n1,a@example.com,\xd1and\xfa\n".to_vec(), "is not UTF-8"),
        ("ndjson", format!("{good}\n{}", &good[..50]).into_bytes(), "ends in the middle of line 2"),
        ("csv", b"user_id,mail\n1,a@example.com\n".to_vec(), "no column holds the field id"),
        ("ndjson", format!("{good}\n{}\n", "x".repeat(2 << 20)).into_bytes(), "line 2 is longer"),
        ("csv", format!("id,email\n1,\"{}", "x\n".repeat(2 << 20)).into_bytes(), "line 2 is longer"),
        (
            "csv",
            b"id,email,name\n1,a@example.com,Ana\n2,b@exam".to_vec(),
            "ends in the middle of line 3 (it has 2 fields",
        ),
        ("csv", b"id,email,name\r\n1,a@example.com,Ana\r\n2".to_vec(), "ends in the middle of line 3 (it has 1 fields"),
        (
            "csv",
            b"id,email,name\n1,a@example.com,\"Ana".to_vec(),
            "ends in the middle of line 2 (a quote is not closed)",
        ),
        ("csv", b"id,email,name\n1,a@example.com,\"Ana\n".to_vec(), "ends in the middle of line 2 (a quote is not"),
        ("csv", b"id,email,name\n1,a@example.com,\"A\n2,b@example.com,\"\"".to_vec(), "ends in the middle of line 2"),
        ("csv", b"\xef\xbb\xbfid,email,name\n1,a@exa".to_vec(), "ends in the middle of line 2 (it has 2 fields"),
        ("csv", b"id,\"email".to_vec(), "ends in the middle of line 1"),
        ("csv", Vec::new(), "no column holds the field id"),
        ("txt", good.clone().into_bytes(), "--format"),
        (
            "ndjson",
            format!("[{good},\n{good}]\n").into_bytes(),
            "line 1 begins a JSON array: write each user on a line",
        ),
        ("ndjson", b"\n  [\n{\"type\":\"header\"},\n".to_vec(), "line 2 begins a JSON array"),
    ] {
        let file = TempFile::with(ending, bytes);
        let ended = Program::of(&stack).run(&["import", file.path(), "--proved", "all"]).await;
        assert!([1, 3].contains(&ended.code) && ended.err.contains(reason), "{reason}: {ended:?}");
    }
    assert_eq!(table(&stack).await, before);
}

/// Two gigabytes.
const FIELD_LENGTH: u64 = 2 << 30;

#[tokio::test]
async fn a_field_of_two_gigabytes_is_an_error_and_not_read_into_memory() {
    let stack = Embedded::start(&[]).await;
    for (ending, start) in [("ndjson", "{\"id\":1,\"email\":\""), ("csv", "id,email\n1,\"")] {
        let file = TempFile::with(ending, start);
        let mut sparse = fs::OpenOptions::new().write(true).open(file.path()).unwrap();
        sparse.seek(SeekFrom::Start(FIELD_LENGTH)).unwrap();
        sparse.write_all(b"\"}\n").unwrap();
        let import = ["import", file.path(), "--proved", "all"];
        let ended = Program::of(&stack).run_in_memory(FIELD_LENGTH / 1024, &import).await;
        assert!(ended.code == 1 && ended.err.contains("is longer than 1048576 bytes"), "{ended:?}");
    }
}

#[tokio::test]
async fn csv_is_imported_despite_a_byte_order_mark_and_renamed_and_unknown_columns() {
    let stack = Embedded::start(&[]).await;
    let text =
        format!("\u{feff}uid,mail,full_name,hash,phone\r\n9,eva@example.com,\"Ñandú, \"\"E\"\"\",{HASH},600\r\n");
    let file = TempFile::with("csv", text);
    let maps = ["--map", "id=uid", "--map", "email=mail", "--map", "name=full_name", "--map", "password=hash"];
    let arguments = [&["import", file.path(), "--proved", "none"][..], &maps].concat();
    let ended = Program::of(&stack).run(&arguments).await;
    assert_eq!((ended.code, ended.count("created"), ended.count("unproved")), (0, 1, 1), "{ended:?}");
    assert!(ended.err.contains("phone"), "{ended:?}");
    let mut eva = stack.service.visitor();
    eva.email = "eva@example.com".to_owned();
    assert_eq!(eva.login(super::files::PASSWORD).await.user("name"), "Ñandú, \"E\"");
}

#[tokio::test]
async fn an_object_on_several_lines_is_refused_with_what_to_do() {
    let stack = Embedded::start(&[]).await;
    let pretty = serde_json::to_string_pretty(&user(1)).unwrap();
    let file = TempFile::with("ndjson", format!("{pretty}\n{}\n", user(2)));
    let ended = Program::of(&stack).run(&["import", file.path(), "--proved", "all", "--dry-run"]).await;
    assert_eq!((ended.code, ended.count("created")), (2, 1), "{ended:?}");
    assert!(ended.err.contains("line 1: row-unreadable (the object does not end on its line: write each"), "{ended:?}");
}

#[tokio::test]
async fn csv_with_semicolons_or_tabs_is_imported() {
    let stack = Embedded::start(&[]).await;
    for (id, mark) in [(1, ";"), (2, "\t")] {
        let row = ["ID", "userID@example.com", "\"Ñandú, \"\"E\"\"\"", "600", "NULL"]
            .join(mark)
            .replace("ID", &id.to_string());
        let file = TempFile::with("csv", format!("{}\n{row}\n", ["id", "email", "name", "phone", "salt"].join(mark)));
        let ended = Program::of(&stack).run(&["import", file.path(), "--proved", "all"]).await;
        assert_eq!((ended.code, ended.count("created")), (0, 1), "{ended:?}");
        let found = Program::of(&stack).run(&["find", &id.to_string()]).await;
        assert_eq!(found.json()["name"], "Ñandú, \"E\"", "{found:?}");
    }
}

#[tokio::test]
async fn csv_without_a_last_line_end_is_imported_and_a_short_row_with_a_line_end_is_refused_alone() {
    let stack = Embedded::start(&[]).await;
    for (text, expected) in [
        ("id,email,name\n1,a@example.com,Ana\n2,b@example.com,\"Eva, \"\"B\"\"\n\"", (0, 2, 0)),
        ("id,email,name\n1,a@example.com\n3,c@example.com,5\" disc", (2, 1, 1)),
        ("id,email,name\n4,d@example.com,Luz\n5,e@example.com\n", (2, 1, 1)),
        ("id,email,name\r\n6,f@example.com,Luz\r\n7,g@example.com\r\n", (2, 1, 1)),
    ] {
        let file = TempFile::with("csv", text);
        let ended = Program::of(&stack).run(&["import", file.path(), "--proved", "all"]).await;
        assert_eq!((ended.code, ended.count("created"), ended.count("refused")), expected, "{text}: {ended:?}");
    }
}

#[tokio::test]
async fn the_reason_why_a_row_cannot_be_read_is_in_the_report_or_on_standard_error() {
    let stack = Embedded::start(&[]).await;
    let file = TempFile::with("csv", "id,email,name\n4,d@example.com,Luz\n5,e@example.com\n");
    let report = TempFile::new("ndjson");
    let arguments = ["import", file.path(), "--proved", "all", "--dry-run"];
    let shown = Program::of(&stack).run(&arguments).await.err;
    Program::of(&stack).run(&[&arguments[..], &["--report", report.path()]].concat()).await;
    for text in [shown, report.text()] {
        assert!(text.contains("row-unreadable") && text.contains("the row has 2 fields, and the header 3"), "{text}");
    }
}

#[tokio::test]
async fn without_a_report_the_first_refused_rows_are_named_on_standard_error() {
    let stack = Embedded::start(&[]).await;
    let rows: Vec<Value> = (1..=13).map(|id| user_with(id, &json!({"email": "nobody"}))).collect();
    let (file, report) = (TempFile::of(&rows), TempFile::new("ndjson"));
    let arguments = ["import", file.path(), "--proved", "all"];
    for dry in [&["--dry-run"][..], &[]] {
        let ended = Program::of(&stack).run(&[&arguments[..], dry].concat()).await;
        assert_eq!(ended.err.matches(": address-invalid: correct the address").count(), 10, "{ended:?}");
        let notes = ended.notes();
        assert!(notes.starts_with("line 1: ") && notes.contains("\nline 10: "), "{ended:?}");
        assert!(notes.ends_with("and 3 more: --report FILE lists all\n"), "{ended:?}");
    }
    let ended = Program::of(&stack).run(&[&arguments[..], &["--report", report.path()]].concat()).await;
    assert_eq!((ended.code, ended.notes().as_str()), (2, ""), "the report names them");
}

#[tokio::test]
async fn wrong_usage_exits_with_code_3_and_prints_an_error() {
    let stack = Embedded::start(&[]).await;
    let (program, file) = (Program::of(&stack), TempFile::of(&[user(1)]));
    for arguments in [
        &["import", file.path()][..],
        &["import"],
        &["import", file.path(), "--proved", "all", "--map", "age=x"],
        &["import", file.path(), "--proved", "all", "--rate", "0"],
        &["import", file.path(), "--proved", "all", "--stack", "cuentas"],
        &["unknown"],
    ] {
        let ended = program.run(arguments).await;
        assert!(ended.code == 3 && !ended.err.is_empty() && ended.out.is_empty(), "{ended:?}");
    }
}
