//! Media types and texts of request bodies.

/// Media type of a URL-encoded form.
pub const FORM: &str = "application/x-www-form-urlencoded";
/// Media type of a JSON document.
pub const JSON: &str = "application/json";
/// Media type of a form of [`multipart`].
pub const MULTIPART: &str = "multipart/form-data; boundary=x";

/// Fields as a URL-encoded form.
pub fn urlencoded<V: AsRef<str>>(fields: &[(&str, V)]) -> String {
    let mut url = reqwest::Url::parse("http://localhost").unwrap_or_else(|_| unreachable!());
    url.query_pairs_mut().extend_pairs(fields.iter().map(|(name, value)| (name, value.as_ref())));
    url.query().unwrap_or_default().to_owned()
}

/// Fields as a multipart form with the boundary `x`. Names and values are not escaped.
pub fn multipart<V: AsRef<str>>(fields: &[(&str, V)]) -> String {
    let part = |(name, value): &(&str, V)| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{}\r\n", value.as_ref())
    };
    fields.iter().map(part).collect::<String>() + "--x--\r\n"
}
