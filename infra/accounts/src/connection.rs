//! The deployment that a command works on, and the clients for it.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_cloudformation::error::SdkError;
use aws_sdk_cloudformation::operation::describe_stacks::DescribeStacksError;
use aws_sdk_cloudformation::types::Stack;
use aws_sdk_dynamodb::config::Credentials;
use aws_sdk_dynamodb::operation::describe_table::DescribeTableError;
use aws_smithy_http_client::{Builder, tls};
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use shared::account::avatar::Avatars;
use shared::store::operator::{Lifetimes, Operator};
use shared::store::{Entries, Erasures};
use shared::system::clock::SystemClock;
use shared::system::random::SystemRandom;
use shared::{OperatorAccess, Passwords, Setup};

use crate::cli::Target;
use crate::failure::Failure;
use crate::output;
use crate::why::{Why, why};

/// The maximum number of attempts of one operation. No user waits for it, and a throttled table recovers within
/// seconds.
const ATTEMPTS: u32 = 10;
/// The longest pause between two attempts. With all of them an operation ends before its timeout, and its fault says why
/// the last attempt has failed, such as a throttled table.
const BACKOFF: Duration = Duration::from_secs(4);
/// The timeout of a connection to this computer.
const CONNECT: Duration = Duration::from_secs(2);
/// What to do if the local tables do not answer.
const NO_TABLES: &str = "start `make dev`, or give the port of its tables as DYNAMODB_PORT";
/// The region of the local tables. Any would do.
const LOCAL_REGION: &str = "eu-west-1";
/// The timeout of an attempt.
const ATTEMPT: Duration = Duration::from_secs(10);
/// The timeout of an operation with all its attempts.
const OPERATION: Duration = Duration::from_mins(1);

/// The settings of the lifetimes of a session, and their parameters in the template.
const LIFETIMES: [(&str, &str); 2] =
    [("SESSION_ABSOLUTE_SECONDS", "SessionAbsoluteSeconds"), ("SESSION_IDLE_SECONDS", "SessionIdleSeconds")];

/// The settings of mails, and their parameters in the template.
const MAILS: [(&str, &str); 9] = [
    ("MAIL_FROM", "MailFrom"),
    ("PRODUCT_NAME", "ProductName"),
    ("FRONT_END_URL", "FrontEndUrl"),
    ("RESET_TOKEN_SECONDS", "ResetTokenSeconds"),
    ("RESET_COOLDOWN_SECONDS", "ResetCooldownSeconds"),
    ("COMMON_PASSWORDS", "CommonPasswords"),
    ("MAILS_PER_DAY", "MailsPerDay"),
    ("NOTICES", "OwnerNotices"),
    ("LOGIN_MAX_FAILURES", "LoginMaxFailures"),
];
/// The sender of the local stack's mails, if `MAIL_FROM` is not set. Nobody gets them.
const LOCAL_SENDER: &str = "accounts@example.com";

/// The default of a number or a word among the template's parameters, which `make dev` also takes.
fn default_of(parameter: &str) -> String {
    const TEMPLATE: &str = include_str!("../../../template.yaml");
    let (_, text) = TEMPLATE.split_once(&format!("\n  {parameter}: ")).unwrap_or_default();
    let (_, text) = text.split_once("Default: ").unwrap_or_default();
    text.chars().take_while(char::is_ascii_alphanumeric).collect()
}

