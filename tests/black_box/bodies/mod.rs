//! Bodies that are broken, huge, ambiguous or have another media type, at the endpoints in `FORMS` and `DOCUMENTS`.

mod documents;
mod forms;
mod sizes;

use journeys::bodies::{FORM, JSON, MULTIPART};
use journeys::sentences::{
    CONFIGURED, DATA_SAVED, INVALID_CREDENTIAL, INVALID_PARAMETERS, INVALID_TOKEN, LINK_SENT, LOGGED_IN, Sentence,
    TERMS_NOT_ACCEPTED, assert_says,
};
use journeys::{Answer, Service, Visitor, paths};
use reqwest::header::CONTENT_TYPE;

/// The statuses that an endpoint may answer to any body.
const STATUSES: [u16; 6] = [200, 400, 401, 403, 405, 413];
const MEGABYTE: usize = 1 << 20;

/// An endpoint that reads a body.
struct Endpoint {
    path: &'static str,
    /// The media types that it reads.
    types: &'static [&'static str],
    /// One of the fields that it reads.
    field: &'static str,
    /// A valid body, in which `{email}` stands for the visitor's address, and its answer.
    good: (&'static str, Sentence),
}

const FORMS: [Endpoint; 6] = [
    form(
        paths::REGISTER,
        "nombre",
        ("nombre=Ana&email={email}&password=Clave123&confirm-password=Clave123", TERMS_NOT_ACCEPTED),
    ),
    form(paths::LOGIN, "email", ("email={email}&password=Contrase%C3%B1a1", LOGGED_IN)),
    form(paths::USER_CONFIG, "name", ("name=Ana&notifications=on", CONFIGURED)),
    form(paths::SEND_RESET_LINK, "email", ("email={email}", LINK_SENT)),
    form(paths::RESET_PASSWORD, "token", ("token=x&new_password=Clave123&confirm_password=Clave123", INVALID_TOKEN)),
    Endpoint {
        types: &[FORM, MULTIPART, JSON],
        ..form(paths::GOOGLE_REDIRECT, "credential", ("credential=x", INVALID_CREDENTIAL))
    },
];

const DOCUMENTS: [Endpoint; 2] = [
    Endpoint {
        path: paths::GOOGLE_LOGIN,
        types: &[JSON],
        field: "credential",
        good: ("{\"credential\":\"x\"}", INVALID_CREDENTIAL),
    },
    Endpoint { path: paths::RECEIVE_DATA, types: &[JSON], field: "a", good: ("{\"a\":1}", DATA_SAVED) },
];

const fn form(path: &'static str, field: &'static str, good: (&'static str, Sentence)) -> Endpoint {
    Endpoint { path, types: &[FORM, MULTIPART], field, good }
}

impl Endpoint {
    /// The answer to an unreadable body.
    fn unreadable(&self) -> Sentence {
        journeys::Endpoint::at(self.path).broken
    }

    /// The answer to an empty body from a visitor with a session. The row has the answer without a session, which
    /// differs if the endpoint requires one.
    fn empty(&self) -> Sentence {
        let row = journeys::Endpoint::at(self.path);
        if row.needs_session() { INVALID_PARAMETERS } else { row.empty }
    }

    fn good_body(&self, visitor: &Visitor) -> String {
        self.good.0.replace("{email}", &visitor.email)
    }

    /// Asserts that the endpoint still answers a valid body.
    async fn assert_serves(&self, visitor: &mut Visitor, after: &str) {
        let content_type = self.types.first().copied();
        let answer = post(visitor, self.path, content_type, self.good_body(visitor)).await;
        assert_says(&answer, self.good.1, (self.path, after));
    }

    /// Asserts that a body is refused as unreadable, and that the next valid one is not.
    async fn assert_refuses(&self, visitor: &mut Visitor, content_type: Option<&str>, body: impl Into<Vec<u8>>) {
        let body = body.into();
        let start = body.get(..body.len().min(60)).unwrap_or_default();
        let row = format!("{} {content_type:?} {}", self.path, String::from_utf8_lossy(start));
        let answer = post(visitor, self.path, content_type, body).await;
        assert_says(&answer, self.unreadable(), &row);
        self.assert_serves(visitor, &row).await;
    }

    /// Asserts that a body gets any documented answer, and that the next valid body gets the right one.
    async fn assert_survives(&self, visitor: &mut Visitor, content_type: &str, body: impl Into<Vec<u8>>, row: &str) {
        let answer = post(visitor, self.path, Some(content_type), body).await;
        assert!(STATUSES.contains(&answer.status), "{} {row}: {answer:?}", self.path);
        assert!(answer.json().is_object(), "{} {row}: {answer:?}", self.path);
        self.assert_serves(visitor, row).await;
    }
}

async fn post(visitor: &mut Visitor, path: &str, content_type: Option<&str>, body: impl Into<Vec<u8>>) -> Answer {
    let request = visitor.request(path).body(body.into());
    match content_type {
        Some(content_type) => visitor.send(request.header(CONTENT_TYPE, content_type)).await,
        None => visitor.send(request).await,
    }
}

fn every_byte() -> Vec<u8> {
    (0..=u8::MAX).collect()
}

#[tokio::test]
async fn a_media_type_may_be_in_any_letter_case_and_have_parameters() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for endpoint in FORMS.iter().chain(&DOCUMENTS) {
        let content_type = endpoint.types[0];
        for spelling in
            [format!("{content_type}; charset=UTF-8"), format!("{content_type};x=y"), content_type.to_uppercase()]
        {
            let body = endpoint.good_body(&ana);
            let answer = post(&mut ana, endpoint.path, Some(&spelling), body).await;
            assert_says(&answer, endpoint.good.1, (endpoint.path, spelling));
        }
    }
}

#[tokio::test]
async fn an_empty_body_is_an_empty_form_but_not_a_json_document() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for endpoint in FORMS.iter().chain(&DOCUMENTS) {
        for content_type in [None, Some(endpoint.types[0])] {
            let answer = post(&mut ana, endpoint.path, content_type, "").await;
            assert_says(&answer, endpoint.empty(), (endpoint.path, content_type));
        }
    }
}
