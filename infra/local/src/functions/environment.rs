//! The environment variables of the functions in the local stack.
//!
//! A function gets the variables that the template sets for it, and those that the stack sets for all: the region, the
//! credentials, the addresses of its services, and `COOKIE_SECURE`. A variable that is missing in the template is
//! missing locally too, unless the caller sets it.

use std::collections::BTreeMap;

use crate::documents::template::{Function, Template, TemplateError};
use crate::options::Options;
use crate::replacements::secrets::{CAPTCHA_SECRET, CAPTCHA_SECRET_ARN};
use crate::replacements::{event_bus, mailbox, provider, queue, secrets};

/// The OAuth client id of the local stack.
const DEFAULT_CLIENT_ID: &str = "local-client";

/// The usual origin of a front end's development server (Vite's port). It may call the stack without a proxy.
const DEVELOPMENT_ORIGIN: &str = "http://localhost:5173";

/// The URLs of the stack's services, and the caller's settings.
pub(crate) struct Environment<'a> {
    pub(crate) front_end_url: String,
    pub(crate) dynamodb_url: String,
    pub(crate) ses_url: String,
    pub(crate) secrets_url: String,
    pub(crate) queues_url: String,
    pub(crate) event_bus_url: String,
    pub(crate) keys_url: String,
    /// The caller's values of variables. If the template sets a variable for some functions, only these get the value.
    /// If it sets it for none, all functions get it.
    pub(crate) overrides: &'a BTreeMap<String, String>,
}

impl<'a> Environment<'a> {
    /// The environment of functions that use a stack with these URLs.
    pub(crate) fn for_stack(base_url: &str, dynamodb_url: &str, options: &'a Options) -> Self {
        let ses_url = || format!("{base_url}{}", mailbox::SES_PATH);
        let event_bus_url = || format!("{base_url}{}", event_bus::BUS_PATH);
        let secrets_url = || format!("{base_url}{}", secrets::SECRETS_PATH);
        Self {
            // People open `localhost`, so links in emails must use it too: the session's cookie belongs to this host.
            front_end_url: base_url.replace("127.0.0.1", "localhost"),
            dynamodb_url: options.dynamodb_endpoint.clone().unwrap_or_else(|| dynamodb_url.to_owned()),
            ses_url: options.ses_endpoint.clone().unwrap_or_else(ses_url),
            secrets_url: options.secrets_endpoint.clone().unwrap_or_else(secrets_url),
            event_bus_url: options.event_bus_endpoint.clone().unwrap_or_else(event_bus_url),
            queues_url: format!("{base_url}{}", queue::SQS_PATH),
            keys_url: format!("{base_url}{}", provider::KEYS_PATH),
            overrides: &options.settings,
        }
    }

    /// The variables of all functions, for tools that start them with one environment. A variable that differs between
    /// functions is an error.
    pub(crate) fn of_all(&self, template: &Template) -> Result<BTreeMap<String, String>, String> {
        let mut all = BTreeMap::new();
        for function in template.functions() {
            for (name, value) in self.of(template, function).map_err(|error| error.to_string())? {
                if all.get(&name).is_some_and(|other| *other != value) {
                    return Err(format!("{name} of {} differs from another function's", function.logical_id));
                }
                all.insert(name, value);
            }
        }
        Ok(all)
    }

    /// The variables of `function`.
    pub(crate) fn of(
        &self,
        template: &Template,
        function: &Function,
    ) -> Result<BTreeMap<String, String>, TemplateError> {
        let parameters = [
            ("AWS::StackName", "local"),
            // The stack serves the avatars, also if another program serves the pages.
            ("AvatarBaseUrl", &self.front_end_url),
            ("CorsOrigins", DEVELOPMENT_ORIGIN),
            ("DeadLetters", &format!("{}/dead-letters", self.queues_url)),
            ("EventBus", "local"),
            ("FrontEndUrl", &self.front_end_url),
            ("GoogleClientIds", DEFAULT_CLIENT_ID),
            ("MailFrom", "cuentas@example.com"),
        ];
        let mut variables = template.environment(function, &parameters)?;
        if let Some(url) = variables.get_mut("GOOGLE_KEYS_URL") {
            url.clone_from(&self.keys_url);
        }
        if let Some(arn) = variables.get_mut("CAPTCHA_SECRET_ARN")
            && self.overrides.get(CAPTCHA_SECRET).is_some_and(|secret| !secret.is_empty())
        {
            CAPTCHA_SECRET_ARN.clone_into(arn);
        }
        let everywhere = [
            ("AWS_ACCESS_KEY_ID", "local"),
            ("AWS_ENDPOINT_URL_DYNAMODB", &self.dynamodb_url),
            ("AWS_ENDPOINT_URL_EVENTBRIDGE", &self.event_bus_url),
            ("AWS_ENDPOINT_URL_SECRETS_MANAGER", &self.secrets_url),
            ("AWS_ENDPOINT_URL_SESV2", &self.ses_url),
            ("AWS_ENDPOINT_URL_SQS", &self.queues_url),
            ("AWS_REGION", "eu-west-1"),
            ("AWS_SECRET_ACCESS_KEY", "local"),
            ("COOKIE_SECURE", "false"),
        ];
        variables.extend(everywhere.map(|(name, value)| (name.to_owned(), value.to_owned())));

        let is_in_template = |name| template.functions().iter().any(|function| function.environment.contains_key(name));
        for (name, value) in self.overrides.iter().filter(|(name, _)| *name != CAPTCHA_SECRET) {
            if variables.contains_key(name) || !is_in_template(name) {
                variables.insert(name.clone(), value.clone());
            }
        }
        Ok(variables)
    }
}

