//! The local stack's own pages.

use journeys::{Embedded, paths};
use local::OpenApi;

/// The media type and text of one of the stack's own paths.
async fn shown(stack: &Embedded, path: &str) -> (String, String) {
    let response = stack.service.request("GET", path).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    let media = response.headers()["content-type"].to_str().unwrap().to_owned();
    (media, response.text().await.unwrap())
}

#[tokio::test]
async fn the_document_is_served_unchanged_and_as_json() {
    let stack = Embedded::start(&[]).await;
    let document = OpenApi::of_this_project().unwrap();
    let (media, yaml) = shown(&stack, "/_local/openapi.yaml").await;
    assert_eq!((media.as_str(), OpenApi::parse(&yaml).unwrap().root()), ("application/yaml", document.root()));
    let (media, json) = shown(&stack, "/_local/openapi.json").await;
    assert_eq!((media.as_str(), &serde_json::from_str(&json).unwrap()), ("application/json", document.root()));
}

#[tokio::test]
async fn the_inbox_links_to_the_page_of_the_api_which_shows_every_path() {
    let stack = Embedded::start(&[]).await;
    assert!(shown(&stack, "/_local/").await.1.contains("href=\"/_local/api\""));
    let (media, page) = shown(&stack, "/_local/api").await;
    assert_eq!(media, "text/html; charset=utf-8");
    for path in paths::ALL {
        assert!(page.contains(&format!("<h2>POST {path}</h2>")), "{path}");
    }
}
