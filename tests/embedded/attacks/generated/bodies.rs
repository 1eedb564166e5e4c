//! Bodies that the test changes, and valid bodies.

use journeys::bodies::{FORM, JSON, MULTIPART, multipart, urlencoded};
use journeys::endpoints::{Body, Own};
use journeys::{Endpoint, Visitor, paths};

/// A media type and a body.
pub(super) type Seed = (&'static str, String);

/// Optional fields that the rows leave out. The value of `notifications` is invalid and is checked last, so that a
/// registration is refused before its password is hashed.
const LEFT_OUT: [(&str, &str, &str); 2] =
    [(paths::REGISTER, "notifications", "off"), (paths::USER_CONFIG, "avatar", "")];
/// A document with every kind of value.
const DOCUMENT: &str =
    r#"{"credential":"eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.AAAA","b":[1,{"c":null},"\u00f1",true,-0.0e1,{}]}"#;

/// Bodies to start from: the body of the endpoint's row with the optional fields, and for JSON a document with every
/// kind of value.
pub(super) fn seeds(path: &str) -> Vec<Seed> {
    let (endpoint, own) = (Endpoint::at(path), Own::example());
    let mut fields = endpoint.fields(&own);
    fields.extend(LEFT_OUT.iter().filter(|row| row.0 == path).map(|(_, name, value)| (*name, (*value).to_owned())));
    if fields.is_empty() {
        fields.push(("unknown", "1".to_owned()));
    }
    let forms = [(FORM, urlencoded(&fields)), (MULTIPART, multipart(&fields))];
    let document = (JSON, DOCUMENT.to_owned());
    match &endpoint.body {
        Body::Json(_) => vec![endpoint.call(&own), document],
        Body::ProviderPage(_) => forms.into_iter().chain([document]).collect(),
        Body::Form(_) | Body::Nothing => forms.into(),
    }
}

/// A valid body of this visitor.
pub(super) async fn valid(path: &str, visitor: &mut Visitor) -> Seed {
    let endpoint = Endpoint::at(path);
    let own = endpoint.own(visitor).await;
    match &endpoint.body {
        Body::Json(_) => endpoint.call(&own),
        _ => (MULTIPART, multipart(&endpoint.fields(&own))),
    }
}
