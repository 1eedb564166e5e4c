//! `POST /app/auth/passkeys.php`: lists the passkeys of the caller's account, with what a browser needs to learn which ones
//! it can still offer.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use shared::store::{Passkeys, StoredPasskey};
use shared::system::clock::Timestamp;
use shared::{Call, Endpoint, FrontEnd, NoBody, Problem, Reply, Setup, Signed};

/// The endpoint.
pub struct ListPasskeys {
    passkeys: Passkeys,
    rp_id: Option<String>,
}

/// A passkey as its owner sees it.
#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    credential: String,
    name: &'a str,
    created_at: String,
    last_used_at: Option<String>,
}

impl Endpoint for ListPasskeys {
    const NAME: &'static str = "list-passkeys";
    type Caller = Signed;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self { passkeys: Passkeys::new(setup), rp_id: FrontEnd::new(setup.settings()).rp_id() }
    }

    async fn answer(&self, call: Call<Signed, NoBody>) -> Result<Reply, Problem> {
        let account = &call.caller.session.account;
        let listed = self.passkeys.list(account).await?;
        let shown: Vec<Shown<'_>> = listed.iter().map(Shown::of).collect();
        let reply = Reply::plain_success().with("passkeys", &shown)?;
        Ok(reply.with("user_handle", &account.passkey_user)?.with("rp_id", &self.rp_id)?)
    }
}

impl<'a> Shown<'a> {
    fn of(passkey: &'a StoredPasskey) -> Self {
        let time = |seconds: u64| Timestamp::from_seconds(seconds).to_rfc3339();
        Self {
            id: &passkey.id,
            credential: URL_SAFE_NO_PAD.encode(&passkey.credential),
            name: &passkey.name,
            created_at: time(passkey.created_at),
            last_used_at: passkey.last_used_at.map(time),
        }
    }
}
