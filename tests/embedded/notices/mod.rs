//! The function `notices`: the letters to the owners of accounts, the link after a registration, and the deletion of
//! what a change has ended.

mod activity;
mod budget;
mod deliveries;
mod events;
mod published;
mod sweeps;
mod verification;

use journeys::{Embedded, Visitor};
use serde_json::Value;

pub(crate) const PASSWORD_CHANGED: &str = "Tu contraseña ha cambiado";
pub(crate) const GOOGLE_LINKED: &str = "Tu cuenta se ha vinculado con Google";
pub(crate) const GOOGLE_UNLINKED: &str = "Tu cuenta ya no está vinculada con Google";
pub(crate) const PASSWORD_REMOVED: &str = "Tu cuenta ya no tiene contraseña";
pub(crate) const ACCOUNT_DELETED: &str = "Tu cuenta se ha eliminado";
pub(crate) const NEW_BROWSER: &str = "Alguien ha entrado en tu cuenta con un navegador nuevo";

/// A stack that notifies owners of everything.
async fn with_notices_on() -> Embedded {
    Embedded::start(&[("NOTICES", "on")]).await
}

/// Delivers all changes, and returns the subjects of the letters to a visitor so far, oldest first.
async fn subjects_after_delivery(stack: &Embedded, visitor: &Visitor) -> Vec<String> {
    assert!(stack.deliver_changes().await, "{:?}", stack.log().last());
    subjects(visitor).await
}

/// The subjects of the letters to a visitor, oldest first, except reset links.
async fn subjects(visitor: &Visitor) -> Vec<String> {
    let mails = visitor.service.mails(&visitor.email).await;
    let subjects = mails.iter().rev().filter_map(|mail| mail["subject"].as_str());
    subjects.filter(|subject| !subject.starts_with("Restablece")).map(str::to_owned).collect()
}

/// The newest letter to a visitor.
async fn newest(visitor: &Visitor) -> Value {
    visitor.service.mails(&visitor.email).await.swap_remove(0)
}
