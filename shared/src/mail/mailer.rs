//! The sender of emails.

use aws_sdk_sesv2::Client;
use aws_sdk_sesv2::error::BuildError;
use aws_sdk_sesv2::types::{Body, Content, Destination, EmailContent, Message, MessageHeader};

use super::Letter;
use super::product::ProductName;
use crate::{Email, Fault, Setup, aws};

/// Sends emails with SES, from one configured address with the product's name.
#[derive(Clone)]
pub struct Mailer {
    client: Client,
    from: String,
    configuration_set: Option<String>,
}

impl Mailer {
    /// Reads `MAIL_FROM`, `PRODUCT_NAME` and `MAIL_CONFIGURATION_SET`, the name of an SES configuration set. Without
    /// the last one, SES uses the default configuration set of the identity.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self::with(setup, setup.warmed_client())
    }

    /// The same sender with this client, which may have any credentials.
    #[must_use]
    pub fn with(setup: &Setup, client: Client) -> Self {
        Self {
            client,
            from: ProductName::new(setup).sender(&setup.settings().required("MAIL_FROM")),
            configuration_set: setup.settings().optional("MAIL_CONFIGURATION_SET"),
        }
    }

    /// Sends an email to one address. When it returns `Ok`, SES has accepted the email.
    ///
    /// # Errors
    /// SES refused the email, or did not confirm it.
    pub async fn send(&self, to: &Email, letter: &Letter) -> Result<(), Fault> {
        let content = content(letter).map_err(|_| Fault::new("mail.SendEmail", "unbuildable"))?;
        let sending = self
            .client
            .send_email()
            .from_email_address(&self.from)
            .set_configuration_set_name(self.configuration_set.clone())
            .destination(Destination::builder().to_addresses(to.as_str()).build())
            .content(content)
            .send();
        sending.await.map(|_| ()).map_err(|error| aws::fault("mail.SendEmail", &error))
    }
}

fn content(letter: &Letter) -> Result<EmailContent, BuildError> {
    let utf8 = |text: &str| Content::builder().data(text).charset("UTF-8").build();
    let body = Body::builder().text(utf8(&letter.text)?).html(utf8(&letter.html)?).build();
    // So that nobody's absence message answers it (RFC 3834, 5).
    let automatic = MessageHeader::builder().name("Auto-Submitted").value("auto-generated").build()?;
    let message = Message::builder().subject(utf8(letter.subject)?).body(body).headers(automatic).build();
    Ok(EmailContent::builder().simple(message).build())
}
