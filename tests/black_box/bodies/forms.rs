//! Forms that are broken, ambiguous or have another media type.

use journeys::Service;
use journeys::bodies::{FORM, JSON, MULTIPART, multipart};
use journeys::sentences::assert_says;

use super::{FORMS, MEGABYTE, every_byte, post};

#[tokio::test]
async fn a_form_with_another_media_type_is_refused() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for endpoint in &FORMS {
        let body = endpoint.good_body(&ana);
        for content_type in ["text/plain", "application/xml", "application/x-www-form-urlencodedx", "form", "*/*", ""] {
            endpoint.assert_refuses(&mut ana, Some(content_type), body.clone()).await;
        }
        endpoint.assert_refuses(&mut ana, None, body.clone()).await;
        endpoint.assert_refuses(&mut ana, Some("text/plain"), "").await;
        endpoint.assert_refuses(&mut ana, Some(JSON), body).await;
        if !endpoint.types.contains(&JSON) {
            let document = format!("{{\"{}\":\"Ana\"}}", endpoint.field);
            endpoint.assert_refuses(&mut ana, Some(JSON), document).await;
        }
    }
}

#[tokio::test]
async fn bytes_that_are_not_text_are_refused() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for endpoint in &FORMS {
        endpoint.assert_refuses(&mut ana, Some(FORM), every_byte()).await;
        for value in ["%FF", "%C3%28", "%ED%A0%80", "%C0%80", "a%80"] {
            endpoint.assert_refuses(&mut ana, Some(FORM), format!("{}={value}", endpoint.field)).await;
        }
        let mut part = multipart(&[(endpoint.field, "#")]).into_bytes();
        part.iter_mut().filter(|byte| **byte == b'#').for_each(|byte| *byte = 0xff);
        endpoint.assert_refuses(&mut ana, Some(MULTIPART), part).await;
    }
}

#[tokio::test]
async fn a_field_given_twice_with_different_values_is_refused() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for endpoint in &FORMS {
        let (field, good) = (endpoint.field, endpoint.good_body(&ana));
        for second in ["otra", "", "%20"] {
            endpoint.assert_refuses(&mut ana, Some(FORM), format!("{good}&{field}={second}")).await;
            endpoint.assert_refuses(&mut ana, Some(FORM), format!("{field}={second}&{good}")).await;
        }
        endpoint.assert_refuses(&mut ana, Some(MULTIPART), multipart(&[(field, "Ana"), (field, "Eva")])).await;
    }
}

#[tokio::test]
async fn unknown_fields_with_any_value_are_ignored() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let long = format!("otro={}", "a".repeat(MEGABYTE));
    for endpoint in &FORMS {
        for unknown in ["otro=%FF", "otro=1&otro=2", "otro[]=1", "otro", "=1", "&&", "%FF=1", "otro=%zz", &long] {
            let body = format!("{unknown}&{}", endpoint.good_body(&ana));
            let answer = post(&mut ana, endpoint.path, Some(FORM), body).await;
            let shown: String = unknown.chars().take(20).collect();
            assert_says(&answer, endpoint.good.1, (endpoint.path, shown));
        }
    }
}

#[tokio::test]
async fn a_multipart_form_is_accepted_too() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for endpoint in &FORMS {
        let url = format!("http://localhost/?{}", endpoint.good_body(&ana)).parse::<reqwest::Url>().unwrap();
        let fields: Vec<_> = url.query_pairs().collect();
        let fields: Vec<_> = fields.iter().map(|(name, value)| (&**name, value)).collect();
        let answer = post(&mut ana, endpoint.path, Some(MULTIPART), multipart(&fields)).await;
        assert_says(&answer, endpoint.good.1, endpoint.path);
    }
}
