//! The functions without a gateway. Tests send them events directly, as Lambda does.

use journeys::{Embedded, paths};
use serde_json::Value;
use shared::Setup;

/// One function.
pub(crate) struct Function {
    /// The path of its endpoint.
    pub(crate) path: &'static str,
    setup: Setup,
    invoke: local::Function,
}

impl Function {
    /// The function of this path.
    pub(crate) fn of(path: &'static str, setup: Setup) -> Self {
        let template = local::Template::of_this_project().unwrap();
        let resource = &template.routes().find(|route| route.path == path).unwrap().function;
        let invoke = local::start_function(resource, &setup).unwrap();
        Self { path, setup, invoke }
    }

    /// The number of hashes that it has computed.
    pub(crate) fn hashed(&self) -> u64 {
        self.setup.hashed()
    }

    /// Sends an event, and checks that the gateway can use the answer. Returns its status and body, without the
    /// challenge of a passkey, which differs each time.
    pub(crate) async fn invoke(&self, event: &str) -> (u16, Value) {
        let (answer, mut body) = self.answer(event).await;
        if let Some(challenge) = body.pointer_mut("/publicKey/challenge") {
            *challenge = Value::Null;
        }
        (u16::try_from(answer["statusCode"].as_u64().unwrap()).unwrap(), body)
    }

    /// Like [`Function::invoke`], but returns the whole answer and its body.
    pub(crate) async fn answer(&self, event: &str) -> (Value, Value) {
        const STATUSES: [u64; 8] = [200, 303, 400, 401, 403, 405, 413, 500];
        let text = (self.invoke)(event.to_owned()).await;
        let shown: String = event.chars().take(2_000).collect();
        let answer: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{}: {text} to {shown}", self.path));
        let status = answer["statusCode"].as_u64().unwrap_or_default();
        assert!(STATUSES.contains(&status), "{}: {answer} to {shown}", self.path);
        assert_eq!(answer["headers"]["content-type"], "application/json; charset=utf-8", "{}: {answer}", self.path);
        assert_eq!(answer["headers"]["cache-control"], "no-store", "{}: {answer}", self.path);
        assert_eq!(answer["isBase64Encoded"], false, "{}: {answer}", self.path);
        let body: Value = serde_json::from_str(answer["body"].as_str().unwrap_or_default()).unwrap_or_default();
        assert!(body.is_object(), "{}: {answer} to {shown}", self.path);
        (answer, body)
    }
}

/// The functions of all endpoints, with the tables of the stack.
pub(crate) fn all(stack: &Embedded, settings: &[(&str, &str)]) -> Vec<Function> {
    paths::ALL.iter().map(|path| Function::of(path, stack.setup(settings))).collect()
}