/// A deployment.
pub(crate) struct Deployment {
    pub(crate) operator: Operator,
    pub(crate) entries: Entries,
    pub(crate) erasures: Erasures,
    /// How long sessions live.
    pub(crate) lifetimes: Lifetimes,
    pub(crate) passwords: Passwords,
    /// The settings of mails.
    pub(crate) mails: Vec<(&'static str, String)>,
    /// The address of the local stack's mail service.
    mail_url: Option<String>,
    pub(crate) avatars: Avatars,
    /// The name of the accounts table.
    pub(crate) table: String,
    /// A name that no other deployment has: the ARN of the accounts table, or the address of the local tables.
    pub(crate) name: String,
    /// The name of the stack; `None` for the local one.
    pub(crate) stack: Option<String>,
    /// The configuration for clients of other services.
    pub(crate) config: SdkConfig,
    /// The start of a command of the AWS CLI on the tables.
    pub(crate) aws: String,
}

/// Where the tables are.
#[derive(Clone)]
pub(crate) struct Location {
    pub(crate) config: SdkConfig,
    pub(crate) accounts: String,
    pub(crate) entries: String,
    pub(crate) avatars: String,
    /// `SESSION_ABSOLUTE_SECONDS` and `SESSION_IDLE_SECONDS`.
    pub(crate) lifetimes: [String; 2],
    /// The settings of mails.
    pub(crate) mails: Vec<(&'static str, String)>,
}

impl Deployment {
    /// Finds the tables, and checks that the accounts table can be reached. No call asks for hashes of passwords.
    pub(crate) async fn of(target: &Target) -> Result<Self, Failure> {
        Self::at(target, Location::of(target).await?, OperatorAccess::WithoutHashes).await
    }

    /// The same for a command that needs the hashes.
    pub(crate) async fn with_hashes(target: &Target) -> Result<Self, Failure> {
        Self::at(target, Location::of(target).await?, OperatorAccess::WithHashes).await
    }

    /// The deployment with these tables. Checks that the accounts table can be reached.
    pub(crate) async fn at(target: &Target, location: Location, access: OperatorAccess) -> Result<Self, Failure> {
        let client = aws_sdk_dynamodb::Client::new(&location.config);
        let described = client.describe_table().table_name(&location.accounts).send().await;
        let described = described.map_err(|error| unreachable(target, &location.accounts, &error))?;
        let arn = described.table.and_then(|table| table.table_arn).filter(|_| target.stack.is_some());
        let name = arn.unwrap_or_else(|| location.config.endpoint_url().unwrap_or(&location.accounts).to_owned());
        let table = location.accounts.clone();
        let mail_url = target.local.then(|| {
            let own = format!("{}/_local/ses", location.avatars.replace("localhost", "127.0.0.1"));
            std::env::var("AWS_ENDPOINT_URL_SESV2").unwrap_or(own)
        });
        let settings = [
            ("ACCOUNTS_TABLE", location.accounts),
            ("ENTRIES_TABLE", location.entries),
            ("ARGON2_IMPLEMENTATION", "fastest".to_owned()),
            ("AVATAR_BASE_URL", location.avatars.clone()),
            ("FRONT_END_URL", location.avatars),
        ];
        let lifetimes = LIFETIMES.into_iter().map(|(name, _)| name).zip(location.lifetimes);
        let settings = settings.into_iter().chain(lifetimes).map(|(name, value)| (name.to_owned(), value));
        let setup = Setup::new(settings, Arc::new(SystemClock), Arc::new(SystemRandom));
        let setup = setup.with_dynamodb(client).of_operator(access);
        let deployment = Self {
            operator: Operator::new(&setup),
            entries: Entries::new(&setup),
            erasures: Erasures::new(&setup),
            lifetimes: Lifetimes::new(&setup),
            passwords: Passwords::new(&setup),
            mails: location.mails,
            mail_url,
            avatars: Avatars::new(setup.settings()),
            table,
            name,
            stack: target.stack.clone(),
            aws: target.aws_dynamodb()?,
            config: location.config,
        };
        setup.settings().check().map_err(|error| Failure::Failed(error.to_string()))?;
        Ok(deployment)
    }
}

impl Deployment {
    /// The configuration for the mail service. That of the local stack is at its port.
    pub(crate) fn mail_config(&self) -> SdkConfig {
        let mut config = self.config.to_builder();
        if let Some(url) = &self.mail_url {
            config.set_endpoint_url(Some(url.clone()));
        }
        config.build()
    }
}

impl Location {
    /// The tables of the deployment that the command line names.
    pub(crate) async fn of(target: &Target) -> Result<Self, Failure> {
        match target.chosen()? {
            Chosen::Stack(stack) => Self::of_stack(target, stack).await,
            Chosen::Local => Self::local(target).await,
        }
    }

