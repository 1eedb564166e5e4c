//! The smallest function: it answers every event with the same text.

use lambda_http::{Body, Error, Request, Response, run, service_fn};

#[tokio::main]
async fn main() -> Result<(), Error> {
    run(service_fn(hello)).await
}

async fn hello(_: Request) -> Result<Response<Body>, Error> {
    Ok(Response::builder()
        .header("content-type", "application/json; charset=utf-8")
        .body(Body::from(r#"{"success":true}"#))?)
}
