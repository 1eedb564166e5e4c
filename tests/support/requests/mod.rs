//! The catalogue: every endpoint with its refusals, and every request with what must exist before it, its body, its
//! answer, its effect, and what it may conflict with.
//!
//! Tests of all endpoints or all requests are views of it: the refusals, the sample events, the fault sweep, the
//! interleavings, the costs, the gate and the load test. A test compares the endpoints with the
//! template's routes.

mod accounts;
mod actor;
mod call;
mod change_email;
mod confirm;
mod entries;
mod google;
mod login;
mod mailed;
mod passkeys;
mod sessions;
mod values;

use std::pin::Pin;

use serde_json::Value;

pub use actor::{Actor, RETRY_PAUSE, is_failure};
pub use call::{Body, Call, event};
pub use values::Values;

use crate::sentences::{FORBIDDEN, INVALID_PARAMETERS, NO_SESSION, NO_SESSION_EMAIL, REGISTERED, Sentence, is_success};
use crate::{Embedded, Visitor};

/// The future of a preparation or of a check.
pub type Doing<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The check of a request's effect.
pub type Effect = for<'a> fn(&'a Actor, &'a Embedded) -> Doing<'a>;

/// One endpoint.
pub struct Endpoint {
    /// Its crate, which is its function's name.
    pub name: &'static str,
    /// Its path.
    pub path: &'static str,
    /// The answer to a call without the header `X-Requested-With`.
    pub forbidden: Sentence,
    /// The answer to an empty call without a session.
    pub empty: Sentence,
    /// The answer to a call with a session and an unreadable body. An endpoint that takes no body ignores the body, and
    /// answers as it always does.
    pub broken: Sentence,
    /// The answer to the sample event, if the sample events of the earlier endpoints were sent before.
    pub sample: Sentence,
    /// Its requests. A visitor who has just signed in can make the first one.
    pub requests: &'static [Request],
}

/// One request with a known outcome.
pub struct Request {
    /// Its name in failures, and in the schedules of the interleavings.
    pub name: &'static str,
    /// The path of its endpoint.
    pub path: &'static str,
    /// The settings that it needs.
    pub settings: &'static [(&'static str, &'static str)],
    /// Whether the function must hash at the full cost.
    pub needs_full_cost: bool,
    /// Who makes it.
    pub caller: Caller,
    /// Prepares what must exist besides the caller.
    pub prepare: for<'a> fn(&'a mut Actor, &'a Embedded) -> Doing<'a>,
    /// Its body.
    pub body: Body,
    /// Whether it has an idempotency key, the visitor's address.
    pub has_key: bool,
    /// The answer.
    pub answer: Said,
    /// The answer if the same request was done before and its answer was lost; `None` if it succeeds again.
    pub again: Option<Said>,
    /// What it does to the caller's session.
    pub session: SessionAfter,
    /// Checks the effect, also if the answer was lost. `None` if there is none besides the caller's session.
    pub effect: Option<Effect>,
    /// Whether every call of it is made to fail.
    pub is_swept: bool,
    /// Its title in the table of costs, `tests/embedded/costs/calls.txt`, if it has a line of its own.
    pub cost: Option<&'static str>,
    /// What the interleavings combine it with.
    pub conflicts: Conflicts,
}

/// Who makes a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// Somebody without an account.
    Stranger,
    /// The owner of an account with a password, on a new device.
    Registered,
    /// The owner of such an account, with a session.
    SignedIn,
    /// The owner of an account that Google opened, with a session.
    SignedInWithGoogle,
}

/// What a request does to the caller's session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionAfter {
    /// Nothing.
    Same,
    /// It opens a new one.
    Opened,
    /// It ends it.
    Ended,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// This status and message.
    Sentence(Sentence),
    /// The status 200 with `success: true` and any other members.
    Success,
    /// The status 200 with this `status` of a Google login.
    Google(&'static str),
    /// A redirect to the front end.
    Redirect,
}

/// The other requests with which the interleavings combine a request. It is enough if one of the two names the other.
/// Each request that writes is also combined with itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflicts {
    /// None: the interleavings do not have it.
    Nothing,
    /// All others that say the same. `make test` searches only these.
    Everything,
    /// All that say [`Conflicts::Everything`].
    Writers,
    /// Those with these names.
    With(&'static [&'static str]),
}

