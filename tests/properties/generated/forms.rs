//! Forms, in both encodings.

use properties::form::{self, Pairs};
use properties::multipart::{self, Part, is_writable};
use proptest::prelude::*;

/// A field name. Some of the names collide.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "(email|name|password)",
        "(email|name)(\\[\\]|\\[0\\]|\\[a\\]\\[b\\]|\\[)",
        "[a-z=&+%; -]{0,12}",
        "\\PC{0,8}"
    ]
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        "(on|ana@example.com|Secreto 123)".prop_map(String::into_bytes),
        "[&=+% \r\n\"-]{0,20}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..40),
    ]
}

fn pairs() -> impl Strategy<Value = Pairs> {
    prop::collection::vec((name(), value()), 0..12)
}

proptest! {
    #[test]
    fn both_encodings_are_read_byte_for_byte(pairs in pairs()) {
        form::written_is_read(&pairs);
    }

    #[test]
    fn a_file_name_never_changes_the_fields_of_a_form(
        name in "[a-z]{1,8}",
        file in "([a-z.;= ]|name=| name=|; name=|filename=){0,8}",
        value in value(),
    ) {
        prop_assume!(is_writable(&file, &value));
        multipart::written_is_read(&[Part { name: &name, file_name: Some(&file), value: &value }]);
    }
}
