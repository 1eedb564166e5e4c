//! The signatures of the requests to AWS: those of the SDK (Signature Version 4), with a key that is derived once a day.
//!
//! The SDK derives the key from the secret for each request, with four HMACs, and builds the signed text from copies of all
//! headers. That is a fourth of the instructions of a call to the table where the processor has none for SHA-256.
//! Requests that are not plain are left to the SDK.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use aws_credential_types::Credentials;
use aws_runtime::auth::SigV4OperationSigningConfig;
use aws_runtime::auth::sigv4::{SCHEME_ID, SigV4AuthScheme};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::auth::{AuthScheme, AuthSchemeEndpointConfig, AuthSchemeId, Sign};
use aws_smithy_runtime_api::client::identity::{Identity, SharedIdentityResolver};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::retries::RequestAttempts;
use aws_smithy_runtime_api::client::runtime_components::{GetIdentityResolver, RuntimeComponents};
use aws_smithy_types::config_bag::ConfigBag;
use aws_types::SigningName;
use aws_types::region::SigningRegion;
use ring::{digest, hmac};

use crate::system::clock::Timestamp;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// The headers that signing adds.
const AUTHORIZATION: &str = "authorization";
const DATE: &str = "x-amz-date";
const TOKEN: &str = "x-amz-security-token";
/// The headers that the SDK does not sign.
const UNSIGNED: [&str; 4] = [AUTHORIZATION, "user-agent", "x-amzn-trace-id", "transfer-encoding"];

/// Signs the requests of one client.
pub(super) struct Signer {
    sdk: SigV4AuthScheme,
    kept: Mutex<Option<Kept>>,
}

/// A key, the day, region and service that it is for, and whose it is.
struct Kept {
    scope: String,
    access_key_id: String,
    key: hmac::Key,
}

/// The headers that sign a request.
struct Signature {
    date: String,
    authorization: String,
}

impl Signer {
    pub(super) fn new() -> Self {
        Self { sdk: SigV4AuthScheme::new(), kept: Mutex::new(None) }
    }

    /// The signature of a request that is sent at this time, or `None` if the request is not plain.
    fn signature(
        &self,
        request: &HttpRequest,
        credentials: &Credentials,
        (region, service): (&str, &str),
        now: SystemTime,
    ) -> Option<Signature> {
        let (host, path) = place(request.uri())?;
        let body = request.body().bytes()?;
        let seconds = now.duration_since(UNIX_EPOCH).ok()?.as_secs();
        let mut date = Timestamp::from_seconds(seconds).to_rfc3339();
        date.retain(|character| !matches!(character, '-' | ':'));
        let (day, _) = date.split_once('T')?;

        let signed = request.headers().iter().filter(|(name, _)| !UNSIGNED.contains(name));
        let mut headers: Vec<_> = signed.chain([("host", host), (DATE, &date)]).collect();
        headers.extend(credentials.session_token().map(|token| (TOKEN, token)));
        headers.sort_unstable();
        let is_plain = headers.iter().all(|(_, value)| has_single_spaces(value));
        let is_unique = headers.is_sorted_by(|(name, _), (next, _)| name < next);
        if !is_plain || !is_unique {
            return None;
        }
        let names = headers.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        let mut canonical = String::with_capacity(body.len().min(1024));
        for part in [request.method(), "\n", path, "\n\n"] {
            canonical.push_str(part);
        }
        for (name, value) in headers {
            for part in [name, ":", value, "\n"] {
                canonical.push_str(part);
            }
        }
        for part in ["\n", &names, "\n", &sha256(body)] {
            canonical.push_str(part);
        }

        let scope = format!("{day}/{region}/{service}/aws4_request");
        let text = format!("{ALGORITHM}\n{date}\n{scope}\n{}", sha256(canonical.as_bytes()));
        let signature = self.sign(text.as_bytes(), &scope, credentials);
        let id = credentials.access_key_id();
        let authorization = format!(
            "{ALGORITHM} Credential={id}/{scope}, SignedHeaders={names}, Signature={}",
            hexadecimal(signature.as_ref())
        );
        Some(Signature { date, authorization })
    }

