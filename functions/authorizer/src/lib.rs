//! The Lambda authorizer of the product's other APIs: a request passes if it has a live session.

use shared::endpoint::caller::require_header;
use shared::endpoint::cookies::Presented;
use shared::endpoint::request::Request;
use shared::store::{Session, Sessions};
use shared::{Problem, Setup, lambda};

/// The authorizer.
pub struct Authorizer {
    sessions: Sessions,
}

impl lambda::Authorizer for Authorizer {
    const NAME: &'static str = "authorizer";

    fn new(setup: &Setup) -> Self {
        Self { sessions: Sessions::new(setup) }
    }

    async fn authorize(&self, request: &Request, presented: &Presented) -> Result<Session, Problem> {
        // A page of another site can make a browser send these with the cookie at most as a link, which changes nothing.
        if !matches!(request.method().as_str(), "GET" | "HEAD" | "OPTIONS") {
            require_header(request).map_err(|_| Problem::Forbidden)?;
        }
        let token = presented.token().ok_or(Problem::NoSession)?;
        self.sessions.live(token).await?.ok_or(Problem::NoSession)
    }
}