/// The client id that credentials are issued for by default: the first accepted one.
pub(crate) fn audience(overrides: &BTreeMap<String, String>) -> String {
    let ids = overrides.get("GOOGLE_CLIENT_IDS").map_or(DEFAULT_CLIENT_ID, String::as_str);
    ids.split(',').next().unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(function: &str, overrides: &[(&str, &str)]) -> BTreeMap<String, String> {
        let template = Template::of_this_project().expect("the template is read");
        let overrides = overrides.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let options = Options { settings: overrides.collect(), ..Options::default() };
        let environment = Environment::for_stack("http://stack", "http://table", &options);
        let function = template.functions().iter().find(|f| f.logical_id == function);
        environment.of(template, function.expect("the function exists")).expect("all is resolved")
    }

    #[test]
    fn the_common_environment_has_the_variables_of_every_function() {
        let template = Template::of_this_project().expect("the template is read");
        let options = Options::default();
        let all = Environment::for_stack("http://stack", "http://table", &options).of_all(template);
        let all = all.expect("no variable differs");
        for function in template.functions() {
            for (name, value) in variables(&function.logical_id, &[]) {
                assert_eq!(all.get(&name), Some(&value), "{name} of {}", function.logical_id);
            }
        }
    }

    #[test]
    fn a_variable_that_differs_between_functions_is_an_error() {
        let text = "
            Resources:
              Read:
                Type: AWS::Serverless::Function
                Properties: { Environment: { Variables: { SIZE: 1 } } }
              Write:
                Type: AWS::Serverless::Function
                Properties: { Environment: { Variables: { SIZE: 2 } } }
            ";
        let template = Template::parse(text).expect("the template is read");
        let options = Options::default();
        let all = Environment::for_stack("http://stack", "http://table", &options).of_all(&template);
        assert_eq!(all, Err("SIZE of Write differs from another function's".to_owned()));
    }

    #[test]
    fn a_function_has_the_variables_that_the_template_sets_for_it_and_not_those_of_others() {
        let session = variables("Session", &[]);
        assert_eq!(session.get("ACCOUNTS_TABLE").map(String::as_str), Some("accounts"));
        assert_eq!(session.get("FRONT_END_URL").map(String::as_str), Some("http://stack"));
        assert_eq!(session.get("MAIL_FROM"), None);
        assert_eq!(session.get("GOOGLE_KEYS_URL"), None);
        assert_eq!(
            variables("GoogleLogin", &[]).get("GOOGLE_KEYS_URL").map(String::as_str),
            Some("http://stack/_local/google/jwks")
        );
    }

    #[test]
    fn an_environment_has_the_arn_of_the_captcha_secret_and_not_the_secret() {
        let login = variables("Login", &[("CAPTCHA_SECRET", "s3cret")]);
        assert_eq!(login.get("CAPTCHA_SECRET_ARN").map(String::as_str), Some(CAPTCHA_SECRET_ARN));
        assert!(login.values().all(|value| !value.contains("s3cret")), "{login:?}");
        assert_eq!(variables("Login", &[]).get("CAPTCHA_SECRET_ARN").map(String::as_str), Some(""));
    }

    #[test]
    fn an_override_that_the_template_does_not_know_reaches_every_function() {
        for function in ["Login", "Register"] {
            let all = variables(function, &[("AWS_CA_BUNDLE", "/ca.pem")]);
            assert_eq!(all.get("AWS_CA_BUNDLE").map(String::as_str), Some("/ca.pem"), "{function}");
        }
    }

    #[test]
    fn an_override_of_a_variable_of_the_template_reaches_only_the_functions_that_have_it() {
        let overrides = [("MAIL_FROM", "b@example.com"), ("SESSION_IDLE_SECONDS", "5")];
        let login = variables("Login", &overrides);
        assert_eq!(login.get("MAIL_FROM"), None);
        assert_eq!(login.get("SESSION_IDLE_SECONDS").map(String::as_str), Some("5"));
        let mailing = variables("SendResetLink", &overrides);
        assert_eq!(mailing.get("MAIL_FROM").map(String::as_str), Some("b@example.com"));
    }
}
