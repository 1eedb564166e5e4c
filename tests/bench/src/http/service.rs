//! What a service must be able to say to take part.

use std::path::PathBuf;

use tokio::process::Command;

use super::exchange::{Answer, Person, Request};
use crate::Outcome;

/// Where a service finds what it needs.
pub struct Place {
    /// The project.
    pub root: PathBuf,
    /// Where the peers are installed.
    pub installed: PathBuf,
    /// An empty folder for this start alone.
    pub work: PathBuf,
    /// Where this service's build of this project is.
    pub built: PathBuf,
    /// The key set, as JSON Web Keys.
    pub keys_url: String,
    /// The same keys as X.509 certificates by key id.
    pub certificates_url: String,
    /// Whom credentials are for.
    pub audience: String,
    /// The port of the service.
    pub port: u16,
    /// A port for what it keeps its data in, where that is a process of its own.
    pub second_port: u16,
}

/// One step of a start.
pub enum Step {
    /// Runs to its end.
    Run(Command),
    /// Runs until it is stopped, and listens on this port.
    Serve {
        /// What its processor time is counted as.
        part: Part,
        /// The command.
        command: Command,
        /// The port.
        port: u16,
    },
}

/// What a process of a service does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// It answers requests.
    Server,
    /// It is the database, asked over the network.
    Tables,
}

/// An account service: how it is started, asked and understood.
pub trait Service: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Its version and that of what it runs on.
    ///
    /// # Errors
    /// It is not installed.
    fn version(&self, place: &Place) -> Outcome<String>;

    /// What it does and does not do for a request, for the document.
    fn remarks(&self) -> &'static str;

    /// How it is started.
    fn start(&self, place: &Place) -> Vec<Step>;

    /// A request to register.
    fn register(&self, person: &Person) -> Request;

    /// Whether the answer says that this person is registered now.
    fn is_registered(&self, answer: &Answer, person: &Person) -> bool;

    /// A request to log in.
    fn login(&self, email: &str, password: &str) -> Request;

    /// A request to log in by a credential of Google's, or why it cannot be asked here.
    ///
    /// # Errors
    /// The reason, for the document.
    fn google(&self, credential: &str, audience: &str) -> Result<Request, &'static str>;

    /// The session that an answer to either login opened for this address.
    fn session(&self, answer: &Answer, email: &str) -> Option<String>;

    /// Whether the answer refuses a wrong password, and opens nothing.
    fn is_refused(&self, answer: &Answer) -> bool;

    /// Whether the answer refuses a credential.
    fn is_credential_refused(&self, answer: &Answer) -> bool;

    /// A request that asks who is signed in.
    fn check(&self, session: &str) -> Request;

    /// Whether the answer says that it is the owner of this address.
    fn is_live(&self, answer: &Answer, email: &str) -> bool;

    /// Whether the answer says that nobody is signed in.
    fn is_nobody(&self, answer: &Answer) -> bool;
}
