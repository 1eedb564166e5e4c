//! The fields of a form. A repeated field is read only if all its values are equal.

use std::slice::Iter;

use serde::de::value::{Error, StrDeserializer, StringDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use zeroize::Zeroizing;

use super::Unreadable;

/// The maximum number of fields of a form: the default of PHP's `max_input_vars`. Browsers send far fewer.
pub(super) const FIELDS_MAX: usize = 1000;

/// The fields of a form, in the order of the body. A value stays bytes until it is taken, so an unknown field may hold
/// any bytes.
#[derive(Default)]
pub struct Fields(Vec<(String, Zeroizing<Vec<u8>>)>);

impl Fields {
    pub(super) fn push(&mut self, name: String, value: Vec<u8>) -> Result<(), Unreadable> {
        if self.0.len() == FIELDS_MAX {
            return Err(Unreadable::NotThisType);
        }
        self.0.push((name, Zeroizing::new(value)));
        Ok(())
    }

    /// Takes the value of a field. Dropping the value wipes it. It is empty if the field is missing or was taken
    /// before.
    ///
    /// # Errors
    /// The field appears twice with different values, is an array (`name[]`), or is not UTF-8.
    pub fn take(&mut self, name: &str) -> Result<Zeroizing<String>, Unreadable> {
        let array = |found: &str| found.strip_prefix(name).is_some_and(|rest| rest.starts_with('['));
        if self.0.iter().any(|(found, _)| array(found)) {
            return Err(Unreadable::NotThisType);
        }
        let mut values = self.0.iter_mut().filter(|(found, _)| found == name).map(|(_, value)| value);
        let Some(first) = values.next() else { return Ok(Zeroizing::default()) };
        if values.any(|other| other != first) {
            return Err(Unreadable::NotThisType);
        }
        // The value is moved, so no copy of it remains to be wiped.
        let text = String::from_utf8(std::mem::take(first)).map_err(|error| {
            drop(Zeroizing::new(error.into_bytes()));
            Unreadable::NotThisType
        })?;
        Ok(Zeroizing::new(text))
    }

    /// Reads the fields that the structure `T` names. Other fields are ignored, and missing ones are empty.
    ///
    /// # Errors
    /// As [`Fields::take`].
    pub fn read<T: DeserializeOwned>(self) -> Result<T, Unreadable> {
        T::deserialize(self).map_err(|_| Unreadable::NotThisType)
    }
}

impl<'de> Deserializer<'de> for Fields {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(serde::de::Error::custom("a form is read into a structure"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(Taken { fields: self, names: names.iter(), next: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Takes the fields of a structure one by one. The others stay in [`Fields`], which wipes them even after an error.
struct Taken {
    fields: Fields,
    names: Iter<'static, &'static str>,
    next: Option<&'static str>,
}

impl<'de> MapAccess<'de> for Taken {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.next = self.names.next().copied();
        self.next.map(|name| seed.deserialize(StrDeserializer::new(name))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let name = self.next.take().unwrap_or_default();
        let mut value = self.fields.take(name).map_err(|_| serde::de::Error::custom("unreadable"))?;
        seed.deserialize(StringDeserializer::new(std::mem::take(&mut *value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pairs: &[(&str, &[u8])]) -> Fields {
        let mut fields = Fields::default();
        for (name, value) in pairs {
            fields.push((*name).to_owned(), value.to_vec()).unwrap();
        }
        fields
    }

    #[test]
    fn a_missing_field_is_empty_and_an_unknown_one_is_ignored() {
        let mut fields = fields(&[("email", b"ana@example.com"), ("other", &[0xff])]);
        assert_eq!(*fields.take("email").unwrap(), "ana@example.com");
        assert_eq!(*fields.take("name").unwrap(), "");
    }

    #[test]
    fn a_repeated_field_is_read_only_if_its_values_are_equal() {
        assert_eq!(*fields(&[("email", b"a"), ("email", b"a")]).take("email").unwrap(), "a");
        assert!(fields(&[("email", b"a"), ("email", b"b")]).take("email").is_err());
    }

    #[test]
    fn a_field_in_array_notation_is_refused() {
        for name in ["email[]", "email[0]", "email[x][y]", "email["] {
            assert!(fields(&[("email", b"a"), (name, b"a")]).take("email").is_err(), "{name}");
        }
        assert!(fields(&[("emails[]", b"a")]).take("email").is_ok());
    }

    #[test]
    fn a_known_field_must_be_text() {
        assert!(fields(&[("email", &[0xff])]).take("email").is_err());
    }

    #[test]
    fn a_structure_takes_the_fields_that_it_names() {
        #[derive(serde::Deserialize)]
        struct Login {
            email: Zeroizing<String>,
            #[serde(rename = "confirm-password")]
            confirmation: Zeroizing<String>,
        }
        let form = fields(&[("other", &[0xff]), ("confirm-password", b"Secreto1")]);
        let read: Login = form.read().unwrap_or_else(|_| panic!("unreadable"));
        assert_eq!((&**read.email, &**read.confirmation), ("", "Secreto1"));
        for broken in [fields(&[("email", &[0xff])]), fields(&[("confirm-password[]", b"a")])] {
            assert!(broken.read::<Login>().is_err());
        }
    }
}
