//! One service's turn: started anew, proven, warmed up, measured row by row, stopped.

use std::collections::{BTreeMap, BTreeSet};

use super::client::Client;
use super::exchange::{Answer, Person, Request};
use super::keys::{AUDIENCE, Provider};
use super::load::{self, Job, Measured};
use super::proof::{self, google_email};
use super::running::Running;
use super::service::{Place, Service};
use crate::Outcome;

/// How many clients send beside each other.
pub const CLIENTS: [usize; 2] = [1, 8];
/// People who log in by Google.
const GOOGLE_PEOPLE: usize = 50;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Row {
    /// Registration of a new address.
    Register,
    /// A login with the right password.
    Login,
    /// A login with a wrong one.
    WrongPassword,
    /// Who is signed in.
    Session,
    /// A login by a credential of somebody who is known.
    Google,
}

impl Row {
    /// All, in the order in which they are measured: each needs what those before it made.
    pub const ALL: [Self; 5] = [Self::Register, Self::Login, Self::WrongPassword, Self::Session, Self::Google];

    /// The row's title.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Register => "Register",
            Self::Login => "Login",
            Self::WrongPassword => "Wrong password",
            Self::Session => "Session check",
            Self::Google => "Google login",
        }
    }

    /// Requests of a row: `requests` where a password is hashed, more where a request is cheap.
    fn requests(self, requests: usize) -> usize {
        match self {
            Self::Register | Self::Login | Self::WrongPassword => requests,
            Self::Session => requests * 5,
            Self::Google => requests * 2,
        }
    }
}

/// What a turn gave: each row with each number of clients, or why there is none.
pub type Turn = BTreeMap<(Row, usize), Result<Measured, &'static str>>;

/// A turn under way.
struct Visit<'a> {
    service: &'a dyn Service,
    provider: &'a Provider,
    running: &'a Running,
    port: u16,
    requests: usize,
    /// People who have registered.
    people: usize,
    sessions: Vec<(String, String)>,
}

/// Runs a turn of `requests`.
///
/// # Errors
/// The service did not start, or gave an answer that is not what it must be.
pub async fn run(
    service: &dyn Service,
    place: &Place,
    provider: &Provider,
    requests: usize,
    progress: &dyn Fn(&str),
) -> Outcome<Turn> {
    let log = place.work.join("log");
    let running = Running::start(service, place, &log).await?;
    let visit = Visit {
        service,
        provider,
        running: &running,
        port: place.port,
        requests,
        people: proof::PEOPLE,
        sessions: Vec::new(),
    };
    let turn =
        visit.rows(progress).await.map_err(|error| format!("{}: {error}; see {}", service.name(), log.display()))?;
    running.stop().await;
    Ok(turn)
}

impl Visit<'_> {
    async fn rows(mut self, progress: &dyn Fn(&str)) -> Outcome<Turn> {
        progress("proof");
        let client = Client::new(self.port)?;
        proof::prove(self.service, &client, self.provider).await?;
        let mut turn = Turn::new();
        for row in Row::ALL {
            progress(row.title());
            if let Err(reason) = self.service.google("", AUDIENCE)
                && row == Row::Google
            {
                turn.extend(CLIENTS.map(|clients| ((row, clients), Err(reason))));
                continue;
            }
            // As many as are measured, so that what compiles while it runs has done so.
            self.measure(row, 1).await?;
            for clients in CLIENTS {
                turn.insert((row, clients), Ok(self.measure(row, clients).await?));
            }
        }
        Ok(turn)
    }

    fn clients(&self, number: usize) -> Outcome<Vec<Client>> {
        (0..number).map(|_| Client::new(self.port)).collect()
    }

    async fn measure(&mut self, row: Row, clients: usize) -> Outcome<Measured> {
        let clients = self.clients(clients)?;
        let jobs = self.jobs(row)?;
        let measured = load::run(self.running, &clients, &jobs).await?;
        let emails: Vec<String> = jobs.into_iter().map(|job| job.email).collect();
        match row {
            Row::Register => self.people += measured.requests,
            Row::Login => self.keep(emails, &measured.given)?,
            Row::WrongPassword | Row::Session | Row::Google => {}
        }
        Ok(measured)
    }

    /// Keeps the sessions that logins opened, each for the row that asks about it.
    fn keep(&mut self, emails: Vec<String>, sessions: &[String]) -> Outcome<()> {
        self.sessions.extend(emails.into_iter().zip(sessions.iter().cloned()));
        let different: BTreeSet<&str> = self.sessions.iter().map(|(_, session)| session.as_str()).collect();
        if different.len() == self.sessions.len() { Ok(()) } else { Err("two logins opened the same session".into()) }
    }

    fn jobs(&self, row: Row) -> Outcome<Vec<Job<'_>>> {
        (0..row.requests(self.requests)).map(|index| self.job(row, index)).collect()
    }

    fn job(&self, row: Row, index: usize) -> Outcome<Job<'_>> {
        let service = self.service;
        // Everybody who has registered, in turn: nobody so often that a service locks them out.
        let person = Person::new(proof::PEOPLE + index % (self.people - proof::PEOPLE).max(1));
        let email = person.email.clone();
        match row {
            Row::Register => {
                let person = Person::new(self.people + index);
                let request = service.register(&person);
                Ok(job(person.email.clone(), request, move |answer| yes(service.is_registered(answer, &person))))
            }
            Row::Login => {
                let request = service.login(&email, &person.password);
                Ok(job(email.clone(), request, move |answer| service.session(answer, &email)))
            }
            Row::WrongPassword => {
                let request = service.login(&email, &person.wrong_password());
                Ok(job(email, request, move |answer| yes(service.is_refused(answer))))
            }
            Row::Session => {
                let (email, session) =
                    self.sessions.get(index % self.sessions.len().max(1)).ok_or("no session")?.clone();
                let request = service.check(&session);
                Ok(job(email.clone(), request, move |answer| yes(service.is_live(answer, &email))))
            }
            Row::Google => {
                let number = index % GOOGLE_PEOPLE;
                let email = google_email(number);
                let request = service.google(&self.provider.credential(number, &email)?, AUDIENCE)?;
                Ok(job(email.clone(), request, move |answer| service.session(answer, &email)))
            }
        }
    }
}

fn job<'a>(email: String, request: Request, judge: impl Fn(&Answer) -> Option<String> + 'a) -> Job<'a> {
    Job { email, request, judge: Box::new(judge) }
}

fn yes(is_so: bool) -> Option<String> {
    is_so.then(String::new)
}
