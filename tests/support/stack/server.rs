//! Servers that replace providers in tests.

use axum::Router;

/// Serves these routes on a free port while the test runs, and returns the base URL.
pub async fn serve(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = listener.local_addr().map(|address| format!("http://{address}")).unwrap_or_default();
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}
