//! The condition of a write. It can only be added to, so no writer can drop a condition that another one relies on.

use aws_sdk_dynamodb::types::AttributeValue;

use super::expression::Expression;

/// A condition on the item that a write replaces, changes or deletes.
#[derive(Clone)]
pub(in crate::store) enum Guard {
    Has(&'static str),
    /// The item does not exist, or it lacks the attribute.
    Without(&'static str),
    Equals(&'static str, AttributeValue),
    Differs(&'static str, AttributeValue),
    Below(&'static str, AttributeValue),
    Above(&'static str, AttributeValue),
    /// The set contains the text.
    Contains(&'static str, AttributeValue),
    /// The set does not contain the text, or there is no set.
    Lacks(&'static str, AttributeValue),
    /// The set or list has fewer members than this number.
    Fewer(&'static str, AttributeValue),
    Any(Vec<Guard>),
    All(Vec<Guard>),
}

impl Guard {
    pub(in crate::store) fn exists() -> Self {
        Self::Has("pk")
    }

    pub(in crate::store) fn absent() -> Self {
        Self::Without("pk")
    }

    /// The attribute has this value, or the item lacks it if the value is `None`.
    pub(in crate::store) fn still(name: &'static str, value: Option<AttributeValue>) -> Self {
        value.map_or(Self::Without(name), |value| Self::Equals(name, value))
    }

    pub(in crate::store) fn and(self, other: Self) -> Self {
        match self {
            Self::All(mut guards) => {
                guards.push(other);
                Self::All(guards)
            }
            guard => Self::All(vec![guard, other]),
        }
    }

    /// The condition expression. Its names and values are added to `to`.
    pub(super) fn text(self, to: &mut Expression) -> String {
        let mut compare = |name, sign, value| format!("{} {sign} {}", to.name(name), to.value(value));
        match self {
            Self::Equals(name, value) => compare(name, "=", value),
            Self::Differs(name, value) => compare(name, "<>", value),
            Self::Below(name, value) => compare(name, "<", value),
            Self::Above(name, value) => compare(name, ">", value),
            Self::Has(name) => format!("attribute_exists({})", to.name(name)),
            Self::Without(name) => format!("attribute_not_exists({})", to.name(name)),
            Self::Contains(name, value) => format!("contains({}, {})", to.name(name), to.value(value)),
            Self::Lacks(name, value) => format!("NOT contains({}, {})", to.name(name), to.value(value)),
            Self::Fewer(name, value) => format!("size({}) < {}", to.name(name), to.value(value)),
            Self::Any(guards) => format!("({})", Self::join(guards, " OR ", to)),
            Self::All(guards) => Self::join(guards, " AND ", to),
        }
    }

    fn join(guards: Vec<Self>, word: &str, to: &mut Expression) -> String {
        guards.into_iter().map(|guard| guard.text(to)).collect::<Vec<_>>().join(word)
    }
}

#[cfg(test)]
mod tests {
    use super::super::item::{n, s};
    use super::*;

    #[test]
    fn a_guard_that_is_added_to_keeps_all_its_terms_and_puts_alternatives_in_parentheses() {
        let guard = Guard::exists().and(Guard::Equals("id", n(7)));
        let guard = guard.and(Guard::Any(vec![Guard::Without("passkeys"), Guard::Fewer("passkeys", n(20))]));
        let guard =
            guard.and(Guard::Any(vec![Guard::absent().and(Guard::Lacks("x", s("a"))), Guard::Above("y", n(1))]));
        let wanted = "attribute_exists(#pk) AND #id = :v0 AND (attribute_not_exists(#passkeys) OR size(#passkeys) < :v1) \
                      AND (attribute_not_exists(#pk) AND NOT contains(#x, :v2) OR #y > :v3)";
        assert_eq!(guard.text(&mut Expression::default()), wanted);
    }
}
