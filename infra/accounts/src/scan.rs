//! Reading the whole accounts table, page by page.

use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::HashMap;

use shared::Fault;
use shared::store::operator::{Operator, Rows};

/// An item of the table.
pub(crate) type Item = HashMap<String, AttributeValue>;

/// Where the next page starts.
enum Next {
    Start,
    After(Item),
    End,
}

/// A scan of the accounts table.
pub(crate) struct Scan<'a> {
    operator: &'a Operator,
    next: Next,
    /// The read units of the last page.
    pub(crate) units: f64,
}

impl<'a> Scan<'a> {
    pub(crate) fn of(operator: &'a Operator) -> Self {
        Self { operator, next: Next::Start, units: 0.0 }
    }

    /// The items of the next page.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<Item>>, Fault> {
        let start = match std::mem::replace(&mut self.next, Next::End) {
            Next::Start => None,
            Next::After(item) => Some(item),
            Next::End => return Ok(None),
        };
        let page = self.operator.scan(Rows::Accounts, 0, 1, start).await?;
        self.next = page.next.map_or(Next::End, Next::After);
        self.units = page.units;
        Ok(Some(page.items))
    }
}
