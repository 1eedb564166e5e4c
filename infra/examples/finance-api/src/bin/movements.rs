//! The Lambda function behind `GET /api/movements` and `POST /api/movements`.

use finance_api::{Movement, Movements};
use lambda_http::http::{Method, StatusCode};
use lambda_http::request::RequestContext;
use lambda_http::{Body, Error, Request, RequestExt, Response, run, service_fn};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let movements = &Movements::from_environment().await;
    run(service_fn(async move |request: Request| answer(movements, &request).await)).await
}

async fn answer(movements: &Movements, request: &Request) -> Result<Response<Body>, Error> {
    // Without the authorizer in front of it, the function refuses everybody.
    let Some(account) = account(request) else {
        return says(StatusCode::UNAUTHORIZED, &json!({"error": "no-session"}));
    };
    match *request.method() {
        Method::GET => {
            let newest = movements.newest(&account).await?;
            says(StatusCode::OK, &json!({"movements": newest}))
        }
        Method::POST => match serde_json::from_slice::<Movement>(request.body()) {
            Ok(movement) if (1..=200).contains(&movement.concept.chars().count()) => {
                match movements.add(&account, &movement).await? {
                    Some(id) => says(StatusCode::CREATED, &json!({"id": id})),
                    None => says(StatusCode::UNAUTHORIZED, &json!({"error": "no-session"})),
                }
            }
            // CloudFront replaces a 404 of this API, so a mistake is a 422.
            _ => says(StatusCode::UNPROCESSABLE_ENTITY, &json!({"error": "concept and cents are wrong"})),
        },
        _ => says(StatusCode::METHOD_NOT_ALLOWED, &json!({"error": "GET or POST"})),
    }
}

/// The id of the account, from the context that the authorizer has added.
fn account(request: &Request) -> Option<String> {
    match request.request_context() {
        RequestContext::ApiGatewayV2(context) => {
            context.authorizer?.fields.get("accountId")?.as_str().map(str::to_owned)
        }
        _ => None,
    }
}

fn says(status: StatusCode, body: &Value) -> Result<Response<Body>, Error> {
    let response = Response::builder().status(status).header("content-type", "application/json");
    Ok(response.header("cache-control", "no-store").body(body.to_string().into())?)
}
