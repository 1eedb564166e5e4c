//! Front ends on other origins, with other settings or with failures, and the events of a function URL. The other tests of origins are in `black_box/origins.rs`.

use journeys::requests::event;
use journeys::{Answer, Embedded, Failure, PASSWORD, Visitor, paths};
use reqwest::header::{ORIGIN, SET_COOKIE};

use crate::functions;

const LISTED: &str = "https://app.example.org";

async fn call(visitor: &mut Visitor, path: &str, fields: &[(&str, &str)]) -> Answer {
    visitor.send(visitor.request(path).header(ORIGIN, LISTED).form(fields)).await
}

#[tokio::test]
async fn a_listed_origin_may_read_a_failure() {
    let stack = Embedded::start(&[("CORS_ORIGINS", LISTED)]).await;
    let mut ana = stack.service.visitor();
    stack.table.fail_always(Failure::Throttle);
    let failed = call(&mut ana, paths::LOGIN, &[("email", "ana@example.com"), ("password", PASSWORD)]).await;
    assert_eq!(failed.status, 500);
    assert_eq!(failed.header("access-control-allow-origin"), LISTED);
    assert_eq!(failed.header("access-control-allow-credentials"), "true");
}

#[tokio::test]
async fn without_listed_origins_there_are_no_cors_headers() {
    let stack = Embedded::start(&[("CORS_ORIGINS", "")]).await;
    for origin in [LISTED, "http://localhost:5173", "null"] {
        let preflight = stack.service.request("OPTIONS", paths::LOGIN).header(ORIGIN, origin);
        let answer = stack.service.send(preflight.header("Access-Control-Request-Method", "POST")).await;
        assert_eq!(answer.status, 405, "{origin}");
        assert!(!answer.headers.keys().any(|name| name.as_str().starts_with("access-control-")), "{answer:?}");
    }
}

/// API Gateway joins repeated headers with commas. The library that reads the events also accepts a list of values.
#[tokio::test]
async fn an_event_with_two_origins_matches_no_listed_origin() {
    let stack = Embedded::start(&[]).await;
    for function in functions::all(&stack, &[("CORS_ORIGINS", LISTED)]) {
        for (origins, is_listed) in
            [(vec![LISTED], true), (vec![LISTED, "https://evil.example"], false), (vec![LISTED, LISTED], false)]
        {
            let mut event = event(function.path, "", "");
            event["headers"]["origin"] = origins.into();
            let (answer, _) = function.answer(&event.to_string()).await;
            let allowed = &answer["headers"]["access-control-allow-origin"];
            assert_eq!(allowed.as_str(), is_listed.then_some(LISTED), "{event}: {answer}");
        }
    }
}

/// The browser keeps the preflight of two hours ago, and sends the header.
#[tokio::test]
async fn an_origin_that_was_taken_off_the_list_is_refused_at_once() {
    let (stack, ana) = Embedded::signed_in(&[("CORS_ORIGINS", LISTED)]).await;
    for (listed, status) in [(LISTED, 200), ("", 403), ("https://app.example", 403)] {
        for function in functions::all(&stack, &[("CORS_ORIGINS", listed)]) {
            if function.path == paths::SESSION {
                let mut event = event(function.path, "", "");
                event["headers"]["origin"] = LISTED.into();
                event["headers"]["sec-fetch-site"] = "cross-site".into();
                event["cookies"] = serde_json::json!([ana.cookie]);
                assert_eq!(function.invoke(&event.to_string()).await.0, status, "{listed}");
            }
        }
    }
}

#[tokio::test]
async fn the_front_end_and_the_pages_of_the_services_own_host_need_no_list() {
    let stack = Embedded::start(&[]).await;
    let settings = [("CORS_ORIGINS", ""), ("FRONT_END_URL", "https://App.example.com:443/cuenta")];
    let session =
        functions::all(&stack, &settings).into_iter().find(|function| function.path == paths::SESSION).unwrap();
    for (host, origin, site, is_let_in) in [
        // CloudFront serves the pages, and calls the API by its own address.
        ("a1.execute-api.eu-west-1.amazonaws.com", "https://app.example.com", "same-origin", true),
        ("api.example.com", "https://app.example.com", "same-site", true),
        ("api.example.com", "https://www.example.com", "same-site", false),
        ("api.example.com", "http://app.example.com", "", false),
        ("api.example.com", "https://api.example.com", "same-origin", true),
        ("API.example.com", "https://api.example.com", "", true),
        ("api.example.com:8443", "https://api.example.com:8443", "", true),
        ("api.example.com:8443", "https://api.example.com", "", false),
        ("api.example.com", "http://api.example.com", "", false),
        ("localhost:8080", "http://localhost:8080", "", true),
        ("[::1]:3000", "http://[::1]:3000", "", true),
        ("evil@api.example.com", "https://evil@api.example.com", "", false),
        ("", "https://", "", false),
        ("", "https://evil.example", "", false),
    ] {
        let mut event = event(session.path, "", "");
        event["headers"]["host"] = host.into();
        event["headers"]["origin"] = origin.into();
        if !site.is_empty() {
            event["headers"]["sec-fetch-site"] = site.into();
        }
        let status = session.invoke(&event.to_string()).await.0;
        assert_eq!(status, if is_let_in { 401 } else { 403 }, "{host} {origin} {site}");
    }
}

