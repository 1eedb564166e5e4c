//! JSON documents that are broken, have another media type or are not what the endpoint reads.

use journeys::Service;
use journeys::bodies::{FORM, JSON, MULTIPART, multipart};

use super::{DOCUMENTS, every_byte};

#[tokio::test]
async fn a_document_with_another_media_type_is_refused() {
    let mut ana = Service::shared().visitor();
    for endpoint in &DOCUMENTS {
        let good = endpoint.good_body(&ana);
        for content_type in ["text/plain", "text/json", "application/jsonx", "application/xml", FORM, MULTIPART, ""] {
            endpoint.assert_refuses(&mut ana, Some(content_type), good.clone()).await;
        }
        endpoint.assert_refuses(&mut ana, None, good).await;
        endpoint.assert_refuses(&mut ana, Some(FORM), "credential=x&a=1").await;
        endpoint.assert_refuses(&mut ana, Some(MULTIPART), multipart(&[("credential", "x")])).await;
    }
}

#[tokio::test]
async fn bytes_that_are_not_text_are_refused() {
    let mut ana = Service::shared().visitor();
    for endpoint in &DOCUMENTS {
        endpoint.assert_refuses(&mut ana, Some(JSON), every_byte()).await;
        endpoint.assert_refuses(&mut ana, Some(JSON), b"{\"credential\":\"\xff\"}").await;
        let good = endpoint.good_body(&ana);
        let (open, members) = good.split_at(good.find('{').unwrap() + 1);
        let unknown = b"\"other\":\"\xff\",";
        endpoint.assert_refuses(&mut ana, Some(JSON), [open.as_bytes(), unknown, members.as_bytes()].concat()).await;
    }
}

#[tokio::test]
async fn a_credential_given_twice_is_refused() {
    let mut ana = Service::shared().visitor();
    let google = &DOCUMENTS[0];
    google.assert_refuses(&mut ana, Some(JSON), "{\"credential\":\"x\",\"credential\":\"y\"}").await;
}
