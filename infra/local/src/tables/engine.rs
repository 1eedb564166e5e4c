//! The tables' port: dynoxide behind the guard.
//!
//! dynoxide accepts requests from every web page (`Access-Control-Allow-Origin: *`), and its interface takes a listener
//! but no layer. So this module listens on the tables' port, checks each request, and forwards it to dynoxide over a
//! separate connection. The port for that connection is closed before the first request is forwarded, so no unguarded
//! port stays open.

use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{CONNECTION, HOST};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::serve::IncomingStream;
use dynoxide::Database;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Notify, oneshot};
use tokio::task::JoinSet;

use crate::http::guard::{self, Origins};
use crate::http::server::Stop;

type Failure = Box<dyn Error + Send + Sync>;

/// The operations that change nothing. After any other one, the streams may have new records.
const READS: [&str; 5] = ["BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"];

/// Serves `database` on `listener` until `stop`, and notifies `changed` after each request that may have changed a table.
pub(crate) async fn serve(
    listener: TcpListener,
    database: Database,
    changed: Arc<Notify>,
    origins: Origins,
    stop: Stop,
) {
    let router = Router::new()
        .fallback(forward)
        .with_state((database, changed))
        .layer(from_fn_with_state(origins, guard::origin))
        .layer(from_fn(guard::host));
    let router = router.into_make_service_with_connect_info::<Link>();
    drop(axum::serve(listener, router).with_graceful_shutdown(stop).await);
}

/// The connection to dynoxide for one client connection. It is opened with the first request.
#[derive(Clone, Default)]
struct Link(Arc<Mutex<Option<SendRequest<Body>>>>);

impl Connected<IncomingStream<'_, TcpListener>> for Link {
    fn connect_info(_: IncomingStream<'_, TcpListener>) -> Self {
        Self::default()
    }
}

async fn forward(
    State((database, changed)): State<(Database, Arc<Notify>)>,
    ConnectInfo(link): ConnectInfo<Link>,
    mut request: Request,
) -> Response {
    // This header is about the client's connection.
    request.headers_mut().remove(CONNECTION);
    let is_read = is_read(request.headers());
    let answer = link.send(database, request).await;
    if !is_read {
        changed.notify_one();
    }
    match answer {
        Ok(response) => response.map(Body::new),
        Err(failure) => (StatusCode::BAD_GATEWAY, failure.to_string()).into_response(),
    }
}

/// Whether a request reads items, by the operation in its header `x-amz-target`.
fn is_read(headers: &HeaderMap) -> bool {
    let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok()).unwrap_or_default();
    target.rsplit('.').next().is_some_and(|operation| READS.contains(&operation))
}

impl Link {
    async fn send(&self, database: Database, request: Request) -> Result<axum::http::Response<Incoming>, Failure> {
        let mut link = self.0.lock().await;
        let mut engine = match link.take().filter(|engine| !engine.is_closed()) {
            Some(engine) => engine,
            None => open(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?, database).await?,
        };
        engine.ready().await?;
        let response = engine.send_request(request).await?;
        *link = Some(engine);
        Ok(response)
    }
}

/// Opens a connection to dynoxide through `listener`, which is closed on return. Dropping the result ends the
/// connection.
async fn open(listener: TcpListener, database: Database) -> Result<SendRequest<Body>, Failure> {
    let stream = TcpStream::connect(listener.local_addr()?).await?;
    let (ended, end) = oneshot::channel::<()>();
    // A set, because dropping it stops the task: a client may hang up while this function waits.
    let mut accepting = JoinSet::new();
    accepting.spawn(dynoxide::server::serve_with_shutdown(listener, database, async { drop(end.await) }));
    let (mut engine, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(async move {
        drop(connection.await);
        drop(ended);
    });
    // The answer shows that dynoxide has accepted this connection, so the port can be closed.
    let check = Request::get("/").header(HOST, "localhost").body(Body::empty())?;
    engine.send_request(check).await?.into_body().collect().await?;
    accepting.shutdown().await;
    Ok(engine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;
    use std::time::Duration;

    #[tokio::test]
    async fn streams_are_read_after_writes_alone() {
        let (database, changed) = (Database::memory().expect("a database opens"), Arc::new(Notify::new()));
        let link = Link::default();
        for (operation, may_change) in [("GetItem", false), ("Query", false), ("PutItem", true), ("CreateTable", true)]
        {
            let request = Request::post("/").header(HOST, "localhost");
            let request = request.header("x-amz-target", format!("DynamoDB_20120810.{operation}"));
            let request = request.body(Body::from("{}")).expect("it is valid");
            let state = State((database.clone(), Arc::clone(&changed)));
            let answer = forward(state, ConnectInfo(link.clone()), request).await;
            answer.into_body().collect().await.expect("it is read");
            let notified = tokio::time::timeout(Duration::ZERO, changed.notified()).await.is_ok();
            assert_eq!(notified, may_change, "{operation}");
        }
    }

    #[tokio::test]
    async fn the_port_to_the_engine_is_closed_before_it_is_used() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        let database = Database::memory().expect("a database opens");
        let mut engine = open(listener, database).await.expect("the engine is reached");
        let refused = TcpStream::connect(address).await.map(drop).map_err(|error| error.kind());
        assert_eq!(refused, Err(ErrorKind::ConnectionRefused));
        for _ in 0..2 {
            engine.ready().await.expect("the connection stays");
            let request = Request::get("/").header(HOST, "localhost").body(Body::empty()).expect("it is valid");
            let answer = engine.send_request(request).await.expect("it is answered");
            assert_eq!(answer.status(), StatusCode::OK);
            answer.into_body().collect().await.expect("it is read");
        }
    }
}