    /// The tables of the local stack.
    pub(crate) async fn local(target: &Target) -> Result<Self, Failure> {
        let (tables, service) = (tables_port()?, port("PORT", 3000)?);
        require_local_tables(tables)?;
        let credentials = Credentials::new("local", "local", None, None, "local");
        let loader = loader(target).credentials_provider(credentials).region(Region::new(LOCAL_REGION));
        let config = loader.endpoint_url(format!("http://127.0.0.1:{tables}")).load().await;
        let avatars = format!("http://localhost:{service}");
        let lifetimes =
            LIFETIMES.map(|(name, parameter)| std::env::var(name).unwrap_or_else(|_| default_of(parameter)));
        let own = [("MAIL_FROM", LOCAL_SENDER), ("FRONT_END_URL", &avatars)];
        let mails = MAILS.map(|(name, parameter)| {
            let own = own.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned());
            let default = || own.unwrap_or_else(|| default_of(parameter));
            (name, std::env::var(name).unwrap_or_else(|_| default()))
        });
        let mails = mails.into_iter().chain([("MAIL_CONFIGURATION_SET", String::new())]).collect();
        Ok(Self { config, accounts: "accounts".to_owned(), entries: "entries".to_owned(), avatars, lifetimes, mails })
    }

    async fn of_stack(target: &Target, stack: &str) -> Result<Self, Failure> {
        let config = stack_config(target).await?;
        let described = Described::of(&config, stack).await.map_err(|error| {
            let Why { cause, next } = why("cloudformation:DescribeStacks", &error);
            Failure::Failed(format!("the stack {stack} cannot be read ({cause}): {next}"))
        })?;
        described.note_another_version(stack);
        let required = |what: &str, value: Option<&str>| {
            let missing =
                || Failure::Failed(format!("the stack {stack} has no {what}: is it a stack of this service?"));
            value.map(str::to_owned).ok_or_else(missing)
        };
        let avatars = described.parameter("AvatarBaseUrl").or_else(|| described.parameter("FrontEndUrl"));
        Ok(Self {
            entries: required("output EntriesTableName", described.output("EntriesTableName"))?,
            accounts: required("output AccountsTableName", described.output("AccountsTableName"))?,
            avatars: required("parameter FrontEndUrl", avatars)?,
            mails: MAILS
                .into_iter()
                .map(|(name, parameter)| (name, described.parameter(parameter).unwrap_or_default().to_owned()))
                .chain([("MAIL_CONFIGURATION_SET", stack.to_owned())])
                .collect(),
            lifetimes: LIFETIMES
                .map(|(_, name)| described.parameter(name).map_or_else(|| default_of(name), str::to_owned)),
            config,
        })
    }
}

/// The deployment that the command line names.
pub(crate) enum Chosen<'a> {
    Stack(&'a str),
    Local,
}

impl Target {
    /// The deployment to work on.
    pub(crate) fn chosen(&self) -> Result<Chosen<'_>, Failure> {
        match (&self.stack, self.local) {
            (Some(stack), false) => Ok(Chosen::Stack(stack)),
            (None, true) => Ok(Chosen::Local),
            _ => {
                let text = "name the deployment: --stack NAME for one in AWS, or --local for the one of `make dev`";
                Err(Failure::Usage(text.to_owned()))
            }
        }
    }

    /// The start of a command of the AWS CLI on the tables.
    pub(crate) fn aws_dynamodb(&self) -> Result<String, Failure> {
        let options = if self.local {
            let port = tables_port()?;
            format!(" --endpoint-url http://127.0.0.1:{port} --region {LOCAL_REGION} --no-sign-request")
        } else {
            let options = [("region", &self.region), ("profile", &self.profile)];
            options.into_iter().filter_map(|(name, value)| Some(format!(" --{name} {}", value.as_ref()?))).collect()
        };
        Ok(format!("aws dynamodb{options}"))
    }

