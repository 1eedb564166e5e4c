//! Logins with passkeys. A login reads the challenge and the pointer together, then the account, and writes once.

use super::row::{Pointer, Row, id_of};
use super::{Backup, POINTER, Passkeys, StoredPasskey, pointer_key, sort_key};
use crate::account::Account;
use crate::problem::FaultKind;
use crate::store::account::accounts::update;
use crate::store::login::account_page::AccountPage;
use crate::store::login::browsers::{Opener, REMEMBER, Recognised};
use crate::store::passkeys::challenges::{self, CHALLENGE, Purpose, partition_key};
use crate::store::sessions::Opened;
use crate::store::table::{self, Write, n};
use crate::{Fault, Token};

/// The stored data that an answer to a challenge refers to. The answer's signature is not verified yet.
pub struct Candidate {
    /// The account that the credential belongs to, with its sessions.
    pub page: AccountPage,
    /// The passkey.
    pub passkey: StoredPasskey,
    /// The state that the challenge was issued with.
    pub state: Vec<u8>,
}

impl Passkeys {
    /// The stored challenge and credential of an answer. Returns `None` if the challenge was not issued for a login, was
    /// used or has expired, or if no account has the credential.
    ///
    /// # Errors
    /// The table failed, or a row is broken.
    pub async fn candidate(&self, challenge: &str, credential: &[u8]) -> Result<Option<Candidate>, Fault> {
        let id = id_of(credential);
        let keys = [(&*partition_key(challenge), CHALLENGE), (&*pointer_key(&id), POINTER)];
        let [Some(challenge), Some(pointer)] = self.table.pair(keys).await? else { return Ok(None) };
        let Some(state) = challenges::state(challenge, Purpose::Login, self.clock.now())? else { return Ok(None) };
        let pointer: Pointer = table::read(pointer)?;
        let page = AccountPage::read_with_passkey(&self.table, &pointer.account, &sort_key(&id)).await?;
        let Some((page, Some(row))) = page else { return Ok(None) };
        let passkey = table::read::<Row>(row)?.into_passkey_of(&page.account);
        Ok(passkey.map(|passkey| Candidate { page, passkey, state }))
    }

    /// Consumes the challenge, opens a session, and stores the counter of the signature. If known browsers are stored, the
    /// browser becomes one, unless many others log in to the account at the same time. Returns `None` if
    /// the challenge was used or has expired, if the passkey changed after it was read, or if a concurrent login ended
    /// one of the same surplus sessions. If the account's sessions have ended since
    /// then, it returns `None` or a session that is not live.
    ///
    /// # Errors
    /// The table or the random number generator failed.
    pub async fn open(
        &self,
        challenge: &str,
        candidate: &Candidate,
        counter_and_backup: (u32, Backup),
        opener: Opener<'_>,
    ) -> Result<Option<Opened>, Fault> {
        let account = &candidate.page.account;
        let browser = self.sessions.recognise(&account.browsers, opener)?;
        let Some(browsers) = &browser.browsers else {
            let token = self.write_opening(challenge, candidate, counter_and_backup, opener, None).await?;
            return Ok(token.map(|token| Opened { token, browser: browser.secret }));
        };
        let write = update(account, format!("SET {REMEMBER}"));
        let remembering = Recognised::values(browsers, browser.now, write)?;
        match self.write_opening(challenge, candidate, counter_and_backup, opener, Some(remembering)).await {
            Ok(token) => Ok(token.map(|token| Opened { token, browser: browser.secret })),
            // Many concurrent logins write the same profile. This one opens its session without writing it, and its
            // browser stays unknown.
            Err(fault) if fault.kind == FaultKind::Conflict => {
                let token = self.write_opening(challenge, candidate, counter_and_backup, opener, None).await?;
                Ok(token.map(|token| Opened { token, browser: None }))
            }
            Err(fault) => Err(fault),
        }
    }

    async fn write_opening(
        &self,
        challenge: &str,
        Candidate { page, passkey, .. }: &Candidate,
        counter_and_backup: (u32, Backup),
        opener: Opener<'_>,
        remembering: Option<Write>,
    ) -> Result<Option<Token>, Fault> {
        let mut writes = vec![
            challenges::using(challenge, self.clock.now()),
            self.signed(&page.account, passkey, counter_and_backup)?,
        ];
        writes.extend(remembering);
        let token = self.sessions.add_opening(&mut writes, page, &page.account, opener)?;
        Ok(self.table.transact(writes).await?.is_ok().then_some(token))
    }

    /// The update of a passkey after a signature. Its condition is that the passkey is still the one whose signature
    /// was verified, and that no other signature has moved its counter.
    fn signed(
        &self,
        account: &Account,
        passkey: &StoredPasskey,
        (counter, backup): (u32, Backup),
    ) -> Result<Write, Fault> {
        let changes = "SET #counter = :counter, #backup = :backup, #last_used_at = :now";
        Ok(Write::update(account.key.as_str(), &sort_key(&passkey.id), changes)
            .when("#id = :id AND #counter = :read_counter")
            .value(":id", n(account.id))
            .value(":counter", n(counter.into()))
            .value(":read_counter", n(passkey.counter.into()))
            .value(":backup", table::attribute(&backup)?)
            .value(":now", n(self.clock.now().seconds())))
    }
}
