//! The kinds of requests, which are those of the catalogue with the same names, and the other actors: the authorizer, the
//! function `notices`, an import, and the clock.

use journeys::requests::{Caller, Conflicts, Values};
use journeys::{PASSWORD, Request};
use serde_json::json;

use crate::case::Who;
use crate::judging::world::Session;
use crate::subject::{Subject, first_session_id};

macro_rules! kinds {
    ($($kind:ident $name:literal,)*) => {
        /// A kind of request.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Kind {
            $($kind,)*
        }

        impl Kind {
            pub(crate) const ALL: &[Self] = &[$(Self::$kind),*];

            /// Its name in a schedule and in the catalogue.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }
        }
    };
}

/// The login with a limit of failures.
pub(crate) const LIMITED: &str = "login with a limit";
/// The authorizer of other APIs.
pub(crate) const AUTHORIZER: &str = "authorizer";
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
/// The name in the entries with the same idempotency key.
pub(crate) const KEYED: &str = "with a key";
/// The clock, moved past longer lifetimes.
pub(crate) const LONG_TIME: &str = "long time";
/// A password that no account has.
const WRONG: &str = "Equivocada9";

kinds! {
    Register "register",
    Login "login",
    KnownLogin "known-login",
    Settings "settings",
    NewPassword "new-password",
    Logout "logout",
    CloseOne "close-one",
    CloseOthers "close-others",
    Delete "delete",
    ResetLink "reset-link",
    Reset "reset",
    SendVerification "send-verification",
    Verify "verify",
    Google "google",
    Confirm "confirm",
    Lock "lock",
    ChangeEmail "change-email",
    ConfirmEmail "confirm-email",
    PasskeyRegister "passkey-register",
    PasskeyLogin "passkey-login",
    RemovePasskey "remove-passkey",
    UnlinkGoogle "unlink-google",
    ReceiveData "receive-data",
    Export "export",
    LimitedLogin "limited-login",
    LimitedWrong "limited-wrong",
    NoticePassword "hear-password",
    NoticeRegistration "hear-registration",
    NoticeDeletion "hear-deletion",
    Import "import",
    Time "time",
    LongTime "long-time",
    UpgradeLogin "upgrade-login",
    GoogleRedirect "google-redirect",
    ReadSession "session",
    Authorize "authorize",
    ListSessions "list-sessions",
    PasskeyOptions "passkey-options",
    PasskeyAgain "passkey-again",
    FirstPasskey "first-passkey",
    LastPasskey "last-passkey",
    KeyedData "keyed-data",
    AnonymousData "stranger-data",
    Lease "lease",
    Spend "spend",
}

impl Kind {
    /// Whether it can create an account, so that a case without one matters.
    pub(crate) fn creates(self) -> bool {
        matches!(self, Self::Register | Self::Google | Self::GoogleRedirect | Self::Import)
    }

