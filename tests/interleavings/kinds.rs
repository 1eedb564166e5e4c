//! The kinds of requests, and the other actors: the function that hears of changes, an import, and the clock.

use journeys::{PASSWORD, paths};
use serde_json::{Value, json};

use crate::accounts::{Subject, first_session_id};
use crate::case::Who;
use crate::world::Session;

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

            /// The path of its endpoint, or the name of the actor that is none.
            pub(crate) fn path(self) -> &'static str {
                match self { $(Self::$kind => $path,)* }
            }
        }
    };
}

/// The login with a limit of failures.
pub(crate) const LIMITED: &str = "login with a limit";
/// The function that hears of changes.
pub(crate) const NOTICES: &str = "notices";
/// The operator's import of one row.
pub(crate) const IMPORT: &str = "import";
/// The clock, and TTL.
pub(crate) const TIME: &str = "time";
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
    HearPassword "hear-password" NOTICES,
    HearRegistration "hear-registration" NOTICES,
    HearDeletion "hear-deletion" NOTICES,
    Import "import" IMPORT,
    Time "time" TIME,
}

impl Kind {
    /// Whether an account that does not exist can matter to it.
    pub(crate) fn creates(self) -> bool {
        matches!(self, Self::Register | Self::Google | Self::Import)
    }

    /// Whether it is one of the kinds of triples: those whose writes differ.
    pub(crate) fn is_in_triples(self) -> bool {
        matches!(
            self,
            Self::Register
                | Self::Login
                | Self::Settings
                | Self::NewPassword
                | Self::Logout
                | Self::CloseOthers
                | Self::Delete
                | Self::ResetLink
                | Self::Reset
                | Self::Verify
                | Self::Google
                | Self::PasskeyRegister
                | Self::PasskeyLogin
        )
    }

    /// Whether it is a plain request. Each meets all others.
    pub(crate) fn is_plain(self) -> bool {
        self as usize <= Self::ReceiveData as usize
    }

    /// Whether the two write what the other reads or writes.
    pub(crate) fn meets(self, other: Self) -> bool {
        if self.is_plain() && other.is_plain() {
            return true;
        }
        if self == other {
            return self != Self::Time;
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
            Self::HearPassword => matches!(second, Self::Login | Self::NewPassword | Self::Delete | Self::Reset),
            Self::HearRegistration => {
                matches!(second, Self::Settings | Self::Delete | Self::SendVerification | Self::Verify | Self::Google)
            }
            Self::HearDeletion => matches!(second, Self::Register | Self::Login | Self::Delete | Self::Google),
            Self::Import => second.is_plain() || second == Self::HearDeletion,
            _ => second.is_plain() || matches!(second, Self::Export | Self::LimitedLogin),
        }
    }

    /// Whether its login has a limit of failures.
    pub(crate) fn is_limited(self) -> bool {
        self.path() == LIMITED
    }

    /// Whether it hears of a change.
    pub(crate) fn hears(self) -> bool {
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
            | Self::Export => Some(Session::First),
            _ => None,
        }
    }

    /// Whether it ends a session and leaves the generation of the account, or an import makes the account with it again.
    pub(crate) fn ends_session(self) -> bool {
        matches!(self, Self::Logout | Self::CloseOne | Self::Time | Self::Delete)
    }

    /// Whether it ends all sessions of an account, or may.
    pub(crate) fn ends_sessions(self) -> bool {
        matches!(self, Self::NewPassword | Self::CloseOthers | Self::Delete | Self::Reset | Self::Google)
    }

    /// Whether it may make an account forget its browsers.
    pub(crate) fn forgets(self) -> bool {
        matches!(self, Self::CloseOthers | Self::Reset | Self::Google | Self::Register | Self::Import)
    }

    /// Whether it signs in.
    pub(crate) fn signs_in(self) -> bool {
        matches!(self, Self::Login | Self::KnownLogin | Self::LimitedLogin | Self::Google | Self::PasskeyLogin)
    }

    /// Whether its account has a passkey at the start.
    pub(crate) fn is_about_passkeys(self) -> bool {
        matches!(self, Self::PasskeyRegister | Self::PasskeyLogin | Self::RemovePasskey)
    }

    /// How many calls it makes at the same time at first.
    pub(crate) fn calls_at_first(self) -> usize {
        if self.is_limited() { 2 } else { 1 }
    }

    /// Whether it adds a browser to the known ones.
    pub(crate) fn remembers(self) -> bool {
        matches!(self, Self::Login | Self::LimitedLogin | Self::Google | Self::PasskeyLogin)
    }

    /// The password that it sets.
    pub(crate) fn password(self, who: Who) -> String {
        match self {
            Self::NewPassword | Self::Reset => format!("Nueva1234{}", who.letter()),
            Self::LimitedWrong => WRONG.to_owned(),
            _ => PASSWORD.to_owned(),
        }
    }

    /// The name that it sets.
    pub(crate) fn owner(self, who: Who) -> String {
        format!("{} {}", self.name().replace('-', " "), who.letter())
    }

    /// The event of the request.
    pub(crate) fn event(self, who: Who, subject: &Subject) -> String {
        let (name, password, email) = (self.owner(who), self.password(who), &subject.email);
        match self.path() {
            NOTICES => return crate::actors::record(self, subject),
            IMPORT => return json!({"name": name, "email": email, "id": subject.id}).to_string(),
            TIME => return subject.partitions().join(" "),
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
            Self::Login | Self::LimitedLogin | Self::LimitedWrong => form(&[("email", email), ("password", &password)]),
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
            Self::PasskeyRegister => subject.passkeys.creations[&who].clone(),
            Self::PasskeyLogin => subject.passkeys.login.clone(),
            Self::RemovePasskey => form(&[("id", &subject.passkeys.id)]),
            Self::ReceiveData => json!({"from": name}).to_string(),
            _ => String::new(),
        };
        match self.session() {
            Some(Session::Second) => cookies.push(subject.second_session()),
            Some(_) => cookies.push(subject.first_session()),
            None if self == Self::Logout => cookies.push(subject.first_session()),
            None => {}
        }
        let path = if self.is_limited() { paths::LOGIN } else { self.path() };
        event(path, &body, &cookies).to_string()
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
