//! Bodies that the test changes, and valid bodies.

use std::fmt::Display;

use journeys::endpoints::Body;
use journeys::{Endpoint, PASSWORD, Visitor, paths};

pub(super) const FORM: &str = "application/x-www-form-urlencoded";
pub(super) const MULTIPART: &str = "multipart/form-data; boundary=x";
pub(super) const JSON: &str = "application/json";

/// A media type and a body.
pub(super) type Seed = (&'static str, String);

type Field<'a> = (&'a str, &'a str);

fn multipart<T: Display>(fields: &[(&str, T)]) -> String {
    let part = |(name, value): &(&str, T)| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    fields.iter().map(part).collect::<String>() + "--x--\r\n"
}

fn encoded(fields: &[Field<'_>]) -> String {
    let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("&")
}

/// Valid bodies. Some have one fault that is checked last, so that no time is spent on hashing.
pub(super) fn seeds(path: &str) -> Vec<Seed> {
    let fields: Vec<Field<'_>> = match path {
        paths::REGISTER => vec![
            ("nombre", "Ana"),
            ("email", "ana@example.com"),
            ("password", PASSWORD),
            ("confirm-password", PASSWORD),
            ("terms", "on"),
            ("notifications", "off"),
        ],
        paths::LOGIN => vec![("email", "ana@example.com"), ("password", PASSWORD)],
        paths::USER_CONFIG => vec![("name", "Ana"), ("avatar", ""), ("notifications", "on")],
        paths::SEND_RESET_LINK => vec![("email", "nadie@example.com")],
        paths::RESET_PASSWORD => {
            vec![("new_password", PASSWORD), ("confirm_password", PASSWORD), ("token", "AAAA.AAAA")]
        }
        paths::GOOGLE_REDIRECT => vec![("credential", "e30.e30.e30"), ("g_csrf_token", "x")],
        _ => vec![("a", "1")],
    };
    let document = r#"{"credential":"eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.AAAA","b":[1,{"c":null}]}"#.to_owned();
    let array = r#"[{"a":1,"b":"\u00f1"},{"c":[true,null,-0.0e1]},{}]"#.to_owned();
    match path {
        paths::RECEIVE_DATA => vec![(JSON, document), (JSON, array)],
        paths::GOOGLE_LOGIN => vec![(JSON, document)],
        paths::GOOGLE_REDIRECT => vec![(JSON, document), (FORM, encoded(&fields)), (MULTIPART, multipart(&fields))],
        _ => vec![(FORM, encoded(&fields)), (MULTIPART, multipart(&fields))],
    }
}

/// A valid body of this visitor.
pub(super) async fn valid(path: &str, visitor: &mut Visitor) -> Seed {
    let endpoint = Endpoint::at(path);
    let own = endpoint.own(visitor).await;
    match &endpoint.body {
        Body::Json(_) => {
            let (_, text) = endpoint.call(&own);
            (JSON, text)
        }
        _ => (MULTIPART, multipart(&endpoint.fields(&own))),
    }
}
