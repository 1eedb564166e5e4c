//! The kinds of requests, and the other actors: the function `notices`, an import, and the clock.

use journeys::{PASSWORD, paths};
use serde_json::{Value, json};

use crate::accounts::{Subject, first_session_id};
use crate::case::Who;
use crate::judging::world::Session;

macro_rules! kinds {
    ($($kind:ident $name:literal $path:expr,)*) => {
        /// A kind of request.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Kind {
            $($kind,)*
        }

        impl Kind {
            pub(crate) const ALL: &[Self] = &[$(Self::$kind),*];

            /// Its name in a schedule.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// The path of its endpoint, or the name of another actor.
            pub(crate) fn path(self) -> &'static str {
                match self { $(Self::$kind => $path,)* }
            }
        }
    };
}

/// The login with a limit of failures.
pub(crate) const LIMITED: &str = "login with a limit";
/// The function that handles changes of accounts.
pub(crate) const NOTICES: &str = "notices";
/// The operator's import of one row.
pub(crate) const IMPORT: &str = "import";
/// The clock, and TTL.
pub(crate) const TIME: &str = "time";
/// The lease of an id.
pub(crate) const LEASE: &str = "lease";
/// The use of a proof of work.
pub(crate) const SPEND: &str = "spend";
/// The cookie and the field that the provider's page sends.
const DOUBLE_SUBMIT: &str = "g_csrf_token";
/// The body of the requests with the same idempotency key.
pub(crate) const KEYED: &str = "with a key";
/// The clock, moved past longer lifetimes.
pub(crate) const LONG_TIME: &str = "long time";
/// A password that no account has.
const WRONG: &str = "Equivocada9";

kinds! {
    Register "register" paths::REGISTER,
    Login "login" paths::LOGIN,
    KnownLogin "known-login" paths::LOGIN,
    Settings "settings" paths::USER_CONFIG,
    NewPassword "new-password" paths::USER_CONFIG,
    Logout "logout" paths::LOGOUT,
    CloseOne "close-one" paths::CLOSE_SESSION,
    CloseOthers "close-others" paths::CLOSE_SESSION,
    Delete "delete" paths::DELETE_ACCOUNT,
    ResetLink "reset-link" paths::SEND_RESET_LINK,
    Reset "reset" paths::RESET_PASSWORD,
    SendVerification "send-verification" paths::SEND_VERIFICATION,
    Verify "verify" paths::VERIFY_EMAIL,
    Google "google" paths::GOOGLE_LOGIN,
    PasskeyRegister "passkey-register" paths::PASSKEY_REGISTER,
    PasskeyLogin "passkey-login" paths::PASSKEY_LOGIN,
    RemovePasskey "remove-passkey" paths::REMOVE_PASSKEY,
    ReceiveData "receive-data" paths::RECEIVE_DATA,
    Export "export" paths::EXPORT_ACCOUNT,
    LimitedLogin "limited-login" LIMITED,
    LimitedWrong "limited-wrong" LIMITED,
    NoticePassword "hear-password" NOTICES,
    NoticeRegistration "hear-registration" NOTICES,
    NoticeDeletion "hear-deletion" NOTICES,
    Import "import" IMPORT,
    Time "time" TIME,
    LongTime "long-time" LONG_TIME,
    UpgradeLogin "upgrade-login" paths::LOGIN,
    GoogleRedirect "google-redirect" paths::GOOGLE_REDIRECT,
    ReadSession "session" paths::SESSION,
    ListSessions "list-sessions" paths::LIST_SESSIONS,
    PasskeyOptions "passkey-options" paths::PASSKEY_REGISTER_OPTIONS,
    PasskeyAgain "passkey-again" paths::PASSKEY_LOGIN,
    FirstPasskey "first-passkey" paths::PASSKEY_REGISTER,
    LastPasskey "last-passkey" paths::PASSKEY_REGISTER,
    KeyedData "keyed-data" paths::RECEIVE_DATA,
    AnonymousData "stranger-data" paths::RECEIVE_DATA,
    Lease "lease" LEASE,
    Spend "spend" SPEND,
}