    /// The request in the catalogue; `None` for the other actors.
    pub(crate) fn request(self) -> Option<&'static Request> {
        let is_actor = self.is_notices()
            || self.is_clock()
            || matches!(self, Self::Authorize | Self::Import | Self::Lease | Self::Spend);
        (!is_actor).then(|| Request::named(self.name()))
    }

    /// The path of its endpoint, or the name of another actor.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::LimitedLogin | Self::LimitedWrong => LIMITED,
            Self::NoticePassword | Self::NoticeRegistration | Self::NoticeDeletion => NOTICES,
            Self::Authorize => AUTHORIZER,
            Self::Import => IMPORT,
            Self::Time => TIME,
            Self::LongTime => LONG_TIME,
            Self::Lease => LEASE,
            Self::Spend => SPEND,
            _ => Request::named(self.name()).path,
        }
    }

    /// Whether triples contain it: plain requests and imports, which all write.
    pub(crate) fn is_in_triples(self) -> bool {
        self.is_plain() || self == Self::Import
    }

    /// Whether it is a plain request. Each plain request is searched with all others.
    pub(crate) fn is_plain(self) -> bool {
        self.request().is_some_and(|request| request.conflicts == Conflicts::Everything)
    }

    /// Whether one of the two kinds writes what the other one reads or writes.
    pub(crate) fn can_conflict_with(self, other: Self) -> bool {
        if self.is_plain() && other.is_plain() {
            return true;
        }
        if self == other {
            return !self.only_reads() && !self.is_clock() && !matches!(self, Self::KeyedData | Self::AnonymousData);
        }
        self.names(other) || other.names(self)
    }

    /// Whether the catalogue, or the list of the other actors, names the other kind as one that it may conflict with.
    fn names(self, other: Self) -> bool {
        match self {
            Self::NoticePassword => {
                matches!(other, Self::Login | Self::NewPassword | Self::Delete | Self::Reset | Self::Lock)
            }
            Self::NoticeRegistration => {
                matches!(other, Self::Settings | Self::Delete | Self::SendVerification | Self::Verify | Self::Google)
            }
            Self::NoticeDeletion => matches!(other, Self::Register | Self::Login | Self::Delete | Self::Google),
            Self::Authorize => other.is_plain() || other.is_clock(),
            Self::Import => {
                other.is_plain() || other.is_limited() || matches!(other, Self::NoticeDeletion | Self::Export)
            }
            Self::Time => {
                other.is_plain()
                    || other.is_notices()
                    || matches!(other, Self::Export | Self::Confirm | Self::LimitedLogin | Self::Import)
            }
            // Requests that create something that expires, and requests with a session. Google's credentials have a
            // time of their own, which the clock does not move.
            Self::LongTime => {
                matches!(other, Self::Login | Self::KnownLogin | Self::Register | Self::ResetLink)
                    || matches!(other, Self::Export | Self::Confirm)
                    || other.is_plain() && other.session().is_some()
            }
            _ => match self.request().map(|request| request.conflicts) {
                Some(Conflicts::Writers) => other.is_plain(),
                Some(Conflicts::With(names)) => names.contains(&other.name()),
                Some(Conflicts::Nothing | Conflicts::Everything) | None => false,
            },
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

    /// The session that it checks before it acts. A logout checks none.
    pub(crate) fn session(self) -> Option<Session> {
        match self {
            Self::Authorize => Some(Session::First),
            Self::CloseOne => Some(Session::Second),
            Self::Logout | Self::PasskeyLogin | Self::PasskeyAgain | Self::Verify | Self::Lock | Self::ConfirmEmail => {
                None
            }
            _ => self.request().filter(|request| request.caller == Caller::SignedIn).map(|_| Session::First),
        }
    }

    /// Whether it ends a session and keeps the generation of the account, or deletes an account that an import may
    /// recreate with its session.
    pub(crate) fn ends_session(self) -> bool {
        self.is_clock() || matches!(self, Self::Logout | Self::CloseOne | Self::Delete)
    }

    /// Whether it ends all sessions of an account, or may do so.
    pub(crate) fn may_end_all_sessions(self) -> bool {
        self.may_link()
            || self.replaces_session()
            || matches!(self, Self::Delete | Self::Reset | Self::Lock)
            || self == Self::ConfirmEmail
    }

    /// Whether it ends all sessions of an account, and opens a new one in place of the caller's.
    pub(crate) fn replaces_session(self) -> bool {
        matches!(self, Self::NewPassword | Self::CloseOthers | Self::RemovePasskey | Self::UnlinkGoogle)
    }

    /// Whether it requires that the owner of its session has proved recently who they are.
    pub(crate) fn needs_proof(self) -> bool {
        matches!(self, Self::CloseOne | Self::CloseOthers | Self::Export | Self::RemovePasskey | Self::ChangeEmail)
            || matches!(
                self,
                Self::UnlinkGoogle
                    | Self::PasskeyOptions
                    | Self::PasskeyRegister
                    | Self::FirstPasskey
                    | Self::LastPasskey
            )
    }

    /// Whether it counts the mails to the address.
    pub(crate) fn counts_mails(self) -> bool {
        self.is_notices() || matches!(self, Self::ResetLink | Self::SendVerification)
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
        matches!(self, Self::Authorize | Self::ReadSession | Self::ListSessions | Self::PasskeyOptions)
    }

    /// Whether storms have it. The other kinds need a special account or no account, share an idempotency key, or move
    /// the clock past the lifetime of what some requests present.
    pub(crate) fn is_in_storms(self) -> bool {
        !matches!(self, Self::FirstPasskey | Self::LastPasskey | Self::KeyedData | Self::AnonymousData)
            && !matches!(self, Self::Lease | Self::Spend | Self::LongTime)
    }

    /// Whether it may make an account forget its browsers.
    pub(crate) fn forgets(self) -> bool {
        self.may_link() || matches!(self, Self::CloseOthers | Self::Reset | Self::Lock | Self::Register | Self::Import)
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
            AUTHORIZER => {
                let http = json!({"http": {"method": "GET"}});
                return json!({"cookies": [subject.first_session()], "requestContext": http}).to_string();
            }
            TIME | LONG_TIME => return subject.partitions().join(" "),
            SPEND => return subject.proof(),
            _ => {}
        }
        let Some(request) = self.request() else { return String::new() };
        let mut values = Values::from([
            ("email", email.as_str()),
            ("name", &name),
            ("new-name", &name),
            ("password", &password),
            ("new-password", &password),
            ("token", &subject.reset_token()),
            ("verification", &subject.verification_token()),
            ("lock", &subject.lock),
            ("change", &subject.change_token()),
            ("new-email", &subject.new_email),
            ("session", &first_session_id()),
            ("passkey", &subject.passkeys.id),
        ]);
        match self {
            Self::Settings => values.set("news", "on"),
            Self::Google | Self::GoogleRedirect => values.set("credential", subject.credential(&name)),
            Self::PasskeyRegister | Self::FirstPasskey | Self::LastPasskey => {
                values.set("attestation", &*subject.passkeys.creations[&who]);
            }
            Self::PasskeyLogin => values.set("assertion", &*subject.passkeys.login),
            Self::PasskeyAgain => values.set("assertion", &*subject.passkeys.again),
            Self::KeyedData | Self::AnonymousData => values.set("name", KEYED),
            _ => {}
        }
        let session = match self.session() {
            Some(Session::Second) => Some(subject.second_session()),
            Some(_) => Some(subject.first_session()),
            None if self == Self::Logout => Some(subject.first_session()),
            None => None,
        };
        let browser = (self == Self::KnownLogin).then(|| subject.browser.clone());
        request.call(&values).event(session.iter().chain(&browser)).to_string()
    }
}
