//! The local gateway in front of the real functions. Its other tests are in `infra/local/src/gateway`.

use journeys::Embedded;

#[tokio::test]
async fn an_encoded_path_reaches_its_function_and_other_paths_lead_to_pages() {
    let stack = Embedded::start(&[]).await;
    for (path, status, expected) in [
        ("/app/auth/sendLogi%6e.php", 403, "Acceso prohibido"),
        ("/%61pp//auth%2FsendLogin.php%3Fa", 403, "Acceso prohibido"),
        ("/receive%2Ddata.php", 403, "Access denied"),
        ("/app/auth/sendLogin.php/", 404, r#"{"message":"Not Found"}"#),
        ("/app/auth/sendLogin.php%25", 400, r#"{"message":"Bad Request"}"#),
        ("/login", 405, ""),
        ("/_local/google/credential", 200, "credential"),
    ] {
        let response = stack.service.request("POST", path).send().await.unwrap();
        let answer = (response.status().as_u16(), response.text().await.unwrap());
        assert!(answer.0 == status && answer.1.contains(expected), "{path}: {answer:?}");
    }
    for page in ["/", "/logi%6E", "/_local/mail"] {
        assert_eq!(stack.service.request("GET", page).send().await.unwrap().status(), 200, "{page}");
    }
}
