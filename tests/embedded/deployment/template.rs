//! Compares the template's routes with the catalogue of endpoints, and checks how each endpoint refuses a call.

use std::collections::BTreeSet;

use journeys::sentences::{INVALID_PARAMETERS, METHOD_NOT_ALLOWED, owned_sentence};
use journeys::{ENDPOINTS, Embedded};
use local::Template;

#[test]
fn every_route_has_a_row_and_every_row_a_route() {
    let template = Template::of_this_project().unwrap();
    let routes: BTreeSet<_> = template.routes().map(|route| (route.crate_name(), route.path.clone())).collect();
    let rows: BTreeSet<_> = ENDPOINTS.iter().map(|row| (row.name.to_owned(), row.path.to_owned())).collect();
    let missing: Vec<_> = routes.difference(&rows).collect();
    assert!(missing.is_empty(), "add each of these to tests/support/requests: {missing:?}");
    let surplus: Vec<_> = rows.difference(&routes).collect();
    assert!(surplus.is_empty(), "template.yaml has no such routes: {surplus:?}");
}

#[tokio::test]
async fn every_method_of_a_route_reaches_its_function() {
    let stack = Embedded::start(&[]).await;
    for route in stack.template().routes() {
        assert_eq!(route.method, "ANY", "{}", route.path);
    }
    for row in ENDPOINTS {
        for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "post"] {
            let answer = stack.service.send(stack.service.request(method, row.path)).await;
            assert_eq!((answer.status, answer.header("allow")), (405, "POST".to_owned()), "{method} {}", row.path);
            if method != "HEAD" {
                assert_eq!(answer.sentence(), owned_sentence(METHOD_NOT_ALLOWED), "{method} {}", row.path);
            }
        }
    }
}

#[tokio::test]
async fn every_endpoint_answers_an_empty_call_without_a_session_as_its_row_says() {
    let stack = Embedded::start(&[]).await;
    for row in ENDPOINTS {
        let visitor = stack.service.visitor();
        let answer = stack.service.send(visitor.request(row.path)).await;
        assert_eq!(answer.sentence(), owned_sentence(row.empty), "{}", row.path);
        assert_eq!(answer.set_cookies().len(), 0, "{}", row.path);
    }
}

#[tokio::test]
async fn every_endpoint_answers_a_body_that_it_cannot_read_as_its_row_says() {
    let stack = Embedded::start(&[]).await;
    for row in ENDPOINTS {
        let mut visitor = stack.service.visitor().signed_in().await;
        let request = visitor.request(row.path).header("content-type", "text/plain").body("x");
        assert_eq!(visitor.send(request).await.sentence(), owned_sentence(row.broken), "{}", row.path);
        if row.broken == INVALID_PARAMETERS {
            let form = "multipart/form-data; boundary=x";
            let request = visitor.request(row.path).header("content-type", form).body("--x");
            assert_eq!(visitor.send(request).await.sentence(), owned_sentence(row.broken), "{}", row.path);
        }
    }
}
