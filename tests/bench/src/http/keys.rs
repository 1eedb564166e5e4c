//! The identity provider: its key set as Google publishes it, both ways, and credentials that it signed.

use std::time::Duration;

use axum::routing::get;
use axum::{Json, Router};
use rcgen::{CertificateParams, DnType, KeyPair};
use serde_json::{Value, json};
use shared::system::clock::{Clock, SystemClock};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::Outcome;
use crate::identity::{Identity, KID};

/// Whom credentials are for.
pub const AUDIENCE: &str = "bench-client";
/// How long a credential is good, as Google's are; a run that took longer would be refused.
const LIFETIME: Duration = Duration::from_hours(1);

/// A provider that hands out its keys. Dropping it stops it.
pub struct Provider {
    identity: Identity,
    base: String,
    server: JoinHandle<()>,
}

impl Provider {
    /// Makes a key and serves it on a free port.
    ///
    /// # Errors
    /// The generator failed, or there is no port.
    pub async fn start() -> Outcome<Self> {
        let identity = Identity::new()?;
        let keys = identity.key_set();
        let certificates = json!({KID: certificate(&identity.pkcs8()?)?});
        let kept = [("cache-control", "public, max-age=3600")];
        let router = Router::new()
            .route("/keys", get(move || async move { (kept, Json(keys)) }))
            .route("/certificates", get(move || async move { (kept, Json(certificates)) }));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base = format!("http://{}", listener.local_addr()?);
        let server = tokio::spawn(async move { drop(axum::serve(listener, router).await) });
        Ok(Self { identity, base, server })
    }

    /// Where the set is, as JSON Web Keys.
    #[must_use]
    pub fn keys_url(&self) -> String {
        format!("{}/keys", self.base)
    }

    /// Where the set is, as certificates by key id.
    #[must_use]
    pub fn certificates_url(&self) -> String {
        format!("{}/certificates", self.base)
    }

    /// A credential for this address.
    ///
    /// # Errors
    /// The signature failed.
    pub fn credential(&self, number: usize, email: &str) -> Outcome<String> {
        let now = SystemClock.now().seconds();
        self.identity.sign(&claims(number, email, now))
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn claims(number: usize, email: &str, now: u64) -> Value {
    json!({
        "iss": "https://accounts.google.com",
        "aud": AUDIENCE,
        "sub": format!("1{number:020}"),
        "email": email,
        "email_verified": true,
        "name": format!("Ana {number}"),
        "iat": now,
        "exp": now.saturating_add(LIFETIME.as_secs()),
    })
}

/// A certificate of the key for itself, PEM.
fn certificate(pkcs8: &[u8]) -> Outcome<String> {
    let key = KeyPair::try_from(pkcs8)?;
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "Identity provider of a benchmark");
    Ok(params.self_signed(&key)?.pem())
}
