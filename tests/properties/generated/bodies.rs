//! Bodies: forms in both encodings, and the documents of receive-data.

use properties::entries;
use properties::form::{self, Pairs};
use properties::multipart::{self, Part, is_writable};
use proptest::prelude::*;

/// JSON as text, so that it may have any spelling that the grammar allows.
fn document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "null|true|false|-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,4})?",
        "\"([a-z{}\\[\\], ñ]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-fA-F]{4}){0,6}\"",
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|values| format!("[{}]", values.join(" , "))),
            object_of(inner),
        ]
    })
}

fn object_of(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    prop::collection::vec(("[ab]{0,2}|__proto__", inner), 0..4).prop_map(|members| {
        let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\" :{value}")).collect();
        format!("{{{}\n}}", members.join(",\t"))
    })
}

proptest! {
    #[test]
    fn objects_are_kept_byte_for_byte_and_in_order(objects in prop::collection::vec(object_of(document()), 0..8)) {
        entries::written_is_read(&objects);
    }

    #[test]
    fn a_document_is_accepted_only_as_an_object_or_a_list_of_objects(text in document()) {
        entries::holds(text.as_bytes());
    }
}

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