macro_rules! endpoints {
    ($d:tt $($module:ident $id:ident $path:literal in $room:ident)*) => {
        /// The paths of the contract.
        pub mod paths {
            $(#[doc = concat!("`", $path, "`")] pub const $id: &str = $path;)*

            /// All paths.
            pub const ALL: &[&str] = &[$($id),*];
        }

        /// Every endpoint.
        pub const ENDPOINTS: &[Endpoint] = &[$($room::$id),*];

        /// Calls a macro with the names of a module and of a path for each endpoint, so that each gets its own test.
        #[macro_export]
        macro_rules! for_each_endpoint {
            ($d make:ident) => { $d make! { $($module $id)* } };
        }
    };
}

endpoints! { $
    register REGISTER "/app/auth/sendRegister.php" in accounts
    login LOGIN "/app/auth/sendLogin.php" in login
    captcha CAPTCHA "/app/auth/captcha.php" in login
    google_login GOOGLE_LOGIN "/app/auth/google-callback-login.php" in google
    google_redirect GOOGLE_REDIRECT "/app/auth/google-callback.php" in google
    logout LOGOUT "/app/auth/logout.php" in sessions
    session SESSION "/app/auth/session.php" in sessions
    list_sessions LIST_SESSIONS "/app/auth/sessions.php" in sessions
    activity ACTIVITY "/app/auth/activity.php" in sessions
    confirm CONFIRM "/app/auth/confirm.php" in confirm
    close_session CLOSE_SESSION "/app/auth/closeSession.php" in sessions
    passkey_register_options PASSKEY_REGISTER_OPTIONS "/app/auth/passkeyRegisterOptions.php" in passkeys
    passkey_register PASSKEY_REGISTER "/app/auth/passkeyRegister.php" in passkeys
    passkey_login_options PASSKEY_LOGIN_OPTIONS "/app/auth/passkeyLoginOptions.php" in passkeys
    passkey_login PASSKEY_LOGIN "/app/auth/passkeyLogin.php" in passkeys
    list_passkeys LIST_PASSKEYS "/app/auth/passkeys.php" in passkeys
    remove_passkey REMOVE_PASSKEY "/app/auth/removePasskey.php" in passkeys
    unlink_google UNLINK_GOOGLE "/app/auth/unlinkGoogle.php" in google
    export_account EXPORT_ACCOUNT "/app/auth/exportAccount.php" in accounts
    send_verification SEND_VERIFICATION "/app/auth/sendVerification.php" in mailed
    verify_email VERIFY_EMAIL "/app/auth/verifyEmail.php" in mailed
    user_config USER_CONFIG "/app/auth/sendUserConfig.php" in accounts
    delete_account DELETE_ACCOUNT "/app/auth/deleteAccount.php" in accounts
    send_reset_link SEND_RESET_LINK "/app/auth/sendResetLink.php" in mailed
    reset_password RESET_PASSWORD "/app/auth/resetPassword.php" in mailed
    lock_account LOCK_ACCOUNT "/app/auth/lockAccount.php" in confirm
    change_email CHANGE_EMAIL "/app/auth/changeEmail.php" in change_email
    confirm_email CONFIRM_EMAIL "/app/auth/confirmEmail.php" in change_email
    receive_data RECEIVE_DATA "/receive-data.php" in entries
}

/// Every request.
pub fn requests() -> impl Iterator<Item = &'static Request> {
    ENDPOINTS.iter().flat_map(|endpoint| endpoint.requests)
}

impl Endpoint {
    /// An endpoint that needs a session.
    const SIGNED: Self = Self {
        name: "",
        path: "",
        forbidden: FORBIDDEN,
        empty: NO_SESSION,
        broken: INVALID_PARAMETERS,
        sample: NO_SESSION,
        requests: &[],
    };
    /// An endpoint that needs none, and refuses an empty call.
    const PUBLIC: Self = Self { empty: INVALID_PARAMETERS, sample: INVALID_PARAMETERS, ..Self::SIGNED };

    /// The endpoint at a path.
    pub fn at(path: &str) -> &'static Self {
        ENDPOINTS.iter().find(|endpoint| endpoint.path == path).expect("the path is an endpoint's")
    }

    /// The request that a visitor who has just signed in can make.
    pub fn request(&self) -> &'static Request {
        &self.requests[0]
    }

    /// Whether the endpoint requires a live session.
    pub fn needs_session(&self) -> bool {
        self.empty == NO_SESSION || self.empty == NO_SESSION_EMAIL
    }
}

impl Request {
    /// A request of a visitor with a session that only reads.
    const READ: Self = Self {
        name: "",
        path: "",
        settings: &[],
        needs_full_cost: false,
        caller: Caller::SignedIn,
        prepare: |_, _| Box::pin(async {}),
        body: Body::Nothing,
        has_key: false,
        answer: Said::Success,
        again: None,
        session: SessionAfter::Same,
        effect: None,
        is_swept: true,
        cost: None,
        conflicts: Conflicts::Nothing,
    };

    /// The request with this name.
    pub fn named(name: &str) -> &'static Self {
        let found = requests().find(|request| request.name == name);
        found.unwrap_or_else(|| unreachable!("no request is named {name}"))
    }

    /// Starts a stack with its settings.
    pub async fn start(&self) -> Embedded {
        if self.needs_full_cost {
            Embedded::start_at_full_cost(self.settings).await
        } else {
            Embedded::start(self.settings).await
        }
    }

    /// Whether it creates an account with an id from the counter.
    pub fn leases_an_id(&self) -> bool {
        let creates = [Said::Sentence(REGISTERED), Said::Google("inserted"), Said::Redirect].contains(&self.answer);
        self.caller == Caller::Stranger && creates
    }

    /// The visitor's values for the body.
    pub async fn values(&self, visitor: &mut Visitor) -> Values {
        let mut values = Values::default();
        values.complete(self, visitor).await;
        values
    }

    /// Whether the body has a value with this name.
    pub(crate) fn mentions(&self, value: &str) -> bool {
        let name = format!("{{{value}}}");
        match &self.body {
            Body::Nothing | Body::Entries(_) => false,
            Body::Form(fields) | Body::ProviderPage(fields) => fields.iter().any(|(_, value)| *value == name),
            Body::Json(text) => text.contains(&name),
        }
    }
}

impl Said {
    /// Whether an answer with this status and body is this one.
    pub fn is(self, status: u16, body: &Value) -> bool {
        match self {
            Self::Sentence(sentence) => {
                (status, body["message"].as_str().unwrap_or_default()) == sentence
                    && body["success"] == is_success(sentence)
            }
            Self::Success => status == 200 && body["success"] == true,
            Self::Google(state) => status == 200 && body["status"] == state,
            Self::Redirect => status == 303,
        }
    }
}
