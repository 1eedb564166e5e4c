//! Reading the whole accounts table, page by page.

use shared::Fault;
use shared::store::operator::{Kind, Operator, Place, Profile, Row};

/// Where the next page starts.
enum Next {
    Start,
    After(Place),
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

    /// The rows of the next page.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<Row>>, Fault> {
        let start = match std::mem::replace(&mut self.next, Next::End) {
            Next::Start => None,
            Next::After(place) => Some(place),
            Next::End => return Ok(None),
        };
        let page = self.operator.scan((0, 1), start).await?;
        self.next = page.next.map_or(Next::End, Next::After);
        self.units = page.units;
        Ok(Some(page.found))
    }
}

/// The account in a row, if it is one and can be read.
pub(crate) fn profile(row: Row) -> Option<Profile> {
    match row.kind {
        Kind::Profile(profile) => Some(*profile),
        _ => None,
    }
}
