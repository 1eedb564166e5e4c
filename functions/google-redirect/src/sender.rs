//! The senders of a credential: a script of the front end, or a form on the provider's page.
//!
//! The page is on another site. It cannot send the header that every endpoint requires, and browsers send no `Lax`
//! cookie with its post. So it is admitted by the provider's double submit. Whoever controls a subdomain can set that
//! cookie (`SECURITY.md`, "What is not defended").

use shared::endpoint::body::{Json, ReadBody, Unreadable, form_fields, is_media_type};
use shared::endpoint::caller::{Caller, Refusal, require_header};
use shared::endpoint::cookies::{Presented, values};
use shared::endpoint::request::Request;
use shared::google::CredentialDocument;
use shared::{Problem, Setup};
use subtle::ConstantTimeEq;

/// The name of the cookie and of the field that the provider's page sets to the same value (Google's double submit).
const DOUBLE_SUBMIT: &str = "g_csrf_token";

/// The sender of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// A script, which sets the required header.
    Script,
    /// The provider's page, which cannot set the header and uses the double submit instead.
    ProviderPage,
}

impl Caller for Sender {
    type Gate = ();

    fn gate(_: &Setup) -> Self::Gate {}

    async fn admit((): &(), request: &Request, _: &Presented) -> Result<Self, Refusal> {
        if require_header(request).is_ok() {
            return Ok(Self::Script);
        }
        let field = match form_fields(request).await {
            Ok(mut fields) => fields.take(DOUBLE_SUBMIT).unwrap_or_default(),
            Err(_) => return Err(Refusal::Forbidden),
        };
        match values(request, DOUBLE_SUBMIT).as_slice() {
            [cookie] if !cookie.is_empty() && bool::from(cookie.as_bytes().ct_eq(field.as_bytes())) => {
                Ok(Self::ProviderPage)
            }
            _ => Err(Refusal::Forbidden),
        }
    }
}

/// The credential, from a field of a form or from a member of a JSON object.
pub struct Credential(pub String);

impl ReadBody for Credential {
    async fn read(request: &Request) -> Result<Self, Unreadable> {
        if is_media_type(request, "application/json") {
            let Json(document) = Json::<CredentialDocument>::read(request).await?;
            return Ok(Self(document.credential));
        }
        let credential = form_fields(request).await?.take("credential")?;
        if credential.is_empty() {
            return Err(Unreadable::Refused(Problem::InvalidParameters));
        }
        Ok(Self(credential.to_string()))
    }
}
