//! What a table asks for in the name of an operator.
//!
//! Without `OperatorReadsHashes`, each read names the attributes of [`READABLE`]. No write asks for the row that it has
//! changed or that its guard has refused, because it would have everything; such a row is read again.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::Select;

use super::expression::Expression;
use super::{Item, Key, Outcome, Refused, Table};
use crate::{Fault, OperatorAccess};

/// The attributes that an operator without hashes reads: all that the tool needs. Not among them are the hash of the password
/// and the digest of an import, which passwords can be guessed with. A test and `infra/checks` compare the list with the
/// items and with the policy.
pub(super) const READABLE: [&str; 59] = [
    "accept_news",
    "account",
    "backup",
    "browser",
    "browsers",
    "browsers_since",
    "change_email",
    "change_expires_at",
    "change_generation",
    "change_hash",
    "change_session",
    "closed",
    "closed_at",
    "counter",
    "created_at",
    "credential",
    "credentials_changed_by",
    "deleted_at",
    "disabled_at",
    "email",
    "email_verified",
    "expires_at",
    "exported_at",
    "former_emails",
    "generation",
    "google_sub",
    "id",
    "import_generation",
    "import_run",
    "imported",
    "kind",
    "last_seen",
    "last_used_at",
    "locked_at",
    "method",
    "name",
    "name_proved",
    "news_changed_at",
    "nonce",
    "not_before",
    "passkey_user",
    "passkeys",
    "password_format",
    "password_set_at",
    "pk",
    "profile_id",
    "proved_at",
    "public_key",
    "reset_expires_at",
    "sk",
    "state",
    "terms_accepted_at",
    "terms_version",
    "times",
    "total",
    "transports",
    "undone",
    "url_image",
    "verify_expires_at",
];

/// What the tool says if AWS refuses a call.
const READS: &str = "ask for a role with the stack's policy OperatorReads";
const READS_HASHES: &str = "this command reads the hashes of passwords: ask for a role with the stack's policies OperatorReads and OperatorReadsHashes";
const CHANGES: &str = "ask for a role with the stack's policies OperatorReads and OperatorChanges";

impl Table {
    /// Whether no write may ask for a row with a hash. Endpoints are built without what follows from it.
    pub(super) fn is_silent(&self) -> bool {
        cfg!(feature = "operator") && self.has_hashes && self.operator.is_some()
    }

    /// Whether no read may ask for a hash either.
    fn hides_hashes(&self) -> bool {
        self.is_silent() && self.operator == Some(OperatorAccess::WithoutHashes)
    }

    /// The projection of a read of items, and its names. Both are `None` if everything may be read.
    pub(super) fn projection(&self) -> (Option<String>, Option<HashMap<String, String>>) {
        if !self.hides_hashes() {
            return (None, None);
        }
        let mut names = Expression::default();
        let projection = READABLE.map(|name| names.name(name)).join(", ");
        (Some(projection), names.into_parts().0)
    }

    /// What a query or a scan selects, as the policy requires it beside the projection.
    pub(super) fn selected(&self) -> Option<Select> {
        self.hides_hashes().then_some(Select::SpecificAttributes)
    }

    /// The outcome of a write of the item with this key, whose guard did not return the item that it refused.
    pub(super) async fn with_refused<T>(
        &self,
        outcome: Outcome<T>,
        key: impl FnOnce(usize) -> Option<Key>,
    ) -> Result<Outcome<T>, Fault> {
        let refused = match outcome {
            Err(refused) if self.is_silent() => refused,
            outcome => return Ok(outcome),
        };
        let item: Option<Item> = match key(refused.index) {
            Some(key) => self.item(key).await?,
            None => None,
        };
        Ok(Err(Refused { item, ..refused }))
    }

    /// The fault of a call. If AWS has refused it to an operator, it says which policies allow it.
    pub(super) fn explained(&self, fault: Fault) -> Fault {
        let Some(access) = self.operator.filter(|_| fault.cause == "AccessDeniedException") else { return fault };
        let is_read = ["table.GetItem", "table.BatchGetItem", "table.Query", "table.Scan"].contains(&fault.operation);
        let advice = match access {
            _ if !is_read => CHANGES,
            OperatorAccess::WithoutHashes => READS,
            OperatorAccess::WithHashes => READS_HASHES,
        };
        Fault { advice: Some(advice), ..fault }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde::de::value::Error;
    use serde::de::{Deserializer, Error as _, Visitor};
    use serde::{Deserialize, forward_to_deserialize_any};

    use super::*;
    use crate::store::items::{passkey, profile};

    /// Learns the names of the fields of a struct.
    struct Fields<'c>(&'c Cell<&'static [&'static str]>);

    impl<'de> Deserializer<'de> for Fields<'_> {
        type Error = Error;

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Error> {
            self.0.set(fields);
            Err(Error::custom("only the names are wanted"))
        }

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
            Err(Error::custom("no struct"))
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
            newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    /// The attributes of a row that an operator without hashes does not read.
    fn hidden<'de, R: Deserialize<'de>>() -> Vec<&'static str> {
        let fields = Cell::new(&[] as &[_]);
        assert!(R::deserialize(Fields(&fields)).is_err() && !fields.get().is_empty());
        fields.get().iter().copied().filter(|field| !READABLE.contains(field)).collect()
    }

    #[test]
    fn an_operator_reads_all_of_an_account_but_what_passwords_can_be_guessed_with() {
        assert_eq!(hidden::<profile::Row>(), ["password", "import_digest"]);
        assert_eq!(hidden::<passkey::Row>(), Vec::<&str>::new());
    }
}