#[tokio::test]
async fn a_preflight_is_logged_like_any_other_call() {
    let stack = Embedded::start(&[("CORS_ORIGINS", LISTED)]).await;
    stack.service.send(stack.service.request("OPTIONS", paths::LOGIN).header(ORIGIN, LISTED)).await;
    let log = stack.log();
    assert!(log.len() == 1 && log[0].contains(r#""function":"login""#) && log[0].contains(":204"), "{log:?}");
}

#[tokio::test]
async fn a_session_for_pages_of_another_site_is_partitioned() {
    let settings = [("CORS_ORIGINS", LISTED), ("SESSION_SAME_SITE", "none"), ("COOKIE_SECURE", "true")];
    let (_stack, mut ana) = Embedded::registered(&settings).await;
    let email = ana.email.clone();
    let login = call(&mut ana, paths::LOGIN, &[("email", &email), ("password", PASSWORD)]).await;
    let cookie = login.headers.get(SET_COOKIE).unwrap().to_str().unwrap();
    let expected = "; HttpOnly; SameSite=None; Partitioned; Secure; Path=/; Max-Age=604800";
    assert!(cookie.starts_with("__Host-session=") && cookie.ends_with(expected), "{cookie}");
    assert_eq!(call(&mut ana, paths::SESSION, &[]).await.status, 200);
}

#[tokio::test]
async fn a_login_removes_the_session_cookie_of_the_other_kind() {
    for (same_site, other_kind) in [("none", "SameSite=Lax; Secure"), ("lax", "SameSite=None; Partitioned; Secure")] {
        let settings = [("CORS_ORIGINS", LISTED), ("SESSION_SAME_SITE", same_site), ("COOKIE_SECURE", "true")];
        let (_stack, mut ana) = Embedded::signed_in(&settings).await;
        let (email, cookie) = (ana.email.clone(), ana.cookie.clone().unwrap());
        ana.cookie = Some(format!("{cookie}; {cookie}"));
        assert_eq!(call(&mut ana, paths::SESSION, &[]).await.status, 401);
        let login = call(&mut ana, paths::LOGIN, &[("email", &email), ("password", PASSWORD)]).await;
        let lines = login.set_cookies();
        let other = format!("__Host-session=; HttpOnly; {other_kind}; Path=/; Max-Age=0");
        assert!(lines.len() == 2 && lines[1] == other, "{same_site} {lines:?}");
    }
}

/// A function URL sends the same format as an HTTP API, payload format 2.0. It has no routes and only the stage `$default`, so some members are null or
/// missing.
#[tokio::test]
async fn an_event_of_a_function_url_is_answered() {
    let stack = Embedded::start(&[]).await;
    let host = "abcdefghijklmnopqrstuvwxyz012345.lambda-url.eu-west-1.on.aws";
    for function in functions::all(&stack, &[]) {
        let ana = stack.service.visitor().signed_in().await;
        let mut event = event(function.path, "application/x-www-form-urlencoded", "bmFtZT1BbmE=");
        event["isBase64Encoded"] = true.into();
        event["routeKey"] = "$default".into();
        event["rawQueryString"] = "a=1".into();
        event["queryStringParameters"] = serde_json::json!({"a": "1"});
        event["pathParameters"] = serde_json::Value::Null;
        event["stageVariables"] = serde_json::Value::Null;
        event["headers"]["host"] = host.into();
        event["cookies"] = serde_json::json!([ana.cookie]);
        let context = &mut event["requestContext"];
        context["accountId"] = "anonymous".into();
        context["apiId"] = "abcdefghijklmnopqrstuvwxyz012345".into();
        context["domainName"] = host.into();
        context["routeKey"] = "$default".into();
        context["authentication"] = serde_json::Value::Null;
        context["authorizer"] = serde_json::Value::Null;
        let (status, body) = function.invoke(&event.to_string()).await;
        let expected = match function.path {
            paths::SESSION => body["user"]["email"] == ana.email.as_str(),
            paths::USER_CONFIG => body["message"] == "Configuración actualizada correctamente",
            paths::RECEIVE_DATA => body["message"] == "Invalid JSON",
            paths::LOGIN | paths::REGISTER | paths::SEND_RESET_LINK => status < 500 && body["success"] == false,
            _ => status < 500,
        };
        assert!(expected, "{} {status} {body}", function.path);
    }
}
