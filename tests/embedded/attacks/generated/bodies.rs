//! Bodies that the test changes, and valid bodies.

use journeys::bodies::{FORM, JSON, MULTIPART, multipart, urlencoded};
use journeys::requests::{Body, Call, Values};
use journeys::{Embedded, Endpoint, Visitor};

/// A media type and a body.
pub(super) type Seed = (&'static str, String);

/// A document with every kind of value.
const DOCUMENT: &str =
    r#"{"credential":"eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.AAAA","b":[1,{"c":null},"\u00f1",true,-0.0e1,{}]}"#;

/// Bodies to start from: the body of the endpoint's first request with its optional fields, and for JSON a document with
/// every kind of value.
pub(super) fn seeds(path: &str) -> Vec<Seed> {
    let (request, mut values) = (Endpoint::at(path).request(), Values::example());
    // This value is invalid and is checked last, so that a registration is refused before its password is hashed.
    values.set("news", "off");
    values.set("avatar", "");
    let mut fields = request.fields(&values);
    if fields.is_empty() {
        fields.push(("unknown", "1".to_owned()));
    }
    let forms = [(FORM, urlencoded(&fields)), (MULTIPART, multipart(&fields))];
    let document = (JSON, DOCUMENT.to_owned());
    match request.body {
        Body::Json(_) | Body::Entries(_) => vec![seed(request.call(&values)), document],
        Body::ProviderPage(_) => forms.into_iter().chain([document]).collect(),
        Body::Form(_) | Body::Nothing => forms.into(),
    }
}

/// A valid body of this visitor.
pub(super) async fn valid(stack: &Embedded, path: &str, visitor: &mut Visitor) -> Seed {
    let request = Endpoint::at(path).request();
    let values = stack.values(request, visitor).await;
    match request.body {
        Body::Json(_) => seed(request.call(&values)),
        _ => (MULTIPART, multipart(&request.fields(&values))),
    }
}

fn seed(call: Call) -> Seed {
    (call.content_type, call.body)
}
