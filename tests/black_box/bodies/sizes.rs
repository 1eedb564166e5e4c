//! Bodies larger than any that a page sends.

use journeys::Service;
use journeys::bodies::{FORM, JSON, MULTIPART, multipart};

use super::{DOCUMENTS, FORMS, MEGABYTE};

#[tokio::test]
async fn huge_bodies_do_not_break_the_service() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let header =
        format!("--x\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n1\r\n--x--", "a".repeat(4 * MEGABYTE));
    for endpoint in &FORMS {
        let (field, long) = (endpoint.field, "a".repeat(MEGABYTE));
        endpoint.assert_survives(&mut ana, FORM, format!("{field}={long}"), "a long value").await;
        endpoint.assert_survives(&mut ana, FORM, format!("{field}[{long}]=1"), "a long name").await;
        endpoint.assert_survives(&mut ana, FORM, format!("{field}={}", "%".repeat(MEGABYTE)), "percent signs").await;
        endpoint.assert_survives(&mut ana, MULTIPART, multipart(&[(field, &long)]), "a long part").await;
        endpoint.assert_survives(&mut ana, MULTIPART, vec![0xff; MEGABYTE], "no part").await;
        endpoint.assert_survives(&mut ana, MULTIPART, header.clone(), "a part header of 4 MB").await;
    }
    for endpoint in &DOCUMENTS {
        let text = format!("{{\"credential\":\"{}\"}}", "a".repeat(MEGABYTE));
        endpoint.assert_survives(&mut ana, JSON, text, "a long string").await;
        endpoint.assert_survives(&mut ana, JSON, "[".repeat(MEGABYTE), "open brackets").await;
        let nested = format!("{{\"credential\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        endpoint.assert_survives(&mut ana, JSON, nested, "nested brackets").await;
    }
}

#[tokio::test]
async fn huge_documents_that_are_not_text_do_not_break_the_service() {
    let mut ana = Service::shared().visitor();
    for endpoint in &DOCUMENTS {
        endpoint.assert_survives(&mut ana, JSON, vec![0xff; MEGABYTE], "no text").await;
    }
}
