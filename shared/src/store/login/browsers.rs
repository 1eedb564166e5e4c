//! Known browsers. Their hashes are in the profile, so a login that reads the account also reads them.
//!
//! Only the first login of a browser writes the profile. If two browsers log in for the first time at the same moment,
//! the last write wins, and the other browser is unknown at its next login.

use aws_sdk_dynamodb::types::AttributeValue;

use super::attempts;
use crate::account::{BrowserSecret, KnownBrowser, with_browser};
use crate::store::table::{self, Write, n};
use crate::system::clock::Timestamp;
use crate::system::random::Random;
use crate::{BrowserName, Fault, NoticesSetting, Setup};

/// What opening a session needs to know of the browser.
#[derive(Clone, Copy)]
pub struct Opener<'a> {
    /// The `User-Agent` of the browser. Only the name that is made from it is stored.
    pub user_agent: Option<&'a str>,
    /// The token of the session that the browser presented. The session ends.
    pub presented: Option<&'a crate::Token>,
    /// The known-browser cookie.
    pub browser: BrowserCookie<'a>,
}

/// The known-browser cookie in a call.
#[derive(Clone, Copy)]
pub enum BrowserCookie<'a> {
    /// The browser sends its cookies with this call.
    Sent(Option<&'a BrowserSecret>),
    /// The cookie is not read: a page of another site makes the call, so browsers send no cookie, or known browsers are
    /// off.
    Withheld,
}

/// Whether known browsers are stored. The notice of a new browser and the limit of failed logins need them.
pub(in crate::store) fn are_known(setup: &Setup) -> bool {
    // Both are read, so that the faults of both are reported.
    let (notices, limit) = (NoticesSetting::new(setup.settings()), attempts::limit(setup));
    notices == NoticesSetting::On || limit > 0
}

/// The change of the update expression that stores [`Recognised::browsers`].
pub(in crate::store) const REMEMBER: &str =
    "#browsers = :browsers, #browsers_since = if_not_exists(#browsers_since, :seen)";

/// The browser of a login.
pub(in crate::store) struct Recognised {
    /// Its secret; `None` if the cookie was not read.
    pub(in crate::store) secret: Option<BrowserSecret>,
    /// The browsers of the account with this one; `None` if it is known already, or if the cookie was not read.
    pub(in crate::store) browsers: Option<Vec<KnownBrowser>>,
    pub(in crate::store) now: Timestamp,
}

impl Recognised {
    /// Finds the browser of a login among the known ones. An unknown browser keeps the secret that it has sent, because
    /// other accounts may know it.
    pub(in crate::store) fn find(
        known: &[KnownBrowser],
        opener: Opener<'_>,
        now: Timestamp,
        random: &dyn Random,
    ) -> Result<Self, Fault> {
        let BrowserCookie::Sent(sent) = opener.browser else {
            return Ok(Self { secret: None, browsers: None, now });
        };
        let secret = sent.cloned().map_or_else(|| BrowserSecret::mint(random), Ok)?;
        let hash = secret.hash();
        let browsers = known.iter().all(|browser| browser.hash != hash).then(|| {
            let name = BrowserName::of(opener.user_agent);
            with_browser(known, KnownBrowser { hash, name, created_at: now.seconds() })
        });
        Ok(Self { secret: Some(secret), browsers, now })
    }

    /// Sets the values of [`REMEMBER`].
    pub(in crate::store) fn values(browsers: &[KnownBrowser], now: Timestamp, write: Write) -> Result<Write, Fault> {
        let list: AttributeValue = table::attribute(&browsers)?;
        Ok(write.value(":browsers", list).value(":seen", n(now.seconds())))
    }
}
