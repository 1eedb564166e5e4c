//! Bodies of receive-data.

use properties::entries;
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
