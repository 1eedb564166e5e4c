//! What a client sends and what it gets, free of any service's habits.

use reqwest::Method;
use serde_json::Value;

/// Somebody with an address and a password of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The address.
    pub email: String,
    /// The password.
    pub password: String,
    /// The full name.
    pub name: String,
}

impl Person {
    /// The person of this number; no two numbers share anything.
    #[must_use]
    pub fn new(number: usize) -> Self {
        Self {
            email: format!("person-{number}@example.com"),
            password: format!("Clave-{number}-secreta"),
            name: format!("Ana {number}"),
        }
    }

    /// A password that is not theirs, and that keeps the rules.
    #[must_use]
    pub fn wrong_password(&self) -> String {
        format!("{}-no", self.password)
    }
}

/// What is sent in a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Nothing.
    None,
    /// JSON.
    Json(Value),
    /// An URL-encoded form.
    Form(Vec<(&'static str, String)>),
}

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// GET or POST.
    pub method: Method,
    /// Path on the service.
    pub path: &'static str,
    /// Headers beside those that the body needs.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Body,
}

impl Request {
    /// A GET.
    #[must_use]
    pub fn get(path: &'static str) -> Self {
        Self { method: Method::GET, path, headers: Vec::new(), body: Body::None }
    }

    /// A POST.
    #[must_use]
    pub fn post(path: &'static str, body: Body) -> Self {
        Self { method: Method::POST, path, headers: Vec::new(), body }
    }

    /// The same with one more header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The values of `Set-Cookie`.
    pub cookies: Vec<String>,
    /// The body; null if it is not JSON.
    pub body: Value,
}

impl Answer {
    /// Whether the status is this one and the body has this string at the JSON pointer.
    #[must_use]
    pub fn tells(&self, status: u16, pointer: &str, expected: &str) -> bool {
        self.status == status && self.body.pointer(pointer).and_then(Value::as_str) == Some(expected)
    }

    /// The cookie of this name as `name=value`, if it is set to something.
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.iter().find_map(|cookie| {
            let pair = cookie.split(';').next()?;
            let (found, value) = pair.split_once('=')?;
            (found == name && !value.is_empty()).then(|| pair.to_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer() -> Answer {
        let cookies = ["a=; Path=/", "b=2; HttpOnly", "bb=3"].map(str::to_owned).to_vec();
        Answer { status: 200, cookies, body: json!({"user": {"email": "ana@example.com"}}) }
    }

    #[test]
    fn people_share_neither_address_nor_password() {
        let (one, other) = (Person::new(1), Person::new(11));
        assert!(one.email != other.email && one.password != other.password);
        assert_ne!(one.wrong_password(), one.password);
    }

    #[test]
    fn an_answer_tells_what_its_status_and_its_body_say_together() {
        assert!(answer().tells(200, "/user/email", "ana@example.com"));
        assert!(!answer().tells(401, "/user/email", "ana@example.com"));
        assert!(!answer().tells(200, "/user/email", "eva@example.com"));
        assert!(!answer().tells(200, "/email", "ana@example.com"));
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name_unless_it_is_empty() {
        assert_eq!(answer().cookie("b").as_deref(), Some("b=2"));
        assert_eq!(answer().cookie("a"), None);
        assert_eq!(answer().cookie("c"), None);
    }
}
