//! Settings that are URLs or origins.

use std::net::IpAddr;

use http::HeaderValue;

use super::{MISSING, Settings};

impl Settings {
    /// A URL without a trailing slash. It starts with `https://`, or with `http://` if its host is this machine.
    #[must_use]
    pub fn url(&self, name: &str) -> String {
        self.optional_url(name).unwrap_or_else(|| self.fault(name, MISSING))
    }

    /// As [`Settings::url`]; `None` when it is empty.
    #[must_use]
    pub fn optional_url(&self, name: &str) -> Option<String> {
        self.optional(name).map(|text| self.safe_url(name, text))
    }

    /// As [`Settings::url`], for a variable that the template does not set; `None` when it is missing or empty.
    pub(crate) fn url_outside_template(&self, name: &str) -> Option<String> {
        self.outside_template(name).map(|text| self.safe_url(name, text))
    }

    fn safe_url(&self, name: &str, text: String) -> String {
        if is_safe_url(&text) {
            return text;
        }
        self.fault(name, "must be an https:// URL without a trailing slash (http:// only for localhost)")
    }

    /// `CORS_ORIGINS`: the origins of front ends that the service itself does not serve.
    pub(crate) fn cors_origins(&self) -> Vec<HeaderValue> {
        self.origins("CORS_ORIGINS")
    }

    /// `PASSKEY_ORIGINS`: further origins of pages that may use passkeys.
    #[must_use]
    pub fn passkey_origins(&self) -> Vec<String> {
        let origins = self.origins("PASSKEY_ORIGINS");
        origins.iter().filter_map(|origin| origin.to_str().ok()).map(str::to_owned).collect()
    }

    /// Origins (RFC 6454) separated by commas, in the spelling that browsers send.
    fn origins(&self, name: &str) -> Vec<HeaderValue> {
        let text = self.optional(name).unwrap_or_default();
        let origins = text.split(',').map(str::trim).filter(|origin| !origin.is_empty());
        let origins: Vec<Option<HeaderValue>> = origins.map(origin).collect();
        if origins.contains(&None) {
            self.fault(
                name,
                "must be origins as browsers send them, separated by commas, such as https://app.example.com: lower case, \
                 no path, no default port, no pattern (http:// only for localhost)",
            );
        }
        origins.into_iter().flatten().collect()
    }
}

/// An origin as a header value; `None` if [`is_origin`] does not hold.
fn origin(text: &str) -> Option<HeaderValue> {
    is_origin(text).then(|| HeaderValue::from_str(text).ok()).flatten()
}

/// Whether a text is an origin that is safe, in the spelling that browsers send.
pub(crate) fn is_origin(text: &str) -> bool {
    is_safe_url(text) && !text.contains('*') && origin_of(text).as_deref() == Some(text)
}

/// The origin of an address, as browsers write it.
pub(crate) fn origin_of(address: &str) -> Option<String> {
    let uri: http::Uri = address.parse().ok()?;
    let (scheme, host) = (uri.scheme_str()?, uri.host()?.to_ascii_lowercase());
    let default_port = if scheme == "https" { 443 } else { 80 };
    let port = uri.port_u16().filter(|port| *port != default_port);
    Some(format!("{scheme}://{host}{}", port.map(|port| format!(":{port}")).unwrap_or_default()))
}

/// The host of an address, as browsers write it; `None` if it is an IP address.
pub(crate) fn domain_of(address: &str) -> Option<String> {
    let uri: http::Uri = address.parse().ok()?;
    let host = uri.host()?.to_ascii_lowercase();
    let is_address = host.starts_with('[') || host.parse::<IpAddr>().is_ok();
    (!is_address).then_some(host)
}

fn is_safe_url(text: &str) -> bool {
    let Ok(uri) = text.parse::<http::Uri>() else { return false };
    let local = matches!(uri.host(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let scheme = uri.scheme_str();
    let no_user = !uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
    no_user
        && !text.ends_with('/')
        && !text.contains(['?', '#', '"', '{', '}'])
        && (scheme == Some("https") || (scheme == Some("http") && local))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_accepted_only_in_the_spelling_that_browsers_send() {
        let listed = "https://app.example.com, https://app.example.com:8443 ,http://localhost:5173,";
        let settings = Settings::for_tests([("CORS_ORIGINS", listed)]);
        assert_eq!(settings.origins("CORS_ORIGINS").len(), 3);
        assert_eq!(settings.check(), Ok(()));
        for text in [
            "*",
            "null",
            "https://*.example.com",
            "https://app.example.com/",
            "https://app.example.com/path",
            "https://App.example.com",
            "https://app.example.com:443",
            "http://app.example.com",
            "http://localhost:80",
            "app.example.com",
            "https://ana@app.example.com",
            "https://app.example.com https://other.example.com",
            "https://ñ.example.com",
        ] {
            let settings = Settings::for_tests([("CORS_ORIGINS", text)]);
            let _ = settings.origins("CORS_ORIGINS");
            assert!(settings.check().is_err(), "{text}");
        }
    }

    #[test]
    fn an_origin_and_a_host_are_as_browsers_write_them() {
        for (address, origin, host) in [
            ("https://app.example", "https://app.example", Some("app.example")),
            ("https://App.Example:443/base", "https://app.example", Some("app.example")),
            ("https://app.example:8443", "https://app.example:8443", Some("app.example")),
            ("http://localhost:5173", "http://localhost:5173", Some("localhost")),
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000", None),
            ("http://[::1]:8000", "http://[::1]:8000", None),
            ("https://192.0.2.1", "https://192.0.2.1", None),
        ] {
            assert_eq!(
                (origin_of(address).as_deref(), domain_of(address).as_deref()),
                (Some(origin), host),
                "{address}"
            );
        }
    }

    #[test]
    fn an_unsafe_url_is_refused() {
        for (text, safe) in [
            ("https://app.example", true),
            ("https://app.example/base", true),
            ("http://127.0.0.1:8000", true),
            ("http://app.example", false),
            ("http://localhost.evil.example", false),
            ("https://app.example/", false),
            ("https://user@app.example", false),
            ("https://app.example?x", false),
            ("javascript:alert(1)", false),
            ("app.example", false),
            ("https://app.example/\"onclick=\"alert(1)", false),
            ("https://app.example/<b>", false),
            ("https://app.example/{minutes}", false),
            ("https://app.example/\r\nBcc: eva@example.com", false),
            ("https://app.example\u{2028}", false),
        ] {
            assert_eq!(is_safe_url(text), safe, "{text}");
        }
    }
}
