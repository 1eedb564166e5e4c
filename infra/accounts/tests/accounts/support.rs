//! Running the program.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, Item};
use serde_json::Value;
use shared::password::Format;

use crate::{Ended, port, run};

impl Ended {
    /// The JSON answers, one on each line.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{self:?}"))).collect()
    }

    /// Standard error without the audit lines.
    pub(crate) fn notes(&self) -> String {
        let is_note = |line: &&str| !serde_json::from_str::<Value>(line).is_ok_and(|line| line.is_object());
        self.err.split_inclusive('\n').filter(is_note).collect()
    }

    /// The audit lines that it wrote to standard error, as `event stage`.
    pub(crate) fn trail(&self) -> Vec<String> {
        let lines = self.err.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.map(|line| format!("{} {}", text(&line, "audit.event"), text(&line, "audit.stage"))).collect()
    }
}

/// A text of a JSON object.
pub(crate) fn text(line: &Value, name: &str) -> String {
    line.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Runs the program for the local stack, without a terminal. Its tables are behind the stack's proxy.
pub(crate) async fn accounts(stack: &Embedded, arguments: &[&str]) -> Ended {
    accounts_with(stack, &[("LOCAL_DATA", "memory")], &[&["--local"], arguments].concat()).await
}

/// Runs the program with these variables.
pub(crate) async fn accounts_with(stack: &Embedded, variables: &[(&'static str, &str)], arguments: &[&str]) -> Ended {
    let ports = [("DYNAMODB_PORT", port(&stack.table.url())), ("PORT", port(&stack.keys_url()))];
    let variables = variables.iter().map(|(name, value)| (*name, (*value).to_owned())).chain(ports);
    run(variables.collect(), arguments).await
}

/// The items of an account whose sort keys start with a text.
pub(crate) async fn items(stack: &Embedded, email: &str, sk: &str) -> Vec<Item> {
    let key = shared::AccountKey::of(&shared::Email::parse(email).unwrap());
    let is = |item: &Item, name: &str, test: &dyn Fn(&str) -> bool| item[name].as_s().is_ok_and(|text| test(text));
    let all = stack.items("accounts").await.into_iter();
    all.filter(|item| is(item, "pk", &|pk| pk == key.as_str()) && is(item, "sk", &|text| text.starts_with(sk)))
        .collect()
}

/// Sets an attribute of an account's profile.
pub(crate) async fn set(stack: &Embedded, email: &str, name: &str, value: AttributeValue) {
    let mut profile = items(stack, email, "profile").await.pop().unwrap();
    profile.insert(name.to_owned(), value);
    stack.dynamodb().put_item().table_name("accounts").set_item(Some(profile)).send().await.unwrap();
}

/// Gives an account a hash of this format.
pub(crate) async fn set_password(stack: &Embedded, email: &str, hash: &str) {
    let format = Format::of(hash).unwrap().name();
    for (name, text) in [("password", hash), ("password_format", format)] {
        set(stack, email, name, AttributeValue::S(text.to_owned())).await;
    }
}
