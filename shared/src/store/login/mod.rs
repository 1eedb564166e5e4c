//! What a login reads and writes besides its session.

pub(super) mod account_page;
pub(super) mod attempts;
pub(super) mod browsers;
pub(super) mod spent_proofs;

pub use account_page::AccountPage;
pub use attempts::{Attempts, Count};
pub use browsers::{BrowserCookie, Opener};
pub use spent_proofs::SpentProofs;
