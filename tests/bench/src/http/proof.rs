//! Whether a service does what it is measured at, shown before it is: each user is told of alone, a session is live
//! and a forged one is not, a wrong password and a forged credential open nothing.

use super::client::Client;
use super::exchange::{Answer, Person, Request};
use super::keys::{AUDIENCE, Provider};
use super::load::unexpected;
use super::service::Service;
use crate::Outcome;

/// Number of people that a proof takes.
pub const PEOPLE: usize = 2;

/// Shows it with the first [`PEOPLE`] people.
///
/// # Errors
/// What the service does not do, with its answer.
pub async fn prove(service: &dyn Service, client: &Client, provider: &Provider) -> Outcome<()> {
    let mut sessions = Vec::new();
    for number in 0..PEOPLE {
        let person = Person::new(number);
        let request = service.check("none");
        holds(client, &request, "a session that was never opened", |answer| service.is_nobody(answer)).await?;
        let request = service.login(&person.email, &person.password);
        holds(client, &request, "a login of nobody", |answer| service.is_refused(answer)).await?;
        let request = service.register(&person);
        holds(client, &request, "registration", |answer| service.is_registered(answer, &person)).await?;
        holds(client, &request, "a second registration", |answer| !service.is_registered(answer, &person)).await?;
        let request = service.login(&person.email, &person.wrong_password());
        holds(client, &request, "a wrong password", |answer| service.is_refused(answer)).await?;
        let request = service.login(&person.email, &person.password);
        sessions.push((person.email.clone(), opened(service, client, &request, &person.email).await?));
    }
    for number in 0..PEOPLE {
        let email = google_email(number);
        let credential = provider.credential(number, &email)?;
        let Ok(request) = service.google(&credential, AUDIENCE) else { continue };
        sessions.push((email.clone(), opened(service, client, &request, &email).await?));
        if let Ok(forged) = service.google(&forged(&credential), AUDIENCE) {
            holds(client, &forged, "a forged credential", |answer| service.is_credential_refused(answer)).await?;
        }
        if let Ok(other) = service.google(&credential_of_another(&credential, provider, number)?, AUDIENCE) {
            holds(client, &other, "claims under another's signature", |answer| service.is_credential_refused(answer))
                .await?;
        }
    }
    for (email, session) in &sessions {
        let request = service.check(session);
        holds(client, &request, "a live session", |answer| service.is_live(answer, email)).await?;
        let request = service.check(&forged(session));
        holds(client, &request, "a forged session", |answer| service.is_nobody(answer)).await?;
    }
    Ok(())
}

/// The address at Google of this number: nobody's who registers with a password.
#[must_use]
pub fn google_email(number: usize) -> String {
    format!("person-{number}@google.example.com")
}

async fn opened(service: &dyn Service, client: &Client, request: &Request, email: &str) -> Outcome<String> {
    let (answer, _) = client.send(request).await?;
    let session = service.session(&answer, email);
    session.ok_or_else(|| format!("{}: a login: {}", service.name(), unexpected(request, &answer)).into())
}

async fn holds(client: &Client, request: &Request, what: &str, judge: impl Fn(&Answer) -> bool) -> Outcome<()> {
    let (answer, _) = client.send(request).await?;
    if judge(&answer) { Ok(()) } else { Err(format!("{what}: {}", unexpected(request, &answer)).into()) }
}

/// The same with another letter or digit in its middle.
fn forged(secret: &str) -> String {
    let middle = secret.len() / 2;
    let change = |(index, letter): (usize, char)| match letter {
        'A' if index == middle => 'B',
        _ if index == middle => 'A',
        other => other,
    };
    secret.chars().enumerate().map(change).collect()
}

/// The claims of one credential with the signature of the next person's.
fn credential_of_another(credential: &str, provider: &Provider, number: usize) -> Outcome<String> {
    let next = provider.credential(number + 1, &google_email(number + 1))?;
    let (claims, _) = credential.rsplit_once('.').ok_or("a credential has three parts")?;
    let (_, signature) = next.rsplit_once('.').ok_or("a credential has three parts")?;
    Ok(format!("{claims}.{signature}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forged_secret_differs_in_one_letter_and_keeps_its_length() {
        for secret in ["AAAA", "bbbb", "session=x.y"] {
            let forged = forged(secret);
            assert_eq!(forged.len(), secret.len());
            assert_eq!(forged.chars().zip(secret.chars()).filter(|(one, other)| one != other).count(), 1);
        }
    }

    #[test]
    fn nobody_at_google_has_the_address_of_one_who_registers() {
        assert_ne!(google_email(1), Person::new(1).email);
    }
}
