//! A client that keeps its connection.

use std::time::Duration;

use reqwest::header::SET_COOKIE;
use serde_json::Value;

use super::exchange::{Answer, Body, Request};
use crate::Outcome;
use crate::stopwatch::now;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a connection is kept between two requests: less than Node's five seconds, so that none is closed under one.
const KEPT: Duration = Duration::from_secs(4);

/// One connection to a service.
pub struct Client {
    http: reqwest::Client,
    base: String,
}

impl Client {
    /// A client of what listens on `port` of this machine.
    ///
    /// # Errors
    /// The HTTP client cannot be made.
    pub fn new(port: u16) -> Outcome<Self> {
        let http = reqwest::Client::builder()
            .timeout(PATIENCE)
            .pool_max_idle_per_host(1)
            .pool_idle_timeout(KEPT)
            .tcp_nodelay(true)
            .no_proxy()
            .build()?;
        Ok(Self { http, base: format!("http://127.0.0.1:{port}") })
    }

    /// Sends a request; gives the answer and the time until its last byte.
    ///
    /// # Errors
    /// There was no answer.
    pub async fn send(&self, request: &Request) -> Outcome<(Answer, Duration)> {
        let mut prepared = self.http.request(request.method.clone(), format!("{}{}", self.base, request.path));
        for (name, value) in &request.headers {
            prepared = prepared.header(*name, value);
        }
        prepared = match &request.body {
            Body::None => prepared,
            Body::Json(value) => prepared.json(value),
            Body::Form(fields) => prepared.form(fields),
        };
        let prepared = prepared.build()?;
        let start = now();
        let response = self.http.execute(prepared).await?;
        let status = response.status().as_u16();
        let cookies = response.headers().get_all(SET_COOKIE).iter();
        let cookies = cookies.filter_map(|value| Some(value.to_str().ok()?.to_owned())).collect();
        let body = response.bytes().await?;
        let took = start.elapsed();
        Ok((Answer { status, cookies, body: serde_json::from_slice(&body).unwrap_or(Value::Null) }, took))
    }
}
