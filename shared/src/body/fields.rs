//! A form's fields, each taken once and never merged.

use zeroize::Zeroizing;

use super::Unreadable;

/// Fields of one form, PHP's `max_input_vars`: what browsers send stays far below.
pub(super) const FIELDS_MAX: usize = 1000;

/// Something that is read out of a form's fields.
pub trait FromFields: Sized + Send {
    /// Takes the fields it knows; what is left over is ignored.
    ///
    /// # Errors
    /// A known field is ambiguous or not text.
    fn from_fields(fields: &mut Fields) -> Result<Self, Unreadable>;
}

/// The fields of a form, in the order of the body. Values are bytes until they are taken, so that
/// an unknown field may hold anything.
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

    /// The value of a field, wiped when dropped; empty when it is missing, or was taken before.
    ///
    /// # Errors
    /// It is given twice with different values, as an array (`name[]`), or not in UTF-8.
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
        // Moved, not copied: what is not copied need not be wiped.
        let text = String::from_utf8(std::mem::take(first)).map_err(|error| {
            drop(Zeroizing::new(error.into_bytes()));
            Unreadable::NotThisType
        })?;
        Ok(Zeroizing::new(text))
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
    fn a_field_given_twice_is_read_only_if_it_says_the_same() {
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
}
