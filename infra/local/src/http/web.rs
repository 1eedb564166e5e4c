//! Serves the front end's files as `CloudFront` does: the path of a page is its file's without `.html`, a missing file
//! is answered with the 404 page, and every answer has the headers of `infra/web.yaml`. Files of kinds that
//! `media_type` does not list, such as the README of `web/client`, are not served.
//!
//! The files are read for each request, so that a reload shows changes.

use std::future::ready;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use percent_encoding::percent_decode_str;

use crate::documents::hosting::{Hosting, Third};

/// The front end of this project.
pub(crate) const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web");

/// The path at which password managers look for the page that changes a password, and that page. The function
/// `Addresses` in `infra/web.yaml` has the same redirect.
const CHANGE_PASSWORD: (&str, &str) = ("/.well-known/change-password", "/seguridad#contrasena");

/// The path at which password managers look for the page of the passkeys, and that page
/// (<https://www.w3.org/TR/passkey-endpoints/>). The function `Addresses` in `infra/web.yaml` answers the same.
const PASSKEY_ENDPOINTS: (&str, &str) = ("/.well-known/passkey-endpoints", "/llaves");

/// Google's own script.
pub(crate) const GOOGLE_SCRIPT: &str = "https://accounts.google.com/gsi/client";

/// The configuration of the pages, `/config.json`. It also decides which third-party sources they may load.
pub(crate) struct Config {
    /// The address of the pages, without a trailing slash.
    pub(crate) front_end_url: String,
    /// The OAuth client id, and the URL of Google's script.
    pub(crate) google_client_id: String,
    pub(crate) google_script: String,
    /// The captcha provider and its site key, which is empty for `altcha`.
    pub(crate) captcha: Option<(String, String)>,
    /// Seconds without a request after which a session ends.
    pub(crate) idle_seconds: u64,
    /// Seconds after which a session ends, however much it is used.
    pub(crate) absolute_seconds: u64,
}

/// The pages in the folders, for all paths without another route.
///
/// # Errors
/// `infra/web.yaml` lacks a header or the captcha provider.
pub(crate) fn router(hosting: &Hosting, config: &Config, folders: &[PathBuf]) -> Result<Router, String> {
    let third = Third {
        google: config.google_script == GOOGLE_SCRIPT,
        captcha: config.captcha.as_ref().map(|(provider, _)| provider.as_str()),
    };
    let headers = hosting.headers(&third)?.into_iter().map(|(name, value)| {
        let name = HeaderName::try_from(name).map_err(|error| error.to_string())?;
        Ok((name, HeaderValue::try_from(value).map_err(|error| error.to_string())?))
    });
    let headers = headers.collect::<Result<Vec<_>, String>>()?;
    let passkeys = format!("{}{}", config.front_end_url, PASSKEY_ENDPOINTS.1);
    let endpoints = serde_json::json!({ "enroll": passkeys, "manage": passkeys });
    let config = config.json();
    Ok(Router::new()
        .route("/config.json", get(async move || ([(CACHE_CONTROL, "no-cache")], Json(config))))
        .route(CHANGE_PASSWORD.0, get(async || (StatusCode::FOUND, [(LOCATION, CHANGE_PASSWORD.1)])))
        .route(PASSKEY_ENDPOINTS.0, get(async move || Json(endpoints)))
        .fallback(page)
        .layer(map_response(move |mut response: Response| {
            response.headers_mut().extend(headers.iter().cloned());
            ready(response)
        }))
        .with_state(Arc::from(folders)))
}

impl Config {
    fn json(&self) -> serde_json::Value {
        let mut config = serde_json::json!({
            "google": { "clientId": self.google_client_id, "script": self.google_script },
            "idleSeconds": self.idle_seconds,
            "absoluteSeconds": self.absolute_seconds,
        });
        if let (Some((provider, key)), Some(config)) = (&self.captcha, config.as_object_mut()) {
            config.insert("captcha".to_owned(), serde_json::json!({ "provider": provider, "siteKey": key }));
        }
        config
    }
}

async fn page(State(folders): State<Arc<[PathBuf]>>, request: Request) -> Response {
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let found = match file(request.uri().path()) {
        Some(file) => read(&folders, &file).await,
        None => None,
    };
    let mut response = if let Some(found) = found {
        found.into_response()
    } else {
        let page = read(&folders, Path::new("404.html")).await;
        page.map_or_else(|| StatusCode::NOT_FOUND.into_response(), |page| (StatusCode::NOT_FOUND, page).into_response())
    };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// The file of a path, relative to the folder. `None` for a path outside the folder. A slash at the end of a page's path
/// changes nothing.
fn file(path: &str) -> Option<PathBuf> {
    let path = percent_decode_str(path).decode_utf8().ok()?;
    let whole = path.strip_prefix('/')?;
    let path = whole.trim_end_matches('/');
    let plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', '\0']);
    match path {
        "" => Some("index.html".into()),
        _ if !path.split('/').all(plain) => None,
        _ if path == whole && path.rsplit('/').next()?.contains('.') => Some(path.into()),
        _ => Some(format!("{path}.html").into()),
    }
}

/// The kinds of files that pages have; `scripts/deploy/deploy-web` uploads the same kinds.
fn media_type(file: &Path) -> Option<&'static str> {
    Some(match file.extension().and_then(|extension| extension.to_str()) {
        Some("css") => "text/css; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        Some("ico") => "image/x-icon",
        Some("jpeg") => "image/jpeg",
        Some("js") => "text/javascript; charset=utf-8",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        _ => return None,
    })
}

/// The file of the first folder that has it, with its kind.
async fn read(folders: &[PathBuf], file: &Path) -> Option<([(HeaderName, &'static str); 1], Vec<u8>)> {
    let kind = media_type(file)?;
    for folder in folders {
        if let Ok(bytes) = tokio::fs::read(folder.join(file)).await {
            return Some(([(CONTENT_TYPE, kind)], bytes));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_outside_the_folder_has_no_file() {
        for (path, expected) in [
            ("/", Some("index.html")),
            ("/login", Some("login.html")),
            ("/login/", Some("login.html")),
            ("/assets/style.css/", Some("assets/style.css.html")),
            ("/assets/style.css", Some("assets/style.css")),
            ("/../Cargo.toml", None),
            ("/assets/%2e%2e/%2e%2e/Cargo.toml", None),
            ("/assets//style.css", None),
            ("/..%5cCargo.toml", None),
            ("/.git/config", None),
            ("/%ff", None),
            ("/a%00.html", None),
        ] {
            assert_eq!(file(path), expected.map(PathBuf::from), "{path}");
        }
    }

    #[test]
    fn only_the_kinds_of_files_that_pages_have_are_served() {
        for (file, served) in [
            ("client/index.js", true),
            ("client/README.md", false),
            ("client/package.json", false),
            ("client/types.ts", false),
            ("client/LICENSE", false),
        ] {
            assert_eq!(media_type(Path::new(file)).is_some(), served, "{file}");
        }
    }
}
