//! A write and its condition. It can be sent alone or in a transaction.

use std::borrow::Cow;
use std::collections::HashMap;

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};

/// An item of the table.
pub(in crate::store) type Item = HashMap<String, AttributeValue>;

/// The attribute by which a retried write is recognised.
pub(in crate::store) const NONCE: &str = "nonce";

/// One write. Expressions write attributes as `#name`, so that no name conflicts with a reserved word. The map of names
/// that DynamoDB requires is derived from the expressions.
#[derive(Clone)]
pub(in crate::store) struct Write {
    pub(in crate::store) action: Action,
    pub(in crate::store) condition: Option<Cow<'static, str>>,
    pub(in crate::store) values: Item,
}

#[derive(Clone)]
pub(in crate::store) enum Action {
    Put(Item),
    Update(Item, String),
    Delete(Item),
    /// Writes nothing. Only a transaction can have it.
    Check(Item),
}

impl Write {
    /// Puts an item.
    pub(in crate::store) fn put(item: Item) -> Self {
        Self { action: Action::Put(item), condition: None, values: Item::new() }
    }

    /// Updates an item. `changes` is an update expression; if it has a `SET` clause, that clause comes first.
    pub(in crate::store) fn update(pk: &str, sk: &str, changes: impl Into<String>) -> Self {
        Self { action: Action::Update(key(pk, sk), changes.into()), condition: None, values: Item::new() }
    }

    /// Deletes an item.
    pub(in crate::store) fn delete(pk: &str, sk: &str) -> Self {
        Self { action: Action::Delete(key(pk, sk)), condition: None, values: Item::new() }
    }

    /// Writes nothing, and refuses its transaction if the condition of the item fails.
    pub(in crate::store) fn check(pk: &str, sk: &str, condition: &'static str) -> Self {
        Self { action: Action::Check(key(pk, sk)), condition: Some(condition.into()), values: Item::new() }
    }

    /// Sets the condition of the write.
    pub(in crate::store) fn when(mut self, condition: impl Into<Cow<'static, str>>) -> Self {
        self.condition = Some(condition.into());
        self
    }

    /// Sets a `:value` of the expressions.
    pub(in crate::store) fn value(mut self, name: &str, value: AttributeValue) -> Self {
        self.values.insert(name.to_owned(), value);
        self
    }

    /// Adds a nonce to the item, so that the write is recognised if its answer is lost and the SDK retries it.
    pub(in crate::store) fn marked(mut self, nonce: &str) -> Self {
        match &mut self.action {
            Action::Put(item) => {
                item.insert(NONCE.to_owned(), s(nonce));
            }
            Action::Update(_, changes) => {
                *changes = match changes.strip_prefix("SET ") {
                    Some(settings) => format!("SET #nonce = :nonce, {settings}"),
                    None => format!("SET #nonce = :nonce {changes}"),
                };
                self.values.insert(":nonce".to_owned(), s(nonce));
            }
            Action::Delete(_) | Action::Check(_) => {}
        }
        self
    }

    /// The `#name`s of the expressions.
    pub(in crate::store) fn names(&self) -> Option<HashMap<String, String>> {
        let changes = if let Action::Update(_, changes) = &self.action { changes.as_str() } else { "" };
        let mut names = HashMap::new();
        for text in [changes, self.condition.as_deref().unwrap_or_default()] {
            for rest in text.split('#').skip(1) {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let (name, _) = rest.split_at(end);
                names.insert(format!("#{name}"), name.to_owned());
            }
        }
        (!names.is_empty()).then_some(names)
    }

    /// The `:value`s of the expressions.
    pub(in crate::store) fn values(&self) -> Option<Item> {
        (!self.values.is_empty()).then(|| self.values.clone())
    }

    /// The write as a part of a transaction.
    pub(in crate::store) fn into_part(self, table: &str) -> Result<TransactWriteItem, BuildError> {
        let (names, values) = (self.names(), self.values());
        let condition = self.condition.map(Cow::into_owned);
        let old = condition.is_some().then_some(ReturnValuesOnConditionCheckFailure::AllOld);
        let part = TransactWriteItem::builder();
        Ok(match self.action {
            Action::Put(item) => part.put(
                Put::builder()
                    .table_name(table)
                    .set_item(Some(item))
                    .set_condition_expression(condition)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .set_return_values_on_condition_check_failure(old)
                    .build()?,
            ),
            Action::Update(key, changes) => part.update(
                Update::builder()
                    .table_name(table)
                    .set_key(Some(key))
                    .update_expression(changes)
                    .set_condition_expression(condition)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .set_return_values_on_condition_check_failure(old)
                    .build()?,
            ),
            Action::Delete(key) => part.delete(
                Delete::builder()
                    .table_name(table)
                    .set_key(Some(key))
                    .set_condition_expression(condition)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .set_return_values_on_condition_check_failure(old)
                    .build()?,
            ),
            Action::Check(key) => part.condition_check(
                ConditionCheck::builder()
                    .table_name(table)
                    .set_key(Some(key))
                    .set_condition_expression(condition)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .set_return_values_on_condition_check_failure(old)
                    .build()?,
            ),
        }
        .build())
    }
}

/// The key of an item.
pub(in crate::store) fn key(pk: &str, sk: &str) -> Item {
    Item::from([("pk".to_owned(), s(pk)), ("sk".to_owned(), s(sk))])
}

/// A text.
pub(in crate::store) fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// A number.
pub(in crate::store) fn n(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_write_are_derived_from_its_expressions() {
        let write = Write::update("a", "b", "SET #name = :name REMOVE #reset_hash")
            .when("#id = :id AND attribute_not_exists(#google_sub)")
            .marked("x");
        let names = write.names().unwrap();
        let mut names: Vec<_> = names.iter().map(|(short, name)| format!("{short}={name}")).collect();
        names.sort();
        assert_eq!(names, ["#google_sub=google_sub", "#id=id", "#name=name", "#nonce=nonce", "#reset_hash=reset_hash"]);
    }
}
