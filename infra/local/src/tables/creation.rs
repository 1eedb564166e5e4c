//! Creates the template's tables in the embedded engine.
//!
//! An existing table gets the stream and the indexes that it lacks, and is not changed otherwise. An existing table with
//! another key than the template's is an error, because every call to it would fail.

use dynoxide::Database;
use dynoxide::actions::create_table::CreateTableRequest;
use dynoxide::actions::update_table::UpdateTableRequest;
use dynoxide::actions::update_time_to_live::{TimeToLiveSpecification, UpdateTimeToLiveRequest};
use serde_json::{Value, json};

use crate::documents::template::Table;

/// Creates the tables that do not exist.
pub(crate) fn create_missing(database: &Database, tables: &[Table]) -> Result<(), String> {
    for table in tables {
        create(database, table).map_err(|reason| format!("table {}: {reason}", table.name()))?;
    }
    Ok(())
}

fn create(database: &Database, table: &Table) -> Result<(), String> {
    let name = table.name();
    if let Some(existing) = database.get_table_metadata(&name).map_err(text)? {
        let key: Value = serde_json::from_str(&existing.key_schema).map_err(text)?;
        if table.properties.get("KeySchema") == Some(&key) {
            if !existing.stream_enabled {
                add_stream(database, table)?;
            }
            return add_indexes(database, table, existing.gsi_definitions.as_deref());
        }
        return Err("its key differs from the template's: delete the data folder to start with empty tables".to_owned());
    }

    let mut request = table.properties.clone();
    if let Some(properties) = request.as_object_mut() {
        properties.insert("TableName".to_owned(), Value::String(name.clone()));
        if let Some(stream) = stream(table) {
            properties.insert("StreamSpecification".to_owned(), stream);
        }
    }
    let request: CreateTableRequest = serde_json::from_value(request).map_err(text)?;
    database.create_table(request).map_err(text)?;

    if let Some(attribute) = table.ttl_attribute() {
        let time_to_live_specification =
            TimeToLiveSpecification { attribute_name: attribute.to_owned(), enabled: true };
        let request = UpdateTimeToLiveRequest { table_name: name, time_to_live_specification };
        database.update_time_to_live(request).map_err(text)?;
    }
    Ok(())
}

/// The template's stream, as `CreateTable` takes it.
fn stream(table: &Table) -> Option<Value> {
    let view = table.properties.pointer("/StreamSpecification/StreamViewType")?;
    Some(json!({"StreamEnabled": true, "StreamViewType": view}))
}

fn add_stream(database: &Database, table: &Table) -> Result<(), String> {
    let Some(stream) = stream(table) else { return Ok(()) };
    let request = json!({"TableName": table.name(), "StreamSpecification": stream});
    let request: UpdateTableRequest = serde_json::from_value(request).map_err(text)?;
    database.update_table(request).map(drop).map_err(text)
}

/// Adds the indexes that the template has and an existing table lacks.
fn add_indexes(database: &Database, table: &Table, existing: Option<&str>) -> Result<(), String> {
    let existing: Vec<Value> = existing.map(serde_json::from_str).transpose().map_err(text)?.unwrap_or_default();
    let name = |index: &Value| index.get("IndexName").cloned();
    let wanted = table.properties.get("GlobalSecondaryIndexes").and_then(Value::as_array);
    for index in wanted.into_iter().flatten() {
        if existing.iter().any(|other| name(other) == name(index)) {
            continue;
        }
        let request = json!({
            "TableName": table.name(),
            "AttributeDefinitions": table.properties.get("AttributeDefinitions"),
            "GlobalSecondaryIndexUpdates": [{ "Create": index }],
        });
        let request: UpdateTableRequest = serde_json::from_value(request).map_err(text)?;
        database.update_table(request).map_err(text)?;
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "map_err requires this signature")]
fn text(error: impl ToString) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Template;

    #[test]
    fn tables_are_created_once_with_key_and_ttl() {
        let template = Template::of_this_project().expect("the template is read");
        let database = Database::memory().expect("the engine opens");
        for _ in 0..2 {
            create_missing(&database, template.tables()).expect("the tables are made");
        }
        let accounts = database.get_table_metadata("accounts").expect("it is read").expect("it exists");
        assert_eq!(accounts.ttl_attribute.as_deref(), Some("expires_at"));
        assert!(accounts.key_schema.contains("sk"));
        assert_eq!(database.table_count().expect("it counts"), 2);
    }

    #[test]
    fn a_table_of_an_earlier_version_gets_the_indexes_that_it_lacks() {
        let template = Template::of_this_project().expect("the template is read");
        let entries = template.tables().iter().find(|table| table.name() == "entries").expect("it exists");
        let mut earlier = entries.clone();
        let properties = earlier.properties.as_object_mut().expect("it has properties");
        properties.remove("GlobalSecondaryIndexes");
        properties.insert("AttributeDefinitions".to_owned(), json!([{ "AttributeName": "id", "AttributeType": "S" }]));
        let database = Database::memory().expect("the engine opens");
        create_missing(&database, &[earlier]).expect("the table is made");
        for _ in 0..2 {
            create_missing(&database, template.tables()).expect("the index is added once");
        }
        let updated = database.get_table_metadata("entries").expect("it is read").expect("it exists");
        assert!(updated.gsi_definitions.is_some_and(|indexes| indexes.contains("accounts")));
    }

    #[test]
    fn a_table_with_another_key_is_refused() {
        let table = |key: &str| Table {
            logical_id: "NotesTable".to_owned(),
            properties: json!({
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{ "AttributeName": key, "AttributeType": "S" }],
                "KeySchema": [{ "AttributeName": key, "KeyType": "HASH" }],
            }),
        };
        let database = Database::memory().expect("the engine opens");
        create_missing(&database, &[table("id")]).expect("the table is made");
        let error = create_missing(&database, &[table("pk")]).expect_err("the table is refused");
        assert!(error.contains("notes"), "{error}");
    }
}