impl Kind {
    /// Whether it can create an account, so that a case without one matters.
    pub(crate) fn creates(self) -> bool {
        matches!(self, Self::Register | Self::Google | Self::GoogleRedirect | Self::Import)
    }

    /// Whether triples contain it: plain requests and imports, which all write.
    pub(crate) fn is_in_triples(self) -> bool {
        self.is_plain() || self == Self::Import
    }

    /// Whether it is a plain request. Each plain request is searched with all others.
    pub(crate) fn is_plain(self) -> bool {
        self as usize <= Self::ReceiveData as usize
    }

    /// Whether one of the two kinds writes what the other one reads or writes.
    pub(crate) fn can_conflict_with(self, other: Self) -> bool {
        if self.is_plain() && other.is_plain() {
            return true;
        }
        if self == other {
            return !self.only_reads() && !self.is_clock() && !matches!(self, Self::KeyedData | Self::AnonymousData);
        }
        let (first, second) = if self as usize > other as usize { (self, other) } else { (other, self) };
        match first {
            Self::LimitedLogin | Self::LimitedWrong => {
                second == Self::LimitedLogin
                    || matches!(
                        second,
                        Self::NewPassword | Self::CloseOthers | Self::Delete | Self::Reset | Self::Google
                    )
            }
            Self::NoticePassword => matches!(second, Self::Login | Self::NewPassword | Self::Delete | Self::Reset),
            Self::NoticeRegistration => {
                matches!(second, Self::Settings | Self::Delete | Self::SendVerification | Self::Verify | Self::Google)
            }
            Self::NoticeDeletion => matches!(second, Self::Register | Self::Login | Self::Delete | Self::Google),
            Self::Import => {
                second.is_plain() || second.is_limited() || matches!(second, Self::NoticeDeletion | Self::Export)
            }
            // Requests that create something that expires, and requests with a session. Google's credentials have a
            // time of their own, which the clock does not move.
            Self::LongTime => {
                matches!(second, Self::Login | Self::KnownLogin | Self::Register | Self::ResetLink)
                    || second.session().is_some()
            }
            Self::UpgradeLogin => {
                matches!(second, Self::Login | Self::Delete | Self::Google | Self::Import)
                    || matches!(second, Self::NewPassword | Self::Reset | Self::CloseOthers)
            }
            Self::GoogleRedirect => {
                matches!(second, Self::Register | Self::Login | Self::Delete | Self::Verify | Self::Google)
                    || matches!(second, Self::NewPassword | Self::Reset | Self::CloseOthers | Self::PasskeyRegister)
            }
            Self::ReadSession | Self::ListSessions | Self::PasskeyOptions => {
                second.may_end_all_sessions()
                    || second.is_clock()
                    || matches!(second, Self::Settings | Self::Logout | Self::CloseOne)
                    || first == Self::PasskeyOptions && second.starts_with_passkey()
            }
            Self::PasskeyAgain => matches!(second, Self::PasskeyLogin | Self::RemovePasskey | Self::Delete),
            Self::FirstPasskey | Self::LastPasskey => {
                matches!(second, Self::CloseOthers | Self::Delete | Self::Google)
            }
            Self::AnonymousData => second == Self::KeyedData,
            Self::KeyedData | Self::Lease | Self::Spend => false,
            _ => {
                second.is_plain()
                    || second.is_notices()
                    || matches!(second, Self::Export | Self::LimitedLogin | Self::Import)
            }
        }
    }

    /// Whether it is a login with a limit of failures.
    pub(crate) fn is_limited(self) -> bool {
        self.path() == LIMITED
    }

    /// Whether it is the function `notices`, with one change.
    pub(crate) fn is_notices(self) -> bool {
        self.path() == NOTICES
    }

