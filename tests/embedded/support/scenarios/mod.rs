//! The requests that the tests make while something fails: their preparation, the request itself, and the check of its
//! effects.

mod actor;
mod effects;
mod sound;

use std::time::Duration;

use journeys::{ENDPOINTS, Embedded, Endpoint, paths};

use crate::support::proofs;

pub(crate) use actor::Actor;
pub(crate) use sound::{assert_sound, is_failure};

/// The pause before a failed request is repeated, which is longer than the pause after a failed fetch of Google's keys.
/// Tests move the clock instead of waiting.
pub(crate) const RETRY_PAUSE: Duration = Duration::from_secs(15);
/// The password that a scenario sets.
const NEW_PASSWORD: &str = "Otra1234";
/// The number of sessions that are added to an account before its deletion. They do not fit into one transaction.
const SESSIONS: usize = 120;
/// The number of entries of one request, which need more than one batch.
const ENTRIES: usize = 30;
/// The number of entries of one request with a session. They do not fit into one transaction.
const ENTRIES_OF_AN_ACCOUNT: usize = 120;

macro_rules! scenarios {
    ($($name:ident at $path:ident: $title:literal,)*) => {
        /// One request with a known outcome.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Scenario {
            $($name,)*
            /// The call in the row of the endpoint with this path, which has no named scenario. The call may only read.
            Read(&'static str),
        }

        /// The scenarios with a name.
        const NAMED: &[Scenario] = &[$(Scenario::$name,)*];

        impl Scenario {
            /// A description of the request.
            pub(crate) fn title(self) -> &'static str {
                match self {
                    $(Self::$name => $title,)*
                    Self::Read(path) => Endpoint::at(path).name,
                }
            }

            /// The path of the endpoint.
            pub(crate) fn path(self) -> &'static str {
                match self {
                    $(Self::$name => paths::$path,)*
                    Self::Read(path) => path,
                }
            }
        }
    };
}

/// All of them: at least one for each endpoint.
pub(crate) fn all() -> Vec<Scenario> {
    let others = ENDPOINTS.iter().filter(|endpoint| NAMED.iter().all(|scenario| scenario.path() != endpoint.path));
    NAMED.iter().copied().chain(others.map(|endpoint| Scenario::Read(endpoint.path))).collect()
}

/// The scenarios that one stack can serve: all that do not need the service as its own captcha provider.
pub(crate) fn of_one_stack() -> Vec<Scenario> {
    let needs_own_captcha = |scenario: &Scenario| scenario.settings() == proofs::SETTINGS;
    all().into_iter().filter(|scenario| !needs_own_captcha(scenario)).collect()
}

scenarios! {
    Register at REGISTER: "a registration",
    Login at LOGIN: "a login",
    LoginInPlaceOfASession at LOGIN: "a login in place of a session",
    LoginWithAnOutdatedHash at LOGIN: "a login that replaces an outdated hash",
    LoginWithALegacyHash at LOGIN: "a login that replaces a legacy hash",
    LoginWithCaptcha at LOGIN: "a login with a captcha",
    LoginWithAProof at LOGIN: "a login with a proof of work",
    LoginWithinALimit at LOGIN: "a login with a limit of failures",
    LoginOfANewBrowser at LOGIN: "a login of a new browser",
    Challenge at CAPTCHA: "a challenge",
    Session at SESSION: "a request for the session",
    SessionAfterARest at SESSION: "a request for the session after ten minutes",
    Logout at LOGOUT: "a logout",
    CloseOneSession at CLOSE_SESSION: "the end of one session",
    CloseOtherSessions at CLOSE_SESSION: "the end of all other sessions",
    Settings at USER_CONFIG: "settings",
    SettingsWithPassword at USER_CONFIG: "settings with a new password",
    DeleteAccount at DELETE_ACCOUNT: "a deletion, with 121 sessions",
    SendResetLink at SEND_RESET_LINK: "a reset link",
    ResetPassword at RESET_PASSWORD: "a reset",
    SendVerification at SEND_VERIFICATION: "a verification link",
    VerifyEmail at VERIFY_EMAIL: "a verification of the address",
    GoogleNew at GOOGLE_LOGIN: "a first Google login",
    GoogleKnown at GOOGLE_LOGIN: "a Google login",
    GoogleLink at GOOGLE_LOGIN: "a Google login that links an account with an unverified address",
    GoogleMoved at GOOGLE_LOGIN: "a Google login after a change of address",
    GoogleRedirect at GOOGLE_REDIRECT: "a first Google login in redirect mode",
    PasskeyOptions at PASSKEY_REGISTER_OPTIONS: "the options of a second passkey",
    PasskeyRegister at PASSKEY_REGISTER: "a new passkey",
    PasskeyLoginOptions at PASSKEY_LOGIN_OPTIONS: "the options of a login with a passkey",
    PasskeyLogin at PASSKEY_LOGIN: "a login with a passkey in place of a session",
    RemovePasskey at REMOVE_PASSKEY: "the removal of a passkey",
    ReceiveData at RECEIVE_DATA: "30 entries",
    ReceiveDataOfAnAccount at RECEIVE_DATA: "120 entries of an account",
}

impl Scenario {
    /// The settings that it needs.
    fn settings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::LoginWithCaptcha => &[("CAPTCHA_SECRET", "s3cret")],
            Self::LoginWithAProof | Self::Challenge => &proofs::SETTINGS,
            // A login that fails and is repeated may be counted twice, so the limit is high.
            Self::LoginWithinALimit => &[("LOGIN_MAX_FAILURES", "20")],
            Self::LoginOfANewBrowser => &[("NOTICES", "on")],
            _ => &[],
        }
    }

    /// Starts a stack with these settings. It hashes at the full cost if the request replaces a hash of lower cost.
    pub(crate) async fn start(self) -> Embedded {
        match self {
            Self::LoginWithAnOutdatedHash => Embedded::start_at_full_cost(self.settings()).await,
            _ => Embedded::start(self.settings()).await,
        }
    }

    /// Whether the request creates an account with an id from the counter.
    pub(crate) fn leases_an_id(self) -> bool {
        matches!(self, Self::Register | Self::GoogleNew | Self::GoogleRedirect)
    }
}
