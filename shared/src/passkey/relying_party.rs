//! The relying party: the host of the front end, and the origins whose pages may use its passkeys.

use std::net::IpAddr;

use http::Uri;
use webauthn_rp::request::{AsciiDomain, RpId};

use crate::settings::origin_of;
use crate::{FrontEnd, Setup};

/// The relying party of all passkeys.
pub struct RelyingParty {
    /// The RP ID: the host of the front end.
    pub(super) id: RpId,
    /// The origins whose pages may use the passkeys, as browsers write them.
    pub(super) origins: Vec<String>,
}

impl RelyingParty {
    /// Reads `FRONT_END_URL` and `PASSKEY_ORIGINS`. Returns `None` if the host of the front end is an IP address,
    /// because browsers do not support passkeys on such hosts. Without HTTPS they support them only on `localhost`, and
    /// [`Settings::url`](crate::Settings::url) allows no other host name without HTTPS.
    #[must_use]
    pub fn new(setup: &Setup) -> Option<Self> {
        let settings = setup.settings();
        let address = FrontEnd::new(settings);
        let more = settings.passkey_origins();
        let (host, origin) = host_and_origin(address.address())?;
        if more.iter().any(|origin| !is_under(origin, &host)) {
            settings.fault("PASSKEY_ORIGINS", "must be origins under the host of FRONT_END_URL");
        }
        let id = RpId::Domain(AsciiDomain::try_from(host).ok()?);
        let origins = std::iter::once(origin).chain(more).collect();
        Some(Self { id, origins })
    }

    /// The origins whose pages may use the passkeys.
    #[must_use]
    pub fn origins(&self) -> &[String] {
        &self.origins
    }
}

/// The host of an address and its origin, both as browsers write them; `None` if the host is an IP address.
fn host_and_origin(address: &str) -> Option<(String, String)> {
    let uri: Uri = address.parse().ok()?;
    let host = uri.host()?.to_ascii_lowercase();
    if host.starts_with('[') || host.parse::<IpAddr>().is_ok() {
        return None;
    }
    Some((host, origin_of(address)?))
}

/// Whether the host of an origin is this one, or a subdomain of it.
fn is_under(origin: &str, host: &str) -> bool {
    let Some((of_origin, _)) = host_and_origin(origin) else { return false };
    of_origin.strip_suffix(host).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_the_front_ends_as_browsers_write_it() {
        for (address, expected) in [
            ("https://app.example", Some(("app.example", "https://app.example"))),
            ("https://App.Example:443/base", Some(("app.example", "https://app.example"))),
            ("https://app.example:8443", Some(("app.example", "https://app.example:8443"))),
            ("http://localhost:5173", Some(("localhost", "http://localhost:5173"))),
            ("http://127.0.0.1:8000", None),
            ("http://[::1]:8000", None),
            ("https://192.0.2.1", None),
        ] {
            let found = host_and_origin(address);
            assert_eq!(found.as_ref().map(|(host, origin)| (&**host, &**origin)), expected, "{address}");
        }
    }

    #[test]
    fn a_further_origin_is_of_the_same_host_or_of_a_subdomain() {
        for (origin, under) in [
            ("https://app.example", true),
            ("https://app.example:8443", true),
            ("https://www.app.example", true),
            ("https://evilapp.example", false),
            ("https://app.example.evil.test", false),
            ("https://example", false),
        ] {
            assert_eq!(is_under(origin, "app.example"), under, "{origin}");
        }
    }
}
