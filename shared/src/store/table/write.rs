//! A write and its guard. It can be sent alone or in a transaction.

use std::collections::HashMap;

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update as UpdatePart,
};

use super::expression::{Expression, Update};
use super::guard::Guard;
use super::item::{Item, Key, s};

/// The attribute by which a retried write is recognised.
pub(super) const NONCE: &str = "nonce";

/// Gives a request, or a part of a transaction, its table and its expressions.
macro_rules! with_expressions {
    ($request:expr, $table:expr, $expressions:ident) => {
        $request
            .table_name($table)
            .set_condition_expression($expressions.condition)
            .set_expression_attribute_names($expressions.names)
            .set_expression_attribute_values($expressions.values)
            .set_return_values_on_condition_check_failure($expressions.old)
    };
}
pub(super) use with_expressions;

/// One write.
#[derive(Clone)]
pub(in crate::store) struct Write {
    pub(super) action: Action,
    guard: Option<Guard>,
    is_silent: bool,
}

#[derive(Clone)]
pub(super) enum Action {
    Put(Item),
    Update(Key, Update),
    Delete(Key),
    /// Writes nothing. Only a transaction can have it.
    Check(Key),
}

/// The expressions of a write, as requests take them.
pub(super) struct Expressions {
    pub(super) condition: Option<String>,
    pub(super) names: Option<HashMap<String, String>>,
    pub(super) values: Option<Item>,
    /// Asks for the existing item if the condition fails.
    pub(super) old: Option<ReturnValuesOnConditionCheckFailure>,
}

impl Write {
    pub(in crate::store) fn put(item: Item) -> Self {
        Self { action: Action::Put(item), guard: None, is_silent: false }
    }

    pub(in crate::store) fn update(key: Key, update: Update) -> Self {
        Self { action: Action::Update(key, update), guard: None, is_silent: false }
    }

    pub(in crate::store) fn delete(key: Key) -> Self {
        Self { action: Action::Delete(key), guard: None, is_silent: false }
    }

    /// Writes nothing, and refuses its transaction if the guard fails.
    pub(in crate::store) fn check(key: Key, guard: Guard) -> Self {
        Self { action: Action::Check(key), guard: Some(guard), is_silent: false }
    }

    /// Adds a guard to those that the write has.
    pub(in crate::store) fn when(mut self, guard: Guard) -> Self {
        self.guard = Some(match self.guard {
            Some(other) => other.and(guard),
            None => guard,
        });
        self
    }

    /// Adds a nonce to the item, so that the write is recognised if its answer is lost and the SDK retries it.
    pub(super) fn marked(mut self, nonce: &str) -> Self {
        match &mut self.action {
            Action::Put(item) => {
                item.insert(NONCE.to_owned(), s(nonce));
            }
            Action::Update(_, update) => {
                let appends = update.appends();
                *update = std::mem::take(update).set(NONCE, s(nonce));
                if appends {
                    // Made twice, it would append twice.
                    return self.when(Guard::Any(vec![Guard::Without(NONCE), Guard::Differs(NONCE, s(nonce))]));
                }
            }
            Action::Delete(_) | Action::Check(_) => {}
        }
        self
    }

    /// The key of the item that it writes.
    pub(super) fn key(&self) -> Key {
        match &self.action {
            Action::Put(item) => item
                .iter()
                .filter(|(name, _)| ["pk", "sk"].contains(&name.as_str()))
                .map(|(name, key)| (name.clone(), key.clone()))
                .collect(),
            Action::Update(key, _) | Action::Delete(key) | Action::Check(key) => key.clone(),
        }
    }

    /// The same write, which does not return the item that its guard refuses.
    pub(super) fn silent(self) -> Self {
        Self { is_silent: true, ..self }
    }

    /// The action, the update expression of an update, and the other expressions.
    pub(super) fn into_expressions(self) -> (Action, String, Expressions) {
        let mut expression = Expression::default();
        let old = self.guard.as_ref().filter(|_| !self.is_silent);
        let old = old.map(|_| ReturnValuesOnConditionCheckFailure::AllOld);
        let condition = self.guard.map(|guard| guard.text(&mut expression));
        let (action, changes) = match self.action {
            Action::Update(key, update) => (Action::Update(key, Update::new()), update.text(&mut expression)),
            other => (other, String::new()),
        };
        let (names, values) = expression.into_parts();
        (action, changes, Expressions { condition, names, values, old })
    }

    /// The write as a part of a transaction.
    pub(super) fn into_part(self, table: &str) -> Result<TransactWriteItem, BuildError> {
        let (action, changes, expressions) = self.into_expressions();
        macro_rules! part {
            ($builder:expr) => {
                with_expressions!($builder, table, expressions).build()?
            };
        }
        let part = TransactWriteItem::builder();
        Ok(match action {
            Action::Put(item) => part.put(part!(Put::builder().set_item(Some(item)))),
            Action::Update(key, _) => {
                part.update(part!(UpdatePart::builder().set_key(Some(key)).update_expression(changes)))
            }
            Action::Delete(key) => part.delete(part!(Delete::builder().set_key(Some(key)))),
            Action::Check(key) => part.condition_check(part!(ConditionCheck::builder().set_key(Some(key)))),
        }
        .build())
    }
}
