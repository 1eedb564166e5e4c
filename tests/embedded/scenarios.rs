//! What each endpoint is asked to do while something fails: prepared, requested, and looked for
//! afterwards.

use std::time::Duration;

use journeys::{Answer, Embedded, PASSWORD, Visitor, paths};
use serde_json::{Value, json};

use crate::rows;

/// The password that a scenario sets.
const NEW_PASSWORD: &str = "Otra1234";
/// Sessions that a deletion finds, so that they do not fit into one transaction.
const SESSIONS: usize = 120;
/// Entries of one request: more than one batch.
const ENTRIES: usize = 30;

/// One request with a known outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scenario {
    Register,
    Login,
    LoginInPlaceOfASession,
    Session,
    SessionAfterARest,
    Logout,
    Settings,
    SettingsWithPassword,
    DeleteAccount,
    SendResetLink,
    ResetPassword,
    GoogleNew,
    GoogleKnown,
    GoogleLink,
    GoogleMoved,
    GoogleRedirect,
    ReceiveData,
}

/// All of them.
pub(crate) const ALL: [Scenario; 17] = [
    Scenario::Register,
    Scenario::Login,
    Scenario::LoginInPlaceOfASession,
    Scenario::Session,
    Scenario::SessionAfterARest,
    Scenario::Logout,
    Scenario::Settings,
    Scenario::SettingsWithPassword,
    Scenario::DeleteAccount,
    Scenario::SendResetLink,
    Scenario::ResetPassword,
    Scenario::GoogleNew,
    Scenario::GoogleKnown,
    Scenario::GoogleLink,
    Scenario::GoogleMoved,
    Scenario::GoogleRedirect,
    Scenario::ReceiveData,
];

/// Somebody ready to make the request.
pub(crate) struct Actor {
    scenario: Scenario,
    visitor: Visitor,
    /// As it was before the request.
    before: Visitor,
    token: String,
    credential: String,
    mails: usize,
}

impl Actor {
    /// Makes everything ready but the request.
    pub(crate) async fn ready(scenario: Scenario, stack: &Embedded) -> Self {
        let mut visitor = stack.service.visitor();
        let (mut token, mut credential) = (String::new(), String::new());
        match scenario {
            Scenario::Register | Scenario::ReceiveData => {}
            Scenario::Login => drop(visitor.register().await),
            Scenario::SendResetLink => visitor = visitor.signed().await.elsewhere(),
            Scenario::GoogleNew | Scenario::GoogleRedirect => credential = visitor.credential(json!({})).await,
            Scenario::GoogleKnown | Scenario::GoogleMoved => {
                visitor.google(json!({"sub": sub(&visitor)})).await;
                visitor.cookie = None;
                let mut claims = json!({"sub": sub(&visitor)});
                if scenario == Scenario::GoogleMoved {
                    claims["email"] = json!(format!("moved-{}", visitor.email));
                }
                credential = visitor.credential(claims).await;
            }
            Scenario::GoogleLink => {
                visitor = visitor.signed().await;
                credential = visitor.credential(json!({})).await;
            }
            Scenario::DeleteAccount => {
                visitor.google(json!({})).await;
                rows::copy_session(stack, &visitor.email, SESSIONS).await;
            }
            _ => visitor = visitor.signed().await,
        }
        match scenario {
            Scenario::SessionAfterARest => stack.advance(Duration::from_mins(11)),
            Scenario::ResetPassword => token = visitor.reset_token().await,
            _ => {}
        }
        let mails = visitor.service.mails(&visitor.email).await.len();
        Self { scenario, before: visitor.clone(), visitor, token, credential, mails }
    }

    /// Makes the request.
    pub(crate) async fn request(&mut self) -> Answer {
        let email = self.visitor.email.clone();
        let visitor = &mut self.visitor;
        let document = json!({"credential": self.credential}).to_string();
        match self.scenario {
            Scenario::Register => visitor.register().await,
            Scenario::Login | Scenario::LoginInPlaceOfASession => visitor.login(PASSWORD).await,
            Scenario::Session | Scenario::SessionAfterARest => visitor.session().await,
            Scenario::Logout => visitor.form(paths::LOGOUT, &[]).await,
            Scenario::Settings => visitor.form(paths::USER_CONFIG, &[("name", "Nuevo"), ("notifications", "on")]).await,
            Scenario::SettingsWithPassword => {
                let passwords = [("password", NEW_PASSWORD), ("confirm_password", NEW_PASSWORD)];
                visitor.form(paths::USER_CONFIG, &[&[("name", "Nuevo")], &passwords[..]].concat()).await
            }
            Scenario::DeleteAccount => visitor.form(paths::DELETE_ACCOUNT, &[]).await,
            Scenario::SendResetLink => visitor.form(paths::SEND_RESET_LINK, &[("email", &email)]).await,
            Scenario::ResetPassword => visitor.reset(&self.token, NEW_PASSWORD).await,
            Scenario::GoogleNew | Scenario::GoogleKnown | Scenario::GoogleLink | Scenario::GoogleMoved => {
                visitor.json(paths::GOOGLE_LOGIN, document).await
            }
            Scenario::GoogleRedirect => {
                let request =
                    visitor.service.request("POST", paths::GOOGLE_REDIRECT).header("cookie", "g_csrf_token=x");
                let fields = [("credential", &*self.credential), ("g_csrf_token", "x")];
                visitor.send(request.form(&fields)).await
            }
            Scenario::ReceiveData => {
                let entry = json!({"of": email});
                let request = visitor.request(paths::RECEIVE_DATA).header("content-type", "application/json");
                let request = request.header("idempotency-key", &email);
                visitor.send(request.body(json!(vec![entry; ENTRIES]).to_string())).await
            }
        }
    }