    /// The name of the stack, for a command that the local stack cannot serve, for the reason `why_not_local`.
    pub(crate) fn in_aws(&self, why_not_local: &str) -> Result<&str, Failure> {
        match self.chosen()? {
            Chosen::Stack(stack) => Ok(stack),
            Chosen::Local => Err(Failure::Usage(why_not_local.to_owned())),
        }
    }
}

/// What CloudFormation says about a stack.
pub(crate) struct Described(Option<Stack>);

impl Described {
    pub(crate) async fn of(config: &SdkConfig, stack: &str) -> Result<Self, SdkError<DescribeStacksError>> {
        let client = aws_sdk_cloudformation::Client::new(config);
        let described = client.describe_stacks().stack_name(stack).send().await?;
        Ok(Self(described.stacks.unwrap_or_default().pop()))
    }

    /// Says so if the stack has another version than this program, which may not know its rows.
    pub(crate) fn note_another_version(&self, stack: &str) {
        const OWN: &str = env!("CARGO_PKG_VERSION");
        let version = self.output("Version").unwrap_or("an unknown version");
        if version != OWN {
            output::note(&format!(
                "the stack {stack} has {version}, and this is accounts {OWN}: use the one of its release"
            ));
        }
    }

    /// An output of the stack.
    pub(crate) fn output(&self, name: &str) -> Option<&str> {
        let outputs = self.0.as_ref().map(Stack::outputs).unwrap_or_default();
        outputs.iter().find(|output| output.output_key() == Some(name))?.output_value()
    }

    /// A parameter of the stack that is not empty.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let parameters = self.0.as_ref().map(Stack::parameters).unwrap_or_default();
        let parameter = parameters.iter().find(|parameter| parameter.parameter_key() == Some(name))?;
        parameter.parameter_value().filter(|value| !value.is_empty())
    }
}

/// The configuration for a stack in AWS, which needs a region.
pub(crate) async fn stack_config(target: &Target) -> Result<SdkConfig, Failure> {
    let config = loader(target).load().await;
    if config.region().is_none() {
        let text = "there is no region: give --region, or set AWS_REGION or the profile's region";
        return Err(Failure::Usage(text.to_owned()));
    }
    Ok(config)
}

fn port(name: &str, default: u16) -> Result<u16, Failure> {
    match std::env::var(name) {
        Ok(text) => text.parse().map_err(|_| Failure::Usage(format!("{name} must be a port"))),
        Err(_) => Ok(default),
    }
}

/// The port of the local tables.
fn tables_port() -> Result<u16, Failure> {
    port("DYNAMODB_PORT", 8000)
}

/// The default chain of the AWS SDK: environment, profiles, SSO, containers.
fn loader(target: &Target) -> aws_config::ConfigLoader {
    let https =
        Builder::new().tls_provider(tls::Provider::Rustls(tls::rustls_provider::CryptoMode::Ring)).build_https();
    let timeouts = TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT).operation_timeout(OPERATION).build();
    let mut loader = aws_config::defaults(BehaviorVersion::latest())
        .http_client(https)
        .timeout_config(timeouts)
        .retry_config(RetryConfig::standard().with_max_attempts(ATTEMPTS).with_max_backoff(BACKOFF));
    if let Some(region) = &target.region {
        loader = loader.region(Region::new(region.clone()));
    }
    if let Some(profile) = &target.profile {
        loader = loader.profile_name(profile);
    }
    loader
}

fn unreachable(target: &Target, table: &str, error: &SdkError<DescribeTableError>) -> Failure {
    let Why { cause, next } = why("dynamodb:DescribeTable", error);
    let next = if target.local { NO_TABLES.to_owned() } else { next };
    Failure::Failed(format!("the table {table} cannot be read ({cause}): {next}"))
}

/// Fails at once if nothing listens on the port of the local tables. The SDK would try for a minute.
fn require_local_tables(port: u16) -> Result<(), Failure> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let connected = TcpStream::connect_timeout(&address, CONNECT);
    connected
        .map(|_| ())
        .map_err(|error| Failure::Failed(format!("nothing answers on {address} ({error}): {NO_TABLES}")))
}