    /// The session that it checks before it acts.
    pub(crate) fn session(self) -> Option<Session> {
        match self {
            Self::CloseOne => Some(Session::Second),
            Self::Settings
            | Self::NewPassword
            | Self::CloseOthers
            | Self::Delete
            | Self::SendVerification
            | Self::PasskeyRegister
            | Self::RemovePasskey
            | Self::ReceiveData
            | Self::KeyedData
            | Self::Export
            | Self::ReadSession
            | Self::ListSessions
            | Self::PasskeyOptions
            | Self::FirstPasskey
            | Self::LastPasskey => Some(Session::First),
            _ => None,
        }
    }

    /// Whether it ends a session and keeps the generation of the account, or deletes an account that an import may
    /// recreate with its session.
    pub(crate) fn ends_session(self) -> bool {
        self.is_clock() || matches!(self, Self::Logout | Self::CloseOne | Self::Delete)
    }

    /// Whether it ends all sessions of an account, or may do so.
    pub(crate) fn may_end_all_sessions(self) -> bool {
        self.may_link() || matches!(self, Self::NewPassword | Self::CloseOthers | Self::Delete | Self::Reset)
    }

    /// Whether it moves the clock.
    pub(crate) fn is_clock(self) -> bool {
        matches!(self, Self::Time | Self::LongTime)
    }

    /// Whether it may link an identity.
    pub(crate) fn may_link(self) -> bool {
        matches!(self, Self::Google | Self::GoogleRedirect)
    }

    /// Whether it changes nothing in the account but the last use of its session.
    pub(crate) fn only_reads(self) -> bool {
        matches!(self, Self::Export | Self::ReadSession | Self::ListSessions | Self::PasskeyOptions)
    }

    /// Whether storms have it. The other kinds need a special account or no account, share an idempotency key, or move
    /// the clock past the lifetime of what some requests present.
    pub(crate) fn is_in_storms(self) -> bool {
        !matches!(self, Self::FirstPasskey | Self::LastPasskey | Self::KeyedData | Self::AnonymousData)
            && !matches!(self, Self::Lease | Self::Spend | Self::LongTime)
    }

    /// Whether it may make an account forget its browsers.
    pub(crate) fn forgets(self) -> bool {
        self.may_link() || matches!(self, Self::CloseOthers | Self::Reset | Self::Register | Self::Import)
    }

    /// Whether it signs in.
    pub(crate) fn signs_in(self) -> bool {
        self.remembers() || matches!(self, Self::KnownLogin | Self::GoogleRedirect)
    }

    /// Whether its account has a passkey at the start.
    pub(crate) fn starts_with_passkey(self) -> bool {
        matches!(self, Self::PasskeyRegister | Self::PasskeyLogin | Self::RemovePasskey)
            || matches!(self, Self::PasskeyOptions | Self::PasskeyAgain | Self::LastPasskey)
    }

    /// How many calls it makes in parallel at the beginning.
    pub(crate) fn calls_at_first(self) -> usize {
        if self.is_limited() { 2 } else { 1 }
    }

    /// Whether it adds a browser to the known ones.
    pub(crate) fn remembers(self) -> bool {
        matches!(self, Self::Login | Self::LimitedLogin | Self::UpgradeLogin | Self::Google)
            || matches!(self, Self::PasskeyLogin | Self::PasskeyAgain)
    }

    /// The password that it sets or sends.
    pub(crate) fn password(self, who: Who) -> String {
        match self {
            Self::NewPassword | Self::Reset => format!("Nueva1234{}", who.letter()),
            Self::LimitedWrong => WRONG.to_owned(),
            _ => PASSWORD.to_owned(),
        }
    }

    /// The name of a person that the request sets or sends.
    pub(crate) fn person_name(self, who: Who) -> String {
        format!("{} {}", self.name().replace('-', " "), who.letter())
    }

