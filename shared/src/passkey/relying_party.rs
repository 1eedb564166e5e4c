//! The relying party: the host of the front end, and the origins whose pages may use its passkeys.

use webauthn_rp::request::{AsciiDomain, RpId};

use crate::settings::domain_of;
use crate::{FrontEnd, Setup};

/// The relying party of all passkeys.
pub struct RelyingParty {
    /// The RP ID: the host of the front end.
    pub(super) id: RpId,
    /// The origins whose pages may use the passkeys, as browsers write them.
    pub(super) origins: Vec<String>,
}

impl RelyingParty {
    /// Reads `FRONT_END_URL` and `PASSKEY_ORIGINS`. Returns `None` where [`FrontEnd::rp_id`] does.
    #[must_use]
    pub fn new(setup: &Setup) -> Option<Self> {
        let settings = setup.settings();
        let front_end = FrontEnd::new(settings);
        let more = settings.passkey_origins();
        let (host, origin) = (front_end.rp_id()?, front_end.origin()?);
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

/// Whether the host of an origin is this one, or a subdomain of it.
fn is_under(origin: &str, host: &str) -> bool {
    let Some(of_origin) = domain_of(origin) else { return false };
    of_origin.strip_suffix(host).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

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
