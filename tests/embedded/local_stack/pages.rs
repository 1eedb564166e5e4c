//! The local stack's own pages, and the paths that its gateway leads to functions and to pages. The gateway's other tests are
//! in `infra/local/src/gateway`.

use journeys::{Embedded, Folder, Service, paths};
use local::{OpenApi, Options, Stack};

/// The media type and text of one of the stack's own paths.
async fn shown(stack: &Embedded, path: &str) -> (String, String) {
    let response = stack.service.request("GET", path).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    let media = response.headers()["content-type"].to_str().unwrap().to_owned();
    (media, response.text().await.unwrap())
}

#[tokio::test]
async fn the_document_is_served_as_yaml_and_as_json() {
    let stack = Embedded::start(&[]).await;
    let document = OpenApi::of_this_project().unwrap();
    let (media, yaml) = shown(&stack, "/_local/openapi.yaml").await;
    assert_eq!((media.as_str(), OpenApi::parse(&yaml).unwrap().root()), ("application/yaml", document.root()));
    let (media, json) = shown(&stack, "/_local/openapi.json").await;
    assert_eq!((media.as_str(), &serde_json::from_str(&json).unwrap()), ("application/json", document.root()));
}

#[tokio::test]
async fn the_inbox_links_to_the_api_page_and_that_to_the_document() {
    let stack = Embedded::start(&[]).await;
    assert!(shown(&stack, "/_local/").await.1.contains("href=\"/_local/api\""));
    assert!(shown(&stack, "/_local/api").await.1.contains("href=\"/_local/openapi.json\""));
}

#[tokio::test]
async fn the_api_page_has_a_section_for_each_endpoint_with_a_command_for_the_address_of_the_request() {
    let stack = Embedded::start(&[]).await;
    let request = stack.service.request("GET", "/_local/api").header("Host", "localhost:8080");
    let page = request.send().await.unwrap().text().await.unwrap();
    for path in paths::ALL {
        let command = format!("X-Requested-With: XMLHttpRequest&#39; http://localhost:8080{path}");
        assert_eq!((page.matches(&format!(">{path}</h2>")).count(), page.contains(&command)), (1, true), "{path}");
    }
}

#[tokio::test]
async fn the_pages_are_those_of_the_folder_in_the_options() {
    let folder = Folder::new("pages");
    std::fs::create_dir(&folder.0).unwrap();
    std::fs::write(folder.0.join("login.html"), "other pages").unwrap();
    let stack = Stack::start(&Options { web: vec![folder.0.clone()], ..Options::default() }, &|_| ()).unwrap();
    let page = Service::at(stack.base_url()).request("GET", "/login").send().await.unwrap();
    assert_eq!((page.status().as_u16(), page.text().await.unwrap().as_str()), (200, "other pages"));
}

#[tokio::test]
async fn the_avatars_are_found_also_if_another_program_serves_the_pages() {
    let settings = [("FRONT_END_URL".to_owned(), "http://localhost:5173".to_owned())];
    let stack = Stack::start(&Options { settings: settings.into(), ..Options::default() }, &|_| ()).unwrap();
    let mut ana = Service::at(stack.base_url()).visitor().signed_in().await;
    let avatar = ana.session().await.user("url_image").as_str().unwrap().replace("default", "05");
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana"), ("avatar", &avatar)]).await.success(), true);
    assert_eq!(ana.session().await.user("url_image"), avatar.as_str());
    let path = avatar.strip_prefix(&stack.base_url().replace("127.0.0.1", "localhost")).expect("it is the stack's own");
    let picture = Service::at(stack.base_url()).request("GET", path).send().await.unwrap();
    assert_eq!((picture.status().as_u16(), &picture.headers()["content-type"]), (200, &"image/jpeg".parse().unwrap()));
}

#[tokio::test]
async fn every_answer_of_the_front_end_has_the_headers_of_its_hosting() {
    let stack = Embedded::start(&[]).await;
    for path in
        ["/", "/login", "/config.json", "/.well-known/change-password", "/.well-known/passkey-endpoints", "/none"]
    {
        let response = stack.service.request("GET", path).send().await.unwrap();
        for header in ["content-security-policy", "x-content-type-options"] {
            assert!(response.headers().contains_key(header), "{path} has no {header}: {response:?}");
        }
    }
    let others = stack.service.request("GET", "/_local/openapi.json").send().await.unwrap();
    assert!(!others.headers().contains_key("cross-origin-opener-policy"), "{others:?}");
}

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
