//! The environment variables that developers may set for `make dev`.

use std::env::{self, VarError};
use std::path::PathBuf;

use local::{Data, Options};

/// Variables that are passed on to the functions if they are set.
const FUNCTION_VARIABLES: &[&str] = &[
    "ACCEPTED_ORIGIN_DIGESTS",
    "ARGON2_IMPLEMENTATION",
    "AUDIT_LOG",
    "AVATAR_BASE_URL",
    "CAPTCHA_COST",
    "CAPTCHA_HOSTNAME",
    "CAPTCHA_MIN_SCORE",
    "CAPTCHA_PROVIDER",
    "CAPTCHA_REQUIRED",
    "CAPTCHA_SECRET",
    "CAPTCHA_VERIFY_URL",
    "COMMON_PASSWORDS",
    "CONFIRM_INTERFACE",
    "CONFIRM_SECONDS",
    "COOKIE_SECURE",
    "CORS_ORIGINS",
    "FRONT_END_URL",
    "GOOGLE_CLIENT_IDS",
    "GOOGLE_KEYS_URL",
    "LEGACY_HASHES_UNTIL",
    "LOGIN_FAILURE_WINDOW_SECONDS",
    "LOGIN_MAX_FAILURES",
    "MAILS_PER_DAY",
    "MAIL_FROM",
    "NOTICES",
    "PASSKEY_ORIGINS",
    "PRODUCT_NAME",
    "RESET_COOLDOWN_SECONDS",
    "RESET_TOKEN_SECONDS",
    "SESSION_ABSOLUTE_SECONDS",
    "SESSION_IDLE_SECONDS",
    "SESSION_SAME_SITE",
    "TERMS_VERSION",
    "VERIFY_EMAIL",
];

/// The captcha providers that the login page supports (`web/assets/captcha.js`).
const CAPTCHAS: [&str; 4] = ["recaptcha", "hcaptcha", "turnstile", "altcha"];

/// The options in the environment. The error names the variable and its valid values.
pub(crate) fn from_environment() -> Result<Options, String> {
    let mut options = Options {
        port: port("PORT", 3000)?,
        dynamodb_port: port("DYNAMODB_PORT", 8000)?,
        data: match variable("LOCAL_DATA")?.as_deref() {
            None => Data::Folder(PathBuf::from(".local")),
            Some("memory") => Data::Memory,
            Some(folder) => Data::Folder(PathBuf::from(folder)),
        },
        dynamodb_endpoint: variable("DYNAMODB_URL")?,
        captcha: captcha()?,
        api_backend: variable("API_BACKEND")?,
        event_target: variable("EVENT_TARGET")?,
        ..Options::default()
    };
    if let Some(folders) = variable("WEB_FOLDER")? {
        options.web = env::split_paths(&folders).collect();
    }
    for &name in FUNCTION_VARIABLES {
        if let Some(value) = variable(name)? {
            options.settings.insert(name.to_owned(), value);
        }
    }
    Ok(options)
}

/// The captcha provider of the login page, and its site key.
fn captcha() -> Result<Option<(String, String)>, String> {
    match (variable("CAPTCHA_PROVIDER")?, variable("CAPTCHA_SITE_KEY")?) {
        (None, None) => Ok(None),
        (Some(provider), None) if provider == "none" => Ok(None),
        (Some(provider), None) if provider == "altcha" => Ok(Some((provider, String::new()))),
        (Some(provider), Some(key)) if CAPTCHAS.contains(&provider.as_str()) => Ok(Some((provider, key))),
        (Some(provider), Some(_)) => {
            Err(format!("CAPTCHA_PROVIDER is \"{provider}\": it takes {}", CAPTCHAS.join(", ")))
        }
        _ => Err("CAPTCHA_PROVIDER and CAPTCHA_SITE_KEY go together: set both or none".to_owned()),
    }
}

fn port(name: &str, default: u16) -> Result<u16, String> {
    let Some(text) = variable(name)? else { return Ok(default) };
    text.parse().map_err(|_| format!("{name} is \"{text}\": it takes a port from 1 to 65535, or 0 for any free one"))
}

/// The value of a variable. An empty one counts as not set.
fn variable(name: &str) -> Result<Option<String>, String> {
    match env::var(name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(format!("{name} is not UTF-8")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use local::Template;

    use super::*;

    /// What the local stack itself decides: its tables, its services and their names.
    const OWN: [&str; 6] = [
        "ACCOUNTS_TABLE",
        "CAPTCHA_SECRET_ARN",
        "DEAD_LETTERS_URL",
        "ENTRIES_TABLE",
        "EVENT_BUS",
        "MAIL_CONFIGURATION_SET",
    ];

    #[test]
    fn every_setting_of_the_template_can_be_set_for_the_local_stack() {
        let template = Template::of_this_project().expect("the template can be read");
        let set: BTreeSet<&str> =
            template.functions().iter().flat_map(|function| function.environment.keys().map(String::as_str)).collect();
        let missing: Vec<_> =
            set.into_iter().filter(|name| !FUNCTION_VARIABLES.contains(name) && !OWN.contains(name)).collect();
        assert!(missing.is_empty(), "add {missing:?} to FUNCTION_VARIABLES");
    }
}