    /// The event of the request.
    pub(crate) fn event(self, who: Who, subject: &Subject) -> String {
        let (name, password, email) = (self.person_name(who), self.password(who), &subject.email);
        match self.path() {
            NOTICES => return crate::running::actors::record(self, subject),
            IMPORT => return json!({"name": name, "email": email, "id": subject.id}).to_string(),
            TIME | LONG_TIME => return subject.partitions().join(" "),
            LEASE => return String::new(),
            SPEND => return subject.proof(),
            _ => {}
        }
        let form = |fields: &[(&str, &str)]| journeys::bodies::urlencoded(fields);
        let mut cookies: Vec<String> = Vec::new();
        let body = match self {
            Self::Register => form(&[
                ("nombre", &name),
                ("email", email),
                ("password", &password),
                ("confirm-password", &password),
                ("terms", "on"),
            ]),
            Self::Login | Self::UpgradeLogin | Self::LimitedLogin | Self::LimitedWrong => {
                form(&[("email", email), ("password", &password)])
            }
            Self::KnownLogin => {
                cookies.push(subject.browser.clone());
                form(&[("email", email), ("password", &password)])
            }
            Self::Settings => form(&[("name", &name), ("notifications", "on")]),
            Self::NewPassword => form(&[("name", &name), ("password", &password), ("confirm_password", &password)]),
            Self::CloseOne => form(&[("id", &first_session_id())]),
            Self::CloseOthers => form(&[("others", "on")]),
            Self::ResetLink => form(&[("email", email)]),
            Self::Reset => {
                form(&[("token", &subject.reset_token()), ("new_password", &password), ("confirm_password", &password)])
            }
            Self::Verify => form(&[("token", &subject.verification_token())]),
            Self::Google => json!({"credential": subject.credential(&name)}).to_string(),
            Self::GoogleRedirect => {
                cookies.push(format!("{DOUBLE_SUBMIT}=1"));
                form(&[(DOUBLE_SUBMIT, "1"), ("credential", &subject.credential(&name))])
            }
            Self::PasskeyRegister | Self::FirstPasskey | Self::LastPasskey => subject.passkeys.creations[&who].clone(),
            Self::PasskeyLogin => subject.passkeys.login.clone(),
            Self::PasskeyAgain => subject.passkeys.again.clone(),
            Self::RemovePasskey => form(&[("id", &subject.passkeys.id)]),
            Self::ReceiveData => json!({"from": name}).to_string(),
            Self::KeyedData | Self::AnonymousData => json!({"from": KEYED}).to_string(),
            _ => String::new(),
        };
        match self.session() {
            Some(Session::Second) => cookies.push(subject.second_session()),
            Some(_) => cookies.push(subject.first_session()),
            None if self == Self::Logout => cookies.push(subject.first_session()),
            None => {}
        }
        let path = if self.is_limited() { paths::LOGIN } else { self.path() };
        let mut event = event(path, &body, &cookies);
        match self {
            // The provider's page cannot set this header.
            Self::GoogleRedirect => drop(event["headers"].as_object_mut().unwrap().remove("x-requested-with")),
            Self::KeyedData | Self::AnonymousData => event["headers"]["idempotency-key"] = json!(subject.email),
            _ => {}
        }
        event.to_string()
    }
}

/// The event of a call from API Gateway.
fn event(path: &str, body: &str, cookies: &[String]) -> Value {
    let content_type = if body.starts_with('{') { "application/json" } else { "application/x-www-form-urlencoded" };
    let mut event = json!({
        "version": "2.0",
        "routeKey": format!("ANY {path}"),
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"content-type": content_type, "x-requested-with": "XMLHttpRequest"},
        "requestContext": {
            "http": {
                "method": "POST",
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "192.0.2.1",
                "userAgent": "interleavings",
            },
            "requestId": "r-1",
            "routeKey": format!("ANY {path}"),
            "stage": "$default",
            "timeEpoch": 1_795_240_800_000_u64,
        },
        "body": body,
        "isBase64Encoded": false,
    });
    if !cookies.is_empty() {
        event["cookies"] = json!(cookies);
    }
    event
}
