//! The session cookie and the known-browser cookie: their names, parsing and formatting.
//!
//! The crate `cookie` formats cookies. Parsing is our own: libraries trim Unicode blanks around a name, so a subdomain
//! could set a cookie that is read as a `__Host-` cookie.

use cookie::time::Duration;
use cookie::{Cookie, SameSite};
use http::header::COOKIE;

use crate::endpoint::request::Request;
use crate::store::absolute_seconds;
use crate::{BrowserSecret, Setup, Token};

/// The lifetime of the known-browser cookie: a year, in seconds. Each login renews it.
const BROWSER_SECONDS: i64 = 365 * 24 * 60 * 60;

/// The session cookie that a request presents.
pub enum Presented {
    /// No session cookie.
    Nothing,
    /// A session cookie whose value is not a token.
    Malformed,
    /// More than one session cookie.
    Several,
    /// A token, which may belong to a session.
    Token(Token),
}

impl Presented {
    /// The token, if the request has one.
    #[must_use]
    pub fn token(&self) -> Option<&Token> {
        match self {
            Self::Token(token) => Some(token),
            Self::Nothing | Self::Malformed | Self::Several => None,
        }
    }
}

/// The names and attributes of the two cookies.
#[derive(Debug, Clone)]
pub(crate) struct Cookies {
    secure: bool,
    max_age: u64,
    /// Whether pages of another site may send the cookies, if `CORS_ORIGINS` lists their origin.
    is_cross_site: bool,
}

impl Cookies {
    /// Reads `COOKIE_SECURE`, `SESSION_SAME_SITE` and the lifetime of a session.
    pub(crate) fn new(setup: &Setup) -> Self {
        let settings = setup.settings();
        let secure = settings.outside_template("COOKIE_SECURE").is_none() || settings.flag("COOKIE_SECURE");
        let is_cross_site = settings.choice("SESSION_SAME_SITE", [("lax", false), ("none", true)]);
        if is_cross_site && settings.cors_origins().is_empty() {
            settings.fault("SESSION_SAME_SITE", "cannot be none without CORS_ORIGINS: no page could read an answer");
        }
        if is_cross_site && !secure {
            settings.fault("SESSION_SAME_SITE", "cannot be none without COOKIE_SECURE: browsers refuse the cookie");
        }
        Self { secure, max_age: absolute_seconds(setup), is_cross_site }
    }

    fn session(&self) -> &'static str {
        if self.secure { "__Host-session" } else { "session" }
    }

    fn known_browser(&self) -> &'static str {
        if self.secure { "__Host-browser" } else { "browser" }
    }

    /// The session cookie of a request.
    pub(crate) fn presented(&self, request: &Request) -> Presented {
        match values(request, self.session()).as_slice() {
            [] => Presented::Nothing,
            [text] => Token::parse(text).map_or(Presented::Malformed, Presented::Token),
            _ => Presented::Several,
        }
    }

    /// The secret of the browser. `None` if it sent no secret or several: it is unknown which of them is its own.
    pub(crate) fn browser(&self, request: &Request) -> Option<BrowserSecret> {
        let [text] = values(request, self.known_browser())[..] else { return None };
        BrowserSecret::parse(text)
    }

    /// `Set-Cookie` with the token of a new session.
    pub(crate) fn opening(&self, token: &Token) -> String {
        let seconds = i64::try_from(self.max_age).unwrap_or(i64::MAX);
        self.set_cookie(self.session(), token.reveal().as_str(), seconds)
    }

    /// `Set-Cookie` that deletes the session cookie.
    pub(crate) fn ending(&self) -> String {
        self.set_cookie(self.session(), "", 0)
    }

    /// `Set-Cookie` with the secret of a known browser.
    pub(crate) fn remembering(&self, secret: &BrowserSecret) -> String {
        self.set_cookie(self.known_browser(), secret.reveal().as_str(), BROWSER_SECONDS)
    }

    /// `Set-Cookie` that deletes the session cookie that was set before `SESSION_SAME_SITE` changed. Browsers store a
    /// partitioned cookie beside an unpartitioned one of the same name, and send both. Two cookies are no session, so a
    /// user who has both could not sign in until one of them expires. Over plain HTTP
    /// only one kind exists, and the result is `None`.
    pub(crate) fn ending_other_kind(&self) -> Option<String> {
        self.secure.then(|| Self { is_cross_site: !self.is_cross_site, ..self.clone() }.ending())
    }

    fn set_cookie(&self, name: &str, value: &str, max_age: i64) -> String {
        Cookie::build((name, value))
            .max_age(Duration::seconds(max_age))
            .path("/")
            .http_only(true)
            .same_site(if self.is_cross_site { SameSite::None } else { SameSite::Lax })
            .secure(self.secure)
            .partitioned(self.is_cross_site)
            .to_string()
    }
}

