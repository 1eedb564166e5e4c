//! `POST /app/auth/passkeys.php`: lists the passkeys of the caller's account.

use serde::Serialize;
use shared::store::{Passkeys, StoredPasskey};
use shared::system::clock::Timestamp;
use shared::{Call, Endpoint, NoBody, Problem, Reply, Setup, Signed};

/// The endpoint.
pub struct ListPasskeys {
    passkeys: Passkeys,
}

/// A passkey as its owner sees it.
#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    name: &'a str,
    created_at: String,
    last_used_at: Option<String>,
}

impl Endpoint for ListPasskeys {
    const NAME: &'static str = "list-passkeys";
    type Caller = Signed;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self { passkeys: Passkeys::new(setup) }
    }

    async fn answer(&self, call: Call<Signed, NoBody>) -> Result<Reply, Problem> {
        let listed = self.passkeys.list(&call.caller.session.account).await?;
        let shown: Vec<Shown<'_>> = listed.iter().map(Shown::of).collect();
        Ok(Reply::plain_success().with("passkeys", &shown)?)
    }
}

impl<'a> Shown<'a> {
    fn of(passkey: &'a StoredPasskey) -> Self {
        let time = |seconds: u64| Timestamp::from_seconds(seconds).to_rfc3339();
        Self {
            id: &passkey.id,
            name: &passkey.name,
            created_at: time(passkey.created_at),
            last_used_at: passkey.last_used_at.map(time),
        }
    }
}
