//! An HTTP answer, read whole.

use std::fmt::Write;

use reqwest::header::{HeaderMap, SET_COOKIE};
use serde_json::Value;

/// An HTTP answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub text: String,
}

impl Answer {
    pub(crate) async fn of(response: reqwest::Response) -> Result<Self, reqwest::Error> {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok(Self { status, headers, text: response.text().await? })
    }

    /// The body as JSON; null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// The member `success`; null if there is none.
    pub fn success(&self) -> Value {
        self.json().get("success").cloned().unwrap_or_default()
    }

    /// The status and `message`, which most tests compare.
    pub fn sentence(&self) -> (u16, String) {
        let message = self.json().get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
        (self.status, message)
    }

    /// A member of `user`; null if there is none.
    pub fn user(&self, member: &str) -> Value {
        self.json().get("user").and_then(|user| user.get(member)).cloned().unwrap_or_default()
    }

    /// A header's value, empty if it is missing.
    pub fn header(&self, name: &str) -> String {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    }

    /// Every `Set-Cookie`.
    pub fn set_cookies(&self) -> Vec<String> {
        let values = self.headers.get_all(SET_COOKIE).iter();
        values.filter_map(|value| value.to_str().ok()).map(str::to_owned).collect()
    }

    /// `name=value` of the session cookie that the answer sets. `None` if it sets no such cookie, or deletes it.
    pub fn opened(&self) -> Option<String> {
        let lines = self.set_cookies();
        let pairs = lines.iter().filter_map(|line| line.split(';').next());
        pairs.filter(|pair| is_session(pair) && !pair.ends_with('=')).map(str::to_owned).next()
    }

    /// `name=value` of the known-browser cookie, if the answer sets it.
    pub fn known_browser(&self) -> Option<String> {
        let lines = self.set_cookies();
        let pairs = lines.iter().filter_map(|line| line.split(';').next());
        pairs.filter(|pair| pair.trim_start_matches("__Host-").starts_with("browser=")).map(str::to_owned).next()
    }

    /// Whether the answer deletes the session cookie.
    pub fn ended(&self) -> bool {
        self.set_cookies().iter().any(|line| is_session(line) && line.contains("Max-Age=0"))
    }

    /// The answer as readable text. Values that differ in each run are replaced by names in brackets.
    pub fn whole(&self) -> String {
        let mut whole = format!("{}\n", self.status);
        for name in ["allow", "cache-control", "content-type", "location", "x-content-type-options"] {
            if self.headers.contains_key(name) {
                let value = self.header(name);
                let value =
                    if name == "location" { without_base(&value, &["/login?error=google", "/"]) } else { value };
                let _ = writeln!(whole, "{name}: {value}");
            }
        }
        for line in self.set_cookies() {
            let line = as_over_plain_http(&line);
            let (pair, attributes) = line.split_once(';').unwrap_or((&line, ""));
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = if value.is_empty() { "" } else { "[token]" };
            let _ = writeln!(whole, "set-cookie: {name}={value};{attributes}");
        }
        let mut body = self.json();
        if let Some(user) = body.get_mut("user").and_then(Value::as_object_mut) {
            for (member, redacted) in [("id", "[id]"), ("email", "[email]")] {
                if user.contains_key(member) {
                    user.insert(member.to_owned(), redacted.into());
                }
            }
            if let Some(Value::String(address)) = user.get_mut("url_image") {
                let file = address.rsplit('/').next().unwrap_or_default();
                *address = without_base(address, &[&format!("/assets/avatars/{file}")]);
            }
        }
        whole + &serde_json::to_string_pretty(&body).unwrap_or_default()
    }
}

/// A URL of the deployment's front end, without the parts that differ between deployments.
fn without_base(address: &str, ends: &[&str]) -> String {
    let end = ends.iter().find(|end| address.ends_with(*end));
    end.map_or_else(|| address.to_owned(), |end| format!("[front end]{end}"))
}

/// A `Set-Cookie` header as it would be over plain HTTP, without the prefix and `Secure`. A header that has only one of
/// them is unchanged.
fn as_over_plain_http(line: &str) -> String {
    match line.strip_prefix("__Host-") {
        Some(rest) if line.contains("; Secure") => rest.replace("; Secure", ""),
        _ => line.to_owned(),
    }
}

fn is_session(pair: &str) -> bool {
    pair.starts_with("session=") || pair.starts_with("__Host-session=")
}
