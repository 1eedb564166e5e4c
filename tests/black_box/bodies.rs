//! Bodies that are broken, huge, ambiguous or have another media type, at the endpoints in `FORMS` and `DOCUMENTS`.

use journeys::bodies::{FORM, JSON, MULTIPART, multipart};
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

#[tokio::test]
async fn a_body_with_another_media_type_is_refused() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for endpoint in &FORMS {
        let body = endpoint.good_body(&ana);
        for content_type in ["text/plain", "application/xml", "application/x-www-form-urlencodedx", "form", "*/*", ""] {
            endpoint.assert_refuses(&mut ana, Some(content_type), body.clone()).await;
        }
        endpoint.assert_refuses(&mut ana, None, body.clone()).await;
        endpoint.assert_refuses(&mut ana, Some("text/plain"), "").await;
        endpoint.assert_refuses(&mut ana, Some(JSON), body).await;
        if !endpoint.types.contains(&JSON) {
            let document = format!("{{\"{}\":\"Ana\"}}", endpoint.field);
            endpoint.assert_refuses(&mut ana, Some(JSON), document).await;
        }
    }
    for endpoint in &DOCUMENTS {
        let body = endpoint.good_body(&ana);
        for content_type in ["text/plain", "text/json", "application/jsonx", "application/xml", FORM, MULTIPART, ""] {
            endpoint.assert_refuses(&mut ana, Some(content_type), body.clone()).await;
        }
        endpoint.assert_refuses(&mut ana, None, body).await;
        endpoint.assert_refuses(&mut ana, Some(FORM), "credential=x&a=1").await;
        endpoint.assert_refuses(&mut ana, Some(MULTIPART), multipart(&[("credential", "x")])).await;
    }
}

#[tokio::test]
async fn bytes_that_are_not_text_are_refused() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for endpoint in &FORMS {
        endpoint.assert_refuses(&mut ana, Some(FORM), every_byte()).await;
        for value in ["%FF", "%C3%28", "%ED%A0%80", "%C0%80", "a%80"] {
            endpoint.assert_refuses(&mut ana, Some(FORM), format!("{}={value}", endpoint.field)).await;
        }
        let mut part = multipart(&[(endpoint.field, "#")]).into_bytes();
        part.iter_mut().filter(|byte| **byte == b'#').for_each(|byte| *byte = 0xff);
        endpoint.assert_refuses(&mut ana, Some(MULTIPART), part).await;
    }
}

#[tokio::test]
async fn a_document_of_bytes_that_are_not_text_is_refused() {
    let mut ana = Service::shared().visitor();
    for endpoint in &DOCUMENTS {
        endpoint.assert_refuses(&mut ana, Some(JSON), every_byte()).await;
        endpoint.assert_refuses(&mut ana, Some(JSON), b"{\"credential\":\"\xff\"}").await;
        let good = endpoint.good_body(&ana);
        let (open, members) = good.split_at(good.find('{').unwrap() + 1);
        let unknown = b"\"other\":\"\xff\",";
        endpoint.assert_refuses(&mut ana, Some(JSON), [open.as_bytes(), unknown, members.as_bytes()].concat()).await;
    }
}

#[tokio::test]
async fn a_field_given_twice_with_different_values_is_refused() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for endpoint in &FORMS {
        let (field, good) = (endpoint.field, endpoint.good_body(&ana));
        for second in ["otra", "", "%20"] {
            endpoint.assert_refuses(&mut ana, Some(FORM), format!("{good}&{field}={second}")).await;
            endpoint.assert_refuses(&mut ana, Some(FORM), format!("{field}={second}&{good}")).await;
        }
        endpoint.assert_refuses(&mut ana, Some(MULTIPART), multipart(&[(field, "Ana"), (field, "Eva")])).await;
    }
}

#[tokio::test]
async fn unknown_fields_with_any_value_are_ignored() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let long = format!("otro={}", "a".repeat(MEGABYTE));
    for endpoint in &FORMS {
        for unknown in ["otro=%FF", "otro=1&otro=2", "otro[]=1", "otro", "=1", "&&", "%FF=1", "otro=%zz", &long] {
            let body = format!("{unknown}&{}", endpoint.good_body(&ana));
            let answer = post(&mut ana, endpoint.path, Some(FORM), body).await;
            let shown: String = unknown.chars().take(20).collect();
            assert_says(&answer, endpoint.good.1, (endpoint.path, shown));
        }
    }
}

#[tokio::test]
async fn a_multipart_form_is_accepted_too() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for endpoint in &FORMS {
        let url = format!("http://localhost/?{}", endpoint.good_body(&ana)).parse::<reqwest::Url>().unwrap();
        let fields: Vec<_> = url.query_pairs().collect();
        let fields: Vec<_> = fields.iter().map(|(name, value)| (&**name, value)).collect();
        let answer = post(&mut ana, endpoint.path, Some(MULTIPART), multipart(&fields)).await;
        assert_says(&answer, endpoint.good.1, endpoint.path);
    }
}

#[tokio::test]
async fn a_credential_given_twice_is_refused() {
    let mut ana = Service::shared().visitor();
    let google = &DOCUMENTS[0];
    google.assert_refuses(&mut ana, Some(JSON), "{\"credential\":\"x\",\"credential\":\"y\"}").await;
}

#[tokio::test]
async fn huge_bodies_do_not_break_the_service() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let header =
        format!("--x\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n1\r\n--x--", "a".repeat(4 * MEGABYTE));
    for endpoint in &FORMS {
        let (field, long) = (endpoint.field, "a".repeat(MEGABYTE));
        endpoint.assert_survives(&mut ana, FORM, format!("{field}={long}"), "a long value").await;
        endpoint.assert_survives(&mut ana, FORM, format!("{field}[{long}]=1"), "a long name").await;
        endpoint.assert_survives(&mut ana, FORM, format!("{field}={}", "%".repeat(MEGABYTE)), "percent signs").await;
        endpoint.assert_survives(&mut ana, MULTIPART, multipart(&[(field, &long)]), "a long part").await;
        endpoint.assert_survives(&mut ana, MULTIPART, vec![0xff; MEGABYTE], "no part").await;
        endpoint.assert_survives(&mut ana, MULTIPART, header.clone(), "a part header of 4 MB").await;
    }
    for endpoint in &DOCUMENTS {
        let text = format!("{{\"credential\":\"{}\"}}", "a".repeat(MEGABYTE));
        endpoint.assert_survives(&mut ana, JSON, text, "a long string").await;
        endpoint.assert_survives(&mut ana, JSON, "[".repeat(MEGABYTE), "open brackets").await;
        let nested = format!("{{\"credential\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        endpoint.assert_survives(&mut ana, JSON, nested, "nested brackets").await;
    }
}

#[tokio::test]
async fn huge_documents_that_are_not_text_do_not_break_the_service() {
    let mut ana = Service::shared().visitor();
    for endpoint in &DOCUMENTS {
        endpoint.assert_survives(&mut ana, JSON, vec![0xff; MEGABYTE], "no text").await;
    }
}