    /// Signs a text with the key of this scope, which is derived unless it is the one that is kept.
    fn sign(&self, text: &[u8], scope: &str, credentials: &Credentials) -> hmac::Tag {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let id = credentials.access_key_id();
        let found = kept.take().filter(|kept| kept.scope == scope && kept.access_key_id == id);
        let found = found.unwrap_or_else(|| Kept {
            scope: scope.to_owned(),
            access_key_id: id.to_owned(),
            key: derived(credentials.secret_access_key(), scope),
        });
        let tag = hmac::sign(&found.key, text);
        *kept = Some(found);
        tag
    }
}

/// The key of a scope: an HMAC of each of its parts, with the one before as its key.
fn derived(secret: &str, scope: &str) -> hmac::Key {
    let key = |bytes: &[u8]| hmac::Key::new(hmac::HMAC_SHA256, bytes);
    let first = key(format!("AWS4{secret}").as_bytes());
    scope.split('/').fold(first, |before, part| key(hmac::sign(&before, part.as_bytes()).as_ref()))
}

/// The header `Host` and the path of a plain address: one whose path is the same in a signature.
fn place(address: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    let port = match scheme {
        "https" => ":443",
        "http" => ":80",
        _ => return None,
    };
    let (host, path) = rest.split_at(rest.find('/')?);
    let is_plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-'));
    let is_plain = is_plain && !path.contains("//") && !host.contains('@');
    is_plain.then(|| (host.strip_suffix(port).unwrap_or(host), path))
}

/// Whether the value of a header is the same in a signature, which has no two spaces in a row, and none at the ends.
fn has_single_spaces(value: &str) -> bool {
    let is_space = |byte: Option<&u8>| byte == Some(&b' ');
    let bytes = value.as_bytes();
    !is_space(bytes.first()) && !is_space(bytes.last()) && bytes.windows(2).all(|pair| pair != b"  ")
}

fn sha256(bytes: &[u8]) -> String {
    hexadecimal(digest::digest(&digest::SHA256, bytes).as_ref())
}

/// Bytes in hexadecimal. `hex::encode` would append digit by digit.
fn hexadecimal(bytes: &[u8]) -> String {
    let mut digits = vec![0; bytes.len() * 2];
    let _ = hex::encode_to_slice(bytes, &mut digits);
    String::from_utf8(digits).unwrap_or_default()
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signer")
    }
}

impl AuthScheme for Signer {
    fn scheme_id(&self) -> AuthSchemeId {
        SCHEME_ID
    }

    fn identity_resolver(&self, resolvers: &dyn GetIdentityResolver) -> Option<SharedIdentityResolver> {
        self.sdk.identity_resolver(resolvers)
    }

    fn signer(&self) -> &dyn Sign {
        self
    }
}

impl Sign for Signer {
    fn sign_http_request(
        &self,
        request: &mut HttpRequest,
        identity: &Identity,
        endpoint: AuthSchemeEndpointConfig<'_>,
        components: &RuntimeComponents,
        config: &ConfigBag,
    ) -> Result<(), BoxError> {
        // The SDK signs a retry with the time of the service, if the clock of this machine is wrong.
        let is_first = config.load::<RequestAttempts>().is_none_or(|attempts| attempts.attempts() <= 1);
        let options = config.load::<SigV4OperationSigningConfig>();
        let is_usual = options.is_some_and(|options| *options == SigV4OperationSigningConfig::default());
        let has_own_scope = ["signingName", "signingRegion"].iter().any(|name| endpoint.get(name).is_some());
        let scope = config.load::<SigningRegion>().zip(config.load::<SigningName>());
        let credentials = identity.data::<Credentials>();
        let plain = credentials.zip(scope).filter(|_| is_first && is_usual && !has_own_scope);
        let now = components.time_source().unwrap_or_default().now();
        let signed = plain.and_then(|(credentials, (region, name))| {
            let token = credentials.session_token().map(http::HeaderValue::from_str).transpose().ok()?;
            let scope = (region.as_ref(), name.as_ref());
            Some((self.signature(request, credentials, scope, now)?, token))
        });
        let Some((Signature { date, authorization }, token)) = signed else {
            return self.sdk.signer().sign_http_request(request, identity, endpoint, components, config);
        };
        let headers = request.headers_mut();
        headers.try_insert(DATE, date)?;
        headers.try_insert(AUTHORIZATION, authorization)?;
        if let Some(mut token) = token {
            token.set_sensitive(true);
            headers.try_insert(TOKEN, token)?;
        }
        Ok(())
    }
}
