//! The frame of all emails. One value is written as HTML and as text, so that both say the same.

use std::borrow::Cow;

use askama::Template;

/// The parts of an email, in the order in which they are read. The template of the HTML escapes every part.
#[derive(Default)]
pub(super) struct Parts {
    /// The subject, which is also the heading.
    pub(super) subject: &'static str,
    /// The line that mail programs show beside the subject in a list of mails.
    pub(super) preheader: String,
    /// The name of the user, if the email may contain it.
    pub(super) name: Option<String>,
    /// What happened.
    pub(super) what: Cow<'static, str>,
    /// Details of what happened, each with its label.
    pub(super) facts: Vec<(&'static str, String)>,
    /// What to do if the user caused the email.
    pub(super) if_it_was_you: Option<&'static str>,
    /// The button, which opens a page of the front end.
    pub(super) button: Option<Link>,
    /// What to know about the button.
    pub(super) conditions: Option<String>,
    /// What to do if somebody else caused the email.
    pub(super) advice: Advice,
}

/// What to do if somebody else caused an email.
#[derive(Default)]
pub(super) struct Advice {
    /// The question that readers ask themselves.
    pub(super) question: &'static str,
    /// The answer to it.
    pub(super) paragraphs: Vec<&'static str>,
    /// Pages of the front end that help.
    pub(super) links: Vec<Link>,
}

/// A link to a page of the front end.
pub(super) struct Link {
    /// What the page is for.
    pub(super) label: &'static str,
    /// The address of the page.
    pub(super) url: String,
}

#[derive(Template)]
#[template(path = "frame.html")]
struct Html<'a> {
    product: &'a str,
    front_end: &'a str,
    letter: &'a Parts,
}

impl Html<'_> {
    /// The first letter of the product's name, for the mark at the top. It is not a picture, because mail programs hide
    /// pictures of unknown senders.
    fn initial(&self) -> String {
        self.product.chars().take(1).flat_map(char::to_uppercase).collect()
    }
}

#[derive(Template)]
#[template(path = "frame.txt")]
struct Text<'a> {
    product: &'a str,
    front_end: &'a str,
    letter: &'a Parts,
}

/// The text and the HTML of an email.
pub(super) fn write(product: &str, front_end: &str, letter: &Parts) -> (String, String) {
    // Rendering fails only if a value cannot be formatted, and text always can. Askama removes the last line break.
    let text = Text { product, front_end, letter }.render().unwrap_or_default() + "\n";
    let html = Html { product, front_end, letter }.render().unwrap_or_default() + "\n";
    (text, html)
}
