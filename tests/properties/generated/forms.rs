//! Forms, in both encodings.

use journeys::changes;
use properties::form::{self, Pairs};
use properties::multipart::{self, Part, is_writable};
use proptest::prelude::*;

const URL_ENCODED: &[&str] = &[
    "email=ana%40example.com&password=Secreto123",
    "a=1+2%2B3&&b&c=%25&confirm%2Dpassword=%C3%B1=x",
    "email[]=a&email=a&email[x][y]=b&name=&name=",
];
const MULTIPART: &[&str] = &[
    "multipart/form-data; boundary=x\n--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n",
    "multipart/form-data; boundary=\"a b\"\npreamble\r\n--a b \r\ncontent-disposition: form-data;filename=\"n\"; \
     name=\"a\"\r\nContent-Type: text/plain\r\n\r\n\r\n--a b\r\nContent-Disposition: form-data; name=a\r\n\r\n\0\r\n--a b--",
];

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
    fn values_of_a_repeated_field_are_never_merged(name in "[a-z]{1,8}", one in "[a-z]{0,5}", other in "[a-z]{0,5}") {
        form::written_is_read(&vec![(name.clone(), one.clone().into()), (name.clone(), other.into())]);
        form::written_is_read(&vec![(name.clone(), one.clone().into()), (format!("{name}[]"), one.into())]);
    }

    #[test]
    fn a_changed_form_is_read_correctly_or_refused(bytes in changes::of(URL_ENCODED)) {
        form::holds(&bytes);
    }

    #[test]
    fn a_changed_multipart_form_gets_no_value_that_nobody_sent(bytes in changes::of(MULTIPART)) {
        multipart::holds(&bytes);
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

#[test]
fn a_form_may_have_a_thousand_fields_and_no_more() {
    form::holds("a=1&".repeat(1000).as_bytes());
    form::holds("a=1&".repeat(1001).as_bytes());
}