    /// Whether the answer says that it is done, in the one way that is right.
    pub(crate) fn is_success(&self, answer: &Answer) -> bool {
        match self.scenario {
            Scenario::GoogleNew => answer.status == 200 && answer.json()["status"] == "inserted",
            Scenario::GoogleKnown | Scenario::GoogleLink | Scenario::GoogleMoved => {
                answer.status == 200 && answer.json()["status"] == "exists"
            }
            Scenario::GoogleRedirect => answer.status == 303 && answer.header("location") == "http://localhost:5173/",
            _ => answer.status == 200 && answer.success() == true,
        }
    }

    /// Checks that what was said to be done is done.
    pub(crate) async fn assert_done(&self, stack: &Embedded) {
        let (visitor, before) = (&self.visitor, &self.before);
        let session = async |visitor: &Visitor| visitor.clone().session().await;
        let login = async |password: &str| visitor.elsewhere().login(password).await.success() == true;
        match self.scenario {
            Scenario::Register => assert!(login(PASSWORD).await),
            Scenario::Login
            | Scenario::GoogleNew
            | Scenario::GoogleKnown
            | Scenario::GoogleMoved
            | Scenario::GoogleRedirect => assert_eq!(session(visitor).await.user("email"), visitor.email),
            Scenario::LoginInPlaceOfASession => {
                assert_eq!((session(visitor).await.status, session(before).await.status), (200, 401));
            }
            Scenario::Session | Scenario::SessionAfterARest => assert_eq!(session(visitor).await.status, 200),
            Scenario::Logout => assert_eq!((&visitor.cookie, session(before).await.status), (&None, 401)),
            Scenario::Settings => assert_eq!(session(visitor).await.user("name"), "Nuevo"),
            Scenario::SettingsWithPassword => {
                assert_eq!((session(visitor).await.user("name"), session(before).await.status), ("Nuevo".into(), 401));
                assert!(login(NEW_PASSWORD).await && !login(PASSWORD).await);
            }
            Scenario::DeleteAccount => {
                assert_eq!(session(before).await.status, 401);
                let pk = rows::partition_key(&visitor.email);
                let all = format!("{:?}", stack.items("accounts").await);
                assert!(!all.contains(&pk) && !all.contains(&visitor.email), "{all}");
            }
            Scenario::SendResetLink => {
                let mails = visitor.service.mails(&visitor.email).await;
                assert!(mails.len() > self.mails);
                let token = mails[0]["text"].as_str().and_then(|text| text.split("token=").nth(1)).unwrap();
                let token = token.split_whitespace().next().unwrap();
                assert_eq!(visitor.clone().reset(token, NEW_PASSWORD).await.success(), true);
            }
            Scenario::ResetPassword => {
                assert_eq!(session(before).await.status, 401);
                assert!(login(NEW_PASSWORD).await && !login(PASSWORD).await);
                assert_eq!(visitor.clone().reset(&self.token, PASSWORD).await.success(), false);
            }
            Scenario::GoogleLink => {
                assert_eq!((session(visitor).await.status, session(before).await.status), (200, 401));
                assert!(!login(PASSWORD).await);
            }
            Scenario::ReceiveData => assert_eq!(self.entries(stack).await, ENTRIES),
        }
    }

    /// How many entries of this actor are stored.
    async fn entries(&self, stack: &Embedded) -> usize {
        let body = json!({"of": self.visitor.email}).to_string();
        stack.items("entries").await.iter().filter(|entry| rows::text(entry, "body") == body).count()
    }
}

/// An identity of a visitor that does not depend on the address at the provider.
fn sub(visitor: &Visitor) -> String {
    visitor.email.bytes().filter(u8::is_ascii_alphanumeric).map(char::from).collect()
}

/// What must hold in the table at all times.
pub(crate) async fn assert_sound(stack: &Embedded) {
    let items = stack.items("accounts").await;
    let of = |sk: &str| items.iter().filter(move |item| rows::text(item, "sk") == sk).collect::<Vec<_>>();
    let (profiles, identities) = (of("profile"), of("identity"));
    for name in ["email", "id", "google_sub"] {
        let mut seen: Vec<String> =
            profiles.iter().map(|row| rows::text(row, name)).filter(|it| !it.is_empty()).collect();
        let all = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), all, "{name} is not unique: {seen:?}");
    }
    let links = |rows: Vec<(String, String)>| {
        let mut rows = rows;
        rows.sort();
        rows
    };
    let confirmed = profiles.iter().map(|row| (rows::text(row, "google_sub"), rows::text(row, "pk")));
    let linked =
        identities.iter().map(|row| (rows::text(row, "pk").replace("google#", ""), rows::text(row, "account")));
    let confirmed = links(confirmed.filter(|(sub, _)| !sub.is_empty()).collect());
    assert_eq!(links(linked.collect()), confirmed, "identities and accounts do not agree");
    for session in items.iter().filter(|item| rows::text(item, "sk").starts_with("session#")) {
        let pk = rows::text(session, "pk");
        assert!(profiles.iter().any(|profile| rows::text(profile, "pk") == pk), "a session of nobody: {session:?}");
    }
}

/// The one answer to a failure.
pub(crate) fn is_failure(answer: &Answer) -> bool {
    let body = json!({"success": false, "message": "Error interno del servidor"});
    let bare = answer.set_cookies().is_empty() && answer.header("content-type") == "application/json; charset=utf-8";
    answer.status == 500 && bare && serde_json::from_str::<Value>(&answer.text).unwrap() == body
}
