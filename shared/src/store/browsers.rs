//! The browser of a call, and whether the account knows it.

use aws_sdk_dynamodb::types::AttributeValue;

use super::items::failures;
use super::table::{self, Table, Update, n};
use crate::account::{Account, BrowserSecret, KnownBrowser, with_browser};
use crate::system::clock::Timestamp;
use crate::{BrowserName, Fault, NoticesSetting, Setup, Token};

/// The browser that makes a call.
#[derive(Clone, Copy)]
pub struct Browser<'a> {
    /// Its `User-Agent`. Only the name that is made from it is stored.
    pub user_agent: Option<&'a str>,
    /// The token of the session that it presented. A login ends that session.
    pub presented: Option<&'a Token>,
    /// Its known-browser cookie.
    pub cookie: BrowserCookie<'a>,
}

/// The known-browser cookie in a call.
#[derive(Clone, Copy)]
pub enum BrowserCookie<'a> {
    /// The browser sends its cookies with this call.
    Sent(Option<&'a BrowserSecret>),
    /// The cookie is not read: a page of another site makes the call, so browsers send no cookie.
    Withheld,
}

/// Looks browsers up among those that an account knows.
#[derive(Clone)]
pub(in crate::store) struct Browsers {
    table: Table,
    /// Whether an account remembers its browsers.
    is_on: bool,
}

/// A browser, looked up among those that an account knows.
#[derive(Clone)]
pub(in crate::store) struct Recognised {
    pub(in crate::store) secret: Option<BrowserSecret>,
    /// The browsers that the account will know; `None` if they stay as they are.
    pub(in crate::store) browsers: Option<Vec<KnownBrowser>>,
    now: Timestamp,
}

impl Browsers {
    /// Reads `ACCOUNTS_TABLE`, `NOTICES` and `LOGIN_MAX_FAILURES`.
    pub(in crate::store) fn new(setup: &Setup) -> Self {
        // The notice of a new browser and the limit of failed logins need the known browsers.
        let (notices, limit) = (NoticesSetting::new(setup.settings()), failures::limit(setup));
        Self { table: Table::accounts(setup), is_on: notices == NoticesSetting::On || limit > 0 }
    }

    /// Finds the browser of a login among the known ones. An unknown browser keeps the secret that it has sent, because
    /// other accounts may know it.
    pub(in crate::store) fn recognise(
        &self,
        known: &[KnownBrowser],
        browser: Browser<'_>,
    ) -> Result<Recognised, Fault> {
        let now = self.table.now();
        let sent = match browser.cookie {
            BrowserCookie::Sent(sent) if self.is_on => sent,
            _ => return Ok(Recognised { secret: None, browsers: None, now }),
        };
        let secret = sent.cloned().map_or_else(|| BrowserSecret::mint(self.table.random()), Ok)?;
        let hash = secret.hash();
        let browsers = known.iter().all(|browser| browser.hash != hash).then(|| {
            let name = BrowserName::of(browser.user_agent);
            with_browser(known, KnownBrowser { hash, name, created_at: now.seconds() })
        });
        Ok(Recognised { secret: Some(secret), browsers, now })
    }

    /// Recognises a browser whose owner ends all others, so that the account then knows it alone.
    pub(in crate::store) fn keep_only(
        &self,
        known: &[KnownBrowser],
        browser: Browser<'_>,
    ) -> Result<Recognised, Fault> {
        let recognised = self.recognise(&[], browser)?;
        let Some(secret) = &recognised.secret else { return Ok(recognised) };
        let hash = secret.hash();
        let own = known.iter().find(|known| known.hash == hash).map(|own| vec![own.clone()]);
        Ok(Recognised { browsers: own.or(recognised.browsers), ..recognised })
    }
}

impl Recognised {
    /// Adds to an update of the profile that the browser is known from now on, if it was not.
    pub(in crate::store) fn remember(&self, update: Update) -> Result<Update, Fault> {
        let Some(browsers) = &self.browsers else { return Ok(update) };
        let list: AttributeValue = table::attribute(browsers)?;
        Ok(update.set("browsers", list).set_if_absent("browsers_since", n(self.now.seconds())))
    }

    /// Adds to an update of the profile that it forgets all browsers but this one.
    pub(in crate::store) fn forget_others(&self, update: Update) -> Result<Update, Fault> {
        if self.browsers.is_none() { Ok(update.remove(&["browsers"])) } else { self.remember(update) }
    }

    /// As [`Recognised::remember`], in an account that is not stored yet.
    pub(in crate::store) fn remember_in(&self, account: &mut Account) {
        if let Some(browsers) = &self.browsers {
            account.browsers.clone_from(browsers);
            account.browsers_since = Some(self.now.seconds());
        }
    }
}
