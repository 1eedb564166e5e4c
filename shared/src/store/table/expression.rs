//! The names and values of an expression, and the changes of an update.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::item::{Item, n};

/// The names and values that the expressions of one write refer to. Every attribute is written as `#name`, so that no
/// name conflicts with a reserved word, and every value has a number of its own.
#[derive(Default)]
pub(super) struct Expression {
    names: HashMap<String, String>,
    values: Item,
}

impl Expression {
    pub(super) fn name(&mut self, name: &str) -> String {
        let placeholder = format!("#{name}");
        self.names.insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    pub(super) fn value(&mut self, value: AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }

    /// The names and the values. DynamoDB refuses empty maps.
    pub(super) fn into_parts(self) -> (Option<HashMap<String, String>>, Option<Item>) {
        (Some(self.names).filter(|names| !names.is_empty()), Some(self.values).filter(|values| !values.is_empty()))
    }
}

/// The changes of one item.
#[derive(Clone, Default)]
pub(in crate::store) struct Update {
    set: Vec<(&'static str, Set)>,
    remove: Vec<&'static str>,
    add: Vec<(&'static str, AttributeValue)>,
    delete: Vec<(&'static str, AttributeValue)>,
}

#[derive(Clone)]
enum Set {
    To(AttributeValue),
    IfAbsent(AttributeValue),
    Plus(AttributeValue),
    Appended(AttributeValue),
}

impl Update {
    pub(in crate::store) fn new() -> Self {
        Self::default()
    }

    pub(in crate::store) fn set(mut self, name: &'static str, value: AttributeValue) -> Self {
        self.set.push((name, Set::To(value)));
        self
    }

    /// Sets an attribute that the item does not have.
    pub(in crate::store) fn set_if_absent(mut self, name: &'static str, value: AttributeValue) -> Self {
        self.set.push((name, Set::IfAbsent(value)));
        self
    }

    /// Adds to a number that the item has.
    pub(in crate::store) fn increase(mut self, name: &'static str, by: u64) -> Self {
        self.set.push((name, Set::Plus(n(by))));
        self
    }

    /// Appends to a list, which is created if the item does not have it.
    pub(in crate::store) fn append(mut self, name: &'static str, list: Vec<AttributeValue>) -> Self {
        self.set.push((name, Set::Appended(AttributeValue::L(list))));
        self
    }

    pub(in crate::store) fn remove(mut self, names: &[&'static str]) -> Self {
        self.remove.extend_from_slice(names);
        self
    }

    /// Adds to a number or to a set, which is created if the item does not have it.
    pub(in crate::store) fn add(mut self, name: &'static str, value: AttributeValue) -> Self {
        self.add.push((name, value));
        self
    }

    pub(in crate::store) fn delete(mut self, name: &'static str, set: AttributeValue) -> Self {
        self.delete.push((name, set));
        self
    }

    /// Whether the update, made twice, would do more than once.
    pub(super) fn appends(&self) -> bool {
        self.set.iter().any(|(_, set)| matches!(set, Set::Appended(_)))
    }

    /// The update expression. Its names and values are added to `to`.
    pub(super) fn text(self, to: &mut Expression) -> String {
        let mut clauses = Vec::with_capacity(4);
        let mut clause = |keyword: &str, parts: Vec<String>| {
            if !parts.is_empty() {
                clauses.push(format!("{keyword} {}", parts.join(", ")));
            }
        };
        let set = self.set.into_iter().map(|(name, set)| {
            let name = to.name(name);
            match set {
                Set::To(value) => format!("{name} = {}", to.value(value)),
                Set::IfAbsent(value) => format!("{name} = if_not_exists({name}, {})", to.value(value)),
                Set::Plus(value) => format!("{name} = {name} + {}", to.value(value)),
                Set::Appended(list) => {
                    let none = to.value(AttributeValue::L(Vec::new()));
                    format!("{name} = list_append(if_not_exists({name}, {none}), {})", to.value(list))
                }
            }
        });
        clause("SET", set.collect());
        clause("REMOVE", self.remove.into_iter().map(|name| to.name(name)).collect());
        let mut pairs = |pairs: Vec<(&str, AttributeValue)>| {
            pairs.into_iter().map(|(name, value)| format!("{} {}", to.name(name), to.value(value))).collect()
        };
        clause("ADD", pairs(self.add));
        clause("DELETE", pairs(self.delete));
        clauses.join(" ")
    }
}
