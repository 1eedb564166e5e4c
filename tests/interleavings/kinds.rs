//! The kinds of requests that write, and the account that they find at the start.

use journeys::{PASSWORD, paths};
use serde_json::{Value, json};

use crate::accounts::{Start, Subject, first_session_id};

/// Which of the two requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Who {
    A,
    B,
}

impl Who {
    pub(crate) const BOTH: [Self; 2] = [Self::A, Self::B];

    pub(crate) fn other(self) -> Self {
        if self == Self::A { Self::B } else { Self::A }
    }

    /// The request's letter.
    pub(crate) fn letter(self) -> char {
        if self == Self::A { 'A' } else { 'B' }
    }
}

macro_rules! kinds {
    ($($kind:ident $name:literal $path:ident,)*) => {
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

            /// The path of its endpoint.
            pub(crate) fn path(self) -> &'static str {
                match self { $(Self::$kind => paths::$path,)* }
            }
        }
    };
}

kinds! {
    Register "register" REGISTER,
    Login "login" LOGIN,
    KnownLogin "known-login" LOGIN,
    Settings "settings" USER_CONFIG,
    NewPassword "new-password" USER_CONFIG,
    Logout "logout" LOGOUT,
    CloseOne "close-one" CLOSE_SESSION,
    CloseOthers "close-others" CLOSE_SESSION,
    Delete "delete" DELETE_ACCOUNT,
    ResetLink "reset-link" SEND_RESET_LINK,
    Reset "reset" RESET_PASSWORD,
    SendVerification "send-verification" SEND_VERIFICATION,
    Verify "verify" VERIFY_EMAIL,
    Google "google" GOOGLE_LOGIN,
    ReceiveData "receive-data" RECEIVE_DATA,
}

impl Kind {
    /// Whether an account that does not exist can matter to it.
    pub(crate) fn creates(self) -> bool {
        matches!(self, Self::Register | Self::Google)
    }

    /// Whether it adds a browser to the known ones.
    pub(crate) fn remembers(self) -> bool {
        matches!(self, Self::Login | Self::Google)
    }

    /// The password that it sets.
    pub(crate) fn password(self, who: Who) -> String {
        match self {
            Self::NewPassword | Self::Reset => format!("Nueva1234{}", who.letter()),
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
            Self::Login => form(&[("email", email), ("password", &password)]),
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
            Self::ReceiveData => json!({"from": name}).to_string(),
            Self::Logout | Self::Delete | Self::SendVerification => String::new(),
        };
        match self {
            Self::Settings
            | Self::NewPassword
            | Self::Logout
            | Self::CloseOthers
            | Self::Delete
            | Self::SendVerification
            | Self::ReceiveData => cookies.push(subject.first_session()),
            Self::CloseOne => cookies.push(subject.second_session()),
            _ => {}
        }
        event(self.path(), &body, &cookies).to_string()
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

/// Two kinds of requests and the account that they find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Pair {
    pub(crate) start: Start,
    pub(crate) kinds: [Kind; 2],
}

impl Pair {
    /// All pairs, with each start that makes a difference to one of the two.
    pub(crate) fn all() -> Vec<Self> {
        let mut pairs = Vec::new();
        for (place, &a) in Kind::ALL.iter().enumerate() {
            for &b in Kind::ALL.iter().skip(place) {
                for start in Start::ALL {
                    let matters = match start {
                        Start::Registered => true,
                        Start::Absent => a.creates() || b.creates(),
                        Start::Verified => a == Kind::Google || b == Kind::Google,
                        Start::Linked => [a, b].iter().any(|kind| matches!(kind, Kind::Google | Kind::Delete)),
                    };
                    if matters {
                        pairs.push(Self { start, kinds: [a, b] });
                    }
                }
            }
        }
        pairs
    }

    /// Whether an identity may exist during a run.
    pub(crate) fn may_be_linked(self) -> bool {
        self.start == Start::Linked || self.kinds.contains(&Kind::Google)
    }

    pub(crate) fn kind(self, who: Who) -> Kind {
        self.kinds[who as usize]
    }

    /// Its name in a schedule.
    pub(crate) fn name(self) -> String {
        format!("{}: {} {}", self.start.name(), self.kinds[0].name(), self.kinds[1].name())
    }
}