/// The values of all cookies with exactly this name. Only ASCII whitespace is trimmed, and quotes are not removed. A
/// subdomain may set a cookie named U+2000 followed by `__Host-session`, because this name does not begin with the
/// prefix. A library that trims Unicode whitespace would take it for the session cookie.
#[must_use]
pub fn values<'a>(request: &'a Request, name: &str) -> Vec<&'a str> {
    let lines = request.headers().get_all(COOKIE).iter().filter_map(|line| str::from_utf8(line.as_bytes()).ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim_matches([' ', '\t']).split_once('='));
    pairs.filter(|(found, _)| *found == name).map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lambda::read_request;
    use crate::system::random::SystemRandom;
    use crate::{AccountKey, Email};

    fn request(cookies: &[&str]) -> Request {
        let event = serde_json::json!({"cookies": cookies, "requestContext": {"http": {"method": "POST"}}});
        read_request(&event.to_string()).unwrap()
    }

    /// The cookies of a service whose session lasts a week.
    fn cookies() -> Cookies {
        Cookies::new(&setup(("SESSION_SAME_SITE", "lax"), ("CORS_ORIGINS", ""), ("COOKIE_SECURE", "")))
    }

    fn setup(same_site: (&str, &str), origins: (&str, &str), secure: (&str, &str)) -> Setup {
        Setup::for_tests([same_site, origins, secure, ("SESSION_ABSOLUTE_SECONDS", "604800")])
    }

    fn token() -> Token {
        Token::mint(&AccountKey::of(&Email::parse("ana@example.com").unwrap()), &SystemRandom).unwrap()
    }

    #[test]
    fn the_cookie_is_host_bound_http_only_and_lax() {
        let cookie = cookies();
        assert_eq!(cookie.ending(), "__Host-session=; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=0");
        assert!(cookie.opening(&token()).ends_with("; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=604800"));
        let plain = setup(("SESSION_SAME_SITE", "lax"), ("CORS_ORIGINS", ""), ("COOKIE_SECURE", "false"));
        let plain = Cookies::new(&plain);
        assert_eq!(plain.ending(), "session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0");
    }

    #[test]
    fn a_front_end_on_another_site_gets_a_partitioned_cookie() {
        let read = |same_site, origins, secure| {
            let setup = setup(("SESSION_SAME_SITE", same_site), ("CORS_ORIGINS", origins), ("COOKIE_SECURE", secure));
            let cookies = Cookies::new(&setup);
            setup.settings().check().map(|()| cookies).map_err(|error| error.to_string())
        };
        let origins = "https://app.example.org";
        let ending = read("none", origins, "").unwrap().ending();
        assert_eq!(ending, "__Host-session=; HttpOnly; SameSite=None; Partitioned; Secure; Path=/; Max-Age=0");
        assert!(read("none", " ,", "").is_err() && read("strict", origins, "").is_err());
        assert!(read("none", origins, "false").err().unwrap().contains("COOKIE_SECURE"));
    }

    #[test]
    fn the_session_cookie_is_found_among_other_cookies() {
        let token = token();
        let sent = format!("a=1; __Host-session={}; $Version=1", token.reveal().as_str());
        let presented = cookies().presented(&request(&[&sent]));
        assert_eq!(presented.token().unwrap().hash(), token.hash());
    }

    #[test]
    fn a_cookie_that_resembles_the_session_cookie_is_no_session() {
        let text = token().reveal().to_string();
        let cookie = cookies();
        for cookies in [
            vec![format!("__host-session={text}")],
            vec![format!("\u{2000}__Host-session={text}")],
            vec![format!("__Host-session=\"{text}\"")],
            vec![format!("session={text}")],
            vec![format!("$Version=1; $__Host-session={text}")],
            vec![format!("__Host-session={text}"), format!("__Host-session={text}")],
            vec!["__Host-session=\u{1}".to_owned()],
            vec!["__Host-session".to_owned()],
        ] {
            let cookies: Vec<&str> = cookies.iter().map(String::as_str).collect();
            assert!(cookie.presented(&request(&cookies)).token().is_none(), "{cookies:?}");
        }
    }
}
