//! The service's contract, read from `infra/openapi.yaml`.

use std::fmt;

use serde_json::Value;

/// The text of the document.
pub(crate) const TEXT: &str = include_str!("../../openapi.yaml");

/// The longest chain of references. A longer one is treated as a cycle.
const REFERENCES_MAX: usize = 8;

/// The document.
#[derive(Debug, Clone)]
pub struct OpenApi(Value);

/// One method of one path.
#[derive(Debug, Clone, Copy)]
pub struct Operation<'a> {
    /// Exact path, such as `/app/auth/sendLogin.php`.
    pub path: &'a str,
    /// Its method, in capitals.
    pub method: &'static str,
    /// The operation object.
    pub value: &'a Value,
}

/// The document cannot be read; the text gives the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenApiError(String);

impl fmt::Display for OpenApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "infra/openapi.yaml: {}", self.0)
    }
}

impl std::error::Error for OpenApiError {}

impl OpenApi {
    /// The document of this project.
    ///
    /// # Errors
    /// As [`OpenApi::parse`].
    pub fn of_this_project() -> Result<Self, OpenApiError> {
        Self::parse(TEXT)
    }

    /// Reads a document.
    ///
    /// # Errors
    /// The text is not YAML, or has values that JSON does not have.
    pub fn parse(text: &str) -> Result<Self, OpenApiError> {
        serde_yaml_ng::from_str(text).map(Self).map_err(|error| OpenApiError(error.to_string()))
    }

    /// The whole document as JSON.
    #[must_use]
    pub fn root(&self) -> &Value {
        &self.0
    }

    /// `value`, or the target of its `$ref`; null if the target does not exist.
    #[must_use]
    pub fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        let mut value = value;
        for _ in 0..REFERENCES_MAX {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return value };
            value = reference.strip_prefix('#').and_then(|pointer| self.0.pointer(pointer)).unwrap_or(&Value::Null);
        }
        &Value::Null
    }

    /// Every operation, in the document's order.
    pub fn operations(&self) -> impl Iterator<Item = Operation<'_>> {
        const METHODS: [(&str, &str); 8] = [
            ("get", "GET"),
            ("put", "PUT"),
            ("post", "POST"),
            ("delete", "DELETE"),
            ("options", "OPTIONS"),
            ("head", "HEAD"),
            ("patch", "PATCH"),
            ("trace", "TRACE"),
        ];
        members(self.0.get("paths")).flat_map(|(path, item)| {
            METHODS
                .iter()
                .filter_map(move |(name, method)| item.get(name).map(|value| Operation { path, method, value }))
        })
    }

    /// The answer of a documented path to an undocumented method.
    #[must_use]
    pub fn any_other_method(&self) -> &Value {
        self.resolve(self.0.get("x-any-other-method").unwrap_or(&Value::Null))
    }

    /// The answer to a preflight of a listed origin.
    #[must_use]
    pub fn preflight(&self) -> &Value {
        self.resolve(self.0.get("x-preflight").unwrap_or(&Value::Null))
    }

    /// The additional headers of every answer to a listed origin.
    #[must_use]
    pub fn listed_origin(&self) -> &Value {
        self.resolve(self.0.get("x-listed-origin").unwrap_or(&Value::Null))
    }

    /// The answer of an undocumented path.
    #[must_use]
    pub fn any_other_path(&self) -> &Value {
        self.resolve(self.0.get("x-any-other-path").unwrap_or(&Value::Null))
    }
}

/// The members of an object, in order; none if the value is not an object.
pub(crate) fn members(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Template;

    #[test]
    fn the_document_has_the_paths_of_the_template_and_one_method() {
        let document = OpenApi::of_this_project().expect("the document is read");
        let template = Template::of_this_project().expect("the template is read");
        let routes: BTreeSet<&str> = template.routes().map(|route| route.path.as_str()).collect();
        assert_eq!(document.operations().map(|operation| operation.path).collect::<BTreeSet<_>>(), routes);
        assert!(document.operations().all(|operation| operation.method == "POST"));
    }

    #[test]
    fn the_document_has_the_version_of_the_service() {
        let document = OpenApi::of_this_project().expect("the document is read");
        let version = document.root().pointer("/info/version").and_then(Value::as_str);
        assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn every_reference_has_a_target() {
        fn assert_resolved(document: &OpenApi, value: &Value) {
            assert!(value.get("$ref").is_none() || !document.resolve(value).is_null(), "{value}");
            members(Some(value)).for_each(|(_, value)| assert_resolved(document, value));
            value.as_array().into_iter().flatten().for_each(|value| assert_resolved(document, value));
        }
        let document = OpenApi::of_this_project().expect("the document is read");
        assert_resolved(&document, document.root());
    }

    #[test]
    fn a_dangling_or_cyclic_reference_is_null() {
        let document = OpenApi::parse("{ a: { $ref: '#/b' }, b: { $ref: '#/a' }, c: { $ref: '#/d' } }");
        let document = document.expect("the document is read");
        for name in ["a", "c"] {
            let value = document.root().get(name).expect("it is there");
            assert!(document.resolve(value).is_null(), "{name}");
        }
    }
}
