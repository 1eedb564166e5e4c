//! The condition of a write. It can only be added to, so no writer can drop a condition that another one relies on.

use aws_sdk_dynamodb::types::AttributeValue;

use super::expression::Expression;
use super::write::{n, s};

/// A condition on the item that a write replaces, changes or deletes. All of its terms must hold.
#[derive(Clone, Default)]
pub(in crate::store) struct Guard(Vec<Term>);

#[derive(Clone)]
enum Term {
    Exists(&'static str),
    Absent(&'static str),
    Compares(&'static str, &'static str, AttributeValue),
    Contains(&'static str, AttributeValue),
    Lacks(&'static str, AttributeValue),
    Fewer(&'static str, AttributeValue),
    Any(Vec<Guard>),
}

impl Guard {
    fn of(term: Term) -> Self {
        Self(vec![term])
    }

    /// The item exists.
    pub(in crate::store) fn exists() -> Self {
        Self::has("pk")
    }

    /// The item does not exist.
    pub(in crate::store) fn absent() -> Self {
        Self::without("pk")
    }

    /// The item has the attribute.
    pub(in crate::store) fn has(name: &'static str) -> Self {
        Self::of(Term::Exists(name))
    }

    /// The item does not exist, or it does not have the attribute.
    pub(in crate::store) fn without(name: &'static str) -> Self {
        Self::of(Term::Absent(name))
    }

    /// The attribute has this value.
    pub(in crate::store) fn equals(name: &'static str, value: AttributeValue) -> Self {
        Self::of(Term::Compares(name, "=", value))
    }

    /// The attribute has this value, or the item lacks it if the value is `None`.
    pub(in crate::store) fn still(name: &'static str, value: Option<AttributeValue>) -> Self {
        value.map_or_else(|| Self::without(name), |value| Self::equals(name, value))
    }

    /// The attribute has another value.
    pub(in crate::store) fn differs(name: &'static str, value: AttributeValue) -> Self {
        Self::of(Term::Compares(name, "<>", value))
    }

    /// The number is less than this one.
    pub(in crate::store) fn below(name: &'static str, number: u64) -> Self {
        Self::of(Term::Compares(name, "<", n(number)))
    }

    /// The number is at most this one.
    pub(in crate::store) fn at_most(name: &'static str, number: u64) -> Self {
        Self::of(Term::Compares(name, "<=", n(number)))
    }

    /// The number is greater than this one.
    pub(in crate::store) fn above(name: &'static str, number: u64) -> Self {
        Self::of(Term::Compares(name, ">", n(number)))
    }

    /// The set contains the text.
    pub(in crate::store) fn contains(name: &'static str, text: &str) -> Self {
        Self::of(Term::Contains(name, s(text)))
    }

    /// The set does not contain the text, or there is no set.
    pub(in crate::store) fn lacks(name: &'static str, text: &str) -> Self {
        Self::of(Term::Lacks(name, s(text)))
    }

    /// The set or list has fewer members than this number.
    pub(in crate::store) fn fewer(name: &'static str, number: u64) -> Self {
        Self::of(Term::Fewer(name, n(number)))
    }

    /// One of the guards holds.
    pub(in crate::store) fn any(guards: impl Into<Vec<Self>>) -> Self {
        Self::of(Term::Any(guards.into()))
    }

    /// Both guards hold.
    pub(in crate::store) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Whether there is no condition.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The condition expression. Its names and values are added to `to`.
    pub(super) fn text(self, to: &mut Expression) -> String {
        let terms = self.0.into_iter().map(|term| match term {
            Term::Exists(name) => format!("attribute_exists({})", to.name(name)),
            Term::Absent(name) => format!("attribute_not_exists({})", to.name(name)),
            Term::Compares(name, sign, value) => format!("{} {sign} {}", to.name(name), to.value(value)),
            Term::Contains(name, value) => format!("contains({}, {})", to.name(name), to.value(value)),
            Term::Lacks(name, value) => format!("NOT contains({}, {})", to.name(name), to.value(value)),
            Term::Fewer(name, value) => format!("size({}) < {}", to.name(name), to.value(value)),
            Term::Any(guards) => {
                let alternatives: Vec<String> = guards.into_iter().map(|guard| guard.text(to)).collect();
                format!("({})", alternatives.join(" OR "))
            }
        });
        terms.collect::<Vec<_>>().join(" AND ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(guard: Guard) -> (String, usize) {
        let mut expression = Expression::default();
        (guard.text(&mut expression), expression.into_parts().1.map_or(0, |values| values.len()))
    }

    #[test]
    fn a_guard_that_is_added_to_keeps_all_its_terms() {
        let guard = Guard::exists().and(Guard::equals("id", n(7)));
        let more = guard.and(Guard::any([Guard::without("passkeys"), Guard::fewer("passkeys", 20)]));
        let wanted =
            "attribute_exists(#pk) AND #id = :v0 AND (attribute_not_exists(#passkeys) OR size(#passkeys) < :v1)";
        assert_eq!(text(more), (wanted.to_owned(), 2));
    }

    #[test]
    fn the_alternatives_of_a_guard_are_in_parentheses() {
        let guard = Guard::any([Guard::absent().and(Guard::lacks("passkeys", "x")), Guard::differs("nonce", s("y"))]);
        let wanted = "(attribute_not_exists(#pk) AND NOT contains(#passkeys, :v0) OR #nonce <> :v1)";
        assert_eq!(text(guard), (wanted.to_owned(), 2));
    }
}
