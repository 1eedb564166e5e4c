//! The forms of the calls to the tables: what a call says, without its values. `make engine-forms` records them for the
//! comparison of engines (`docs/engine.md`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, create_dir_all, read_to_string};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{env, process};

use serde_json::{Value, json};

use crate::generated::path;

/// The types of values.
const TYPES: [&str; 10] = ["B", "BOOL", "BS", "L", "M", "N", "NS", "NULL", "S", "SS"];

/// A call without its values: each is replaced by its type, and neighbours that are then equal are one.
fn form(call: &Value) -> Value {
    match call {
        Value::Object(members) => {
            let mut names = members.keys().filter(|name| TYPES.contains(&name.as_str()));
            if let (1, Some(kind)) = (members.len(), names.next()) {
                return json!(kind);
            }
            let hidden = |name: &str, value: &Value| if name == "ClientRequestToken" { json!("") } else { form(value) };
            // The SDK writes the members of a map in any order.
            let sorted: BTreeMap<_, _> =
                members.iter().map(|(name, value)| (name.clone(), hidden(name, value))).collect();
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(values) => {
            let mut forms: Vec<Value> = values.iter().map(form).collect();
            forms.dedup();
            Value::Array(forms)
        }
        Value::Number(_) => json!(0),
        other => other.clone(),
    }
}

fn line(operation: &str, call: &Value) -> String {
    json!([operation, form(call)]).to_string()
}

/// Those of these calls that the comparison of engines does not have, as lines of its file.
pub fn unrecorded<'c>(calls: impl IntoIterator<Item = &'c (String, Value)>) -> BTreeSet<String> {
    let recorded = read_to_string(path("infra/engine/forms.jsonl")).unwrap_or_default();
    let recorded: BTreeSet<&str> = recorded.lines().collect();
    let lines = calls.into_iter().map(|(operation, call)| line(operation, call));
    lines.filter(|line| env::var_os("FORMS").is_none() && !recorded.contains(line.as_str())).collect()
}

/// Adds the form of a call to the files of the folder `FORMS`, if this variable is set.
pub(crate) fn record(operation: &str, body: &[u8]) {
    static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let Some(folder) = env::var_os("FORMS") else { return };
    let Ok(call) = serde_json::from_slice(body) else { return };
    let line = line(operation, &call);
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.insert(line.clone()) {
        let file = Path::new(&folder).join(process::id().to_string());
        let written = create_dir_all(&folder)
            .and_then(|()| File::options().create(true).append(true).open(file))
            .and_then(|mut file| writeln!(file, "{line}"));
        written.expect("the forms are written");
    }
}
