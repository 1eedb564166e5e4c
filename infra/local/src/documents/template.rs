//! Routes, tables and environments of the functions, read from `template.yaml`.
//!
//! The code does not repeat any of them, so a route, table or variable that is missing in the template is missing
//! locally too.

mod stream;

pub use stream::StreamEvent;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde_yaml_ng::Value;

/// The template of this project, as it is deployed.
const TEMPLATE: &str = include_str!("../../../../template.yaml");

/// The parts of the template that the local stack uses.
#[derive(Debug, Clone)]
pub struct Template {
    functions: Vec<Function>,
    tables: Vec<Table>,
    /// The names of the queues' resources.
    queues: Vec<String>,
    /// Parameters with their default values.
    parameters: BTreeMap<String, Option<String>>,
}

/// An `AWS::Serverless::Function`.
#[derive(Debug, Clone)]
pub struct Function {
    /// The name of the resource, such as `SendResetLink`.
    pub logical_id: String,
    /// The function's `HttpApi` events.
    pub routes: Vec<Route>,
    /// The function's `DynamoDB` event, if it listens to the stream of a table.
    pub stream: Option<StreamEvent>,
    /// The function's variables, including those of `Globals`. A value may be a reference.
    pub environment: BTreeMap<String, Value>,
}

/// A route to a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The exact path, such as `/app/auth/sendLogin.php`.
    pub path: String,
    /// An HTTP method, or `ANY`.
    pub method: String,
    /// The name of the function's resource.
    pub function: String,
}

impl Route {
    /// The function's crate: `send-reset-link` for the resource `SendResetLink`.
    #[must_use]
    pub fn crate_name(&self) -> String {
        crate_name(&self.function)
    }
}

impl Function {
    /// The function's crate: `send-reset-link` for the resource `SendResetLink`.
    #[must_use]
    pub fn crate_name(&self) -> String {
        crate_name(&self.logical_id)
    }
}

fn crate_name(resource: &str) -> String {
    let mut name = String::new();
    for letter in resource.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// An `AWS::DynamoDB::Table`.
#[derive(Debug, Clone)]
pub struct Table {
    /// The name of the resource, such as `AccountsTable`.
    pub logical_id: String,
    /// The properties as JSON. Their names are those of `CreateTable`.
    pub properties: serde_json::Value,
}

impl Table {
    /// The local name: the resource's without `Table`, in lower case (`accounts`).
    #[must_use]
    pub fn name(&self) -> String {
        self.logical_id.strip_suffix("Table").unwrap_or(&self.logical_id).to_lowercase()
    }

    /// The TTL attribute, if the table has one.
    #[must_use]
    pub fn ttl_attribute(&self) -> Option<&str> {
        self.properties.pointer("/TimeToLiveSpecification/AttributeName")?.as_str()
    }
}

/// The template cannot be used; the text gives the place and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError(String);

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "template.yaml: {}", self.0)
    }
}

impl std::error::Error for TemplateError {}

impl Template {
    /// The template of this project, which is read once.
    ///
    /// # Errors
    /// As [`Template::parse`].
    pub fn of_this_project() -> Result<&'static Self, TemplateError> {
        static TEMPLATE_OF_THIS_PROJECT: LazyLock<Result<Template, TemplateError>> =
            LazyLock::new(|| Template::parse(TEMPLATE));
        TEMPLATE_OF_THIS_PROJECT.as_ref().map_err(Clone::clone)
    }

    /// Reads a template.
    ///
    /// # Errors
    /// The text is not YAML, a route or a stream lacks a required property, a pattern of a stream is not JSON, or the
    /// properties of a table cannot be JSON.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let root: Value = serde_yaml_ng::from_str(text).map_err(|error| TemplateError(error.to_string()))?;
        let common = at(&root, &["Globals", "Function", "Environment", "Variables"]);
        let mut template =
            Self { functions: Vec::new(), tables: Vec::new(), queues: Vec::new(), parameters: BTreeMap::new() };
        for (name, parameter) in entries(root.get("Parameters")) {
            template.parameters.insert(name, parameter.get("Default").and_then(plain));
        }
        for (logical_id, resource) in entries(root.get("Resources")) {
            let properties = resource.get("Properties").unwrap_or(&Value::Null);
            match resource.get("Type").and_then(Value::as_str) {
                Some("AWS::Serverless::Function") => {
                    let own = at(properties, &["Environment", "Variables"]);
                    let environment = entries(common).chain(entries(own));
                    template.functions.push(Function {
                        routes: routes(&logical_id, properties)?,
                        stream: stream::of(&logical_id, properties)?,
                        environment: environment.map(|(name, value)| (name, value.clone())).collect(),
                        logical_id,
                    });
                }
                Some("AWS::DynamoDB::Table") => {
                    let properties = serde_json::to_value(properties)
                        .map_err(|error| TemplateError(format!("{logical_id}: {error}")))?;
                    template.tables.push(Table { logical_id, properties });
                }
                Some("AWS::SQS::Queue") => template.queues.push(logical_id),
                _ => {}
            }
        }
        Ok(template)
    }

    /// The functions, in the template's order.
    #[must_use]
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The tables, in the template's order.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The routes of all functions, in the template's order.
    pub fn routes(&self) -> impl Iterator<Item = &Route> {
        self.functions.iter().flat_map(|function| &function.routes)
    }

    /// The variables of `function`. `parameters` are values of the template's parameters, of its queues, and of pseudo
    /// parameters such as `AWS::StackName`; other parameters have their defaults.
    ///
    /// # Errors
    /// A value refers to something other than a table or a parameter with a value. The text names the function and the
    /// variable.
    pub fn environment(
        &self,
        function: &Function,
        parameters: &[(&str, &str)],
    ) -> Result<BTreeMap<String, String>, TemplateError> {
        let resolved = function.environment.iter().map(|(name, value)| {
            let value = self.resolve(value, parameters).ok_or_else(|| {
                let shown = serde_json::to_string(value).unwrap_or_default();
                let function = &function.logical_id;
                TemplateError(format!("{function}: variable {name} cannot be resolved locally: {shown}"))
            })?;
            Ok((name.clone(), value))
        });
        resolved.collect()
    }

    /// The variables of all functions that do not depend on a deployment: the names of the tables, and the settings with
    /// their defaults.
    #[must_use]
    pub fn defaults(&self) -> BTreeMap<String, String> {
        let variables = self.functions.iter().flat_map(|function| &function.environment);
        variables.filter_map(|(name, value)| Some((name.clone(), self.resolve(value, &[])?))).collect()
    }

    fn resolve(&self, value: &Value, parameters: &[(&str, &str)]) -> Option<String> {
        let Value::Tagged(tagged) = own(value) else { return plain(value) };
        if tagged.tag != "Ref" {
            return None;
        }
        let target = tagged.value.as_str()?;
        if let Some(table) = self.tables.iter().find(|table| table.logical_id == target) {
            return Some(table.name());
        }
        let given = parameters.iter().find(|(name, _)| *name == target).map(|(_, value)| (*value).to_owned());
        let has_given_value = target.starts_with("AWS::") || self.queues.iter().any(|queue| queue == target);
        let default = self.parameters.get(target).cloned().or(has_given_value.then_some(None))?;
        given.or(default)
    }
}

fn routes(function: &str, properties: &Value) -> Result<Vec<Route>, TemplateError> {
    let events = entries(properties.get("Events"))
        .filter(|(_, event)| event.get("Type").and_then(Value::as_str) == Some("HttpApi"));
    let route = |(event, value): (String, &Value)| {
        let text = |name: &str| {
            let found = at(value, &["Properties", name]).and_then(Value::as_str).map(str::to_owned);
            found.ok_or_else(|| TemplateError(format!("{function}: event {event} has no {name}")))
        };
        Ok(Route { path: text("Path")?, method: text("Method")?.to_uppercase(), function: function.to_owned() })
    };
    events.map(route).collect()
}

/// The entries of a mapping, in order; none if the value is not a mapping.
fn entries(value: Option<&Value>) -> impl Iterator<Item = (String, &Value)> {
    let mapping = value.and_then(Value::as_mapping);
    mapping.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str()?.to_owned(), value)))
}

fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, name| value.get(name))
}

/// The value with the stack's own table, where a restored one can take its place: the first of the two values of an
/// `!If`. Locally there is no restored table.
fn own(value: &Value) -> &Value {
    match value {
        Value::Tagged(tagged) if tagged.tag == "If" => tagged.value.get(1).unwrap_or(value),
        _ => value,
    }
}

/// A scalar as text, as in an environment variable.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_routes_are_read() {
        let template = Template::of_this_project().expect("the template is read");
        let paths: Vec<_> = template.routes().map(|route| route.path.as_str()).collect();
        let listeners = template.functions().iter().filter(|function| function.stream.is_some()).count();
        assert_eq!(paths.len() + listeners + 1, template.functions().len(), "the authorizer has no path");
        assert!(paths.contains(&"/receive-data.php"));
        assert!(template.routes().all(|route| route.method == "ANY"));
    }

    #[test]
    fn both_tables_are_read_with_their_expiry() {
        let template = Template::of_this_project().expect("the template is read");
        let tables: Vec<_> = template.tables().iter().map(|t| (t.name(), t.ttl_attribute())).collect();
        assert_eq!(tables, [("accounts".to_owned(), Some("expires_at")), ("entries".to_owned(), None)]);
    }

    #[test]
    fn the_stream_of_the_accounts_table_reports_accounts_erasures_and_logins_alone() {
        let template = Template::of_this_project().expect("the template is read");
        let event = template.functions().iter().find_map(|function| function.stream.as_ref());
        let event = event.expect("a function listens to the stream");
        assert_eq!((event.table.as_str(), event.batch_size), ("AccountsTable", 100));
        let matches = |name: &str, sk: &str| {
            let keys = serde_json::json!({"pk": {"S": "a"}, "sk": {"S": sk}});
            event.matches(&serde_json::json!({"eventName": name, "dynamodb": {"Keys": keys}}))
        };
        for name in ["INSERT", "MODIFY", "REMOVE"] {
            assert!(matches(name, "profile") && matches(name, "erasure"));
            assert_eq!(matches(name, "session#a"), name == "INSERT");
            assert_eq!(matches(name, "failures") && matches(name, "failures#a"), name != "REMOVE");
            assert!(!matches(name, "passkey#a") && !matches(name, "profile#address"));
        }
        assert!(!event.matches(&serde_json::json!({"dynamodb": {}})));
    }

    #[test]
    fn references_become_tables_parameters_or_defaults() {
        let text = "
            Parameters: { Given: { Type: String }, Usual: { Type: Number, Default: 5 } }
            Globals: { Function: { Environment: { Variables: { TABLE: !Ref NotesTable } } } }
            Resources:
              NotesTable: { Type: AWS::DynamoDB::Table }
              Write:
                Type: AWS::Serverless::Function
                Properties:
                  Environment: { Variables: { A: !Ref Given, B: !Ref Usual, C: true, D: !If [Owns, !Ref NotesTable, !Ref Usual] } }
            ";
        let template = Template::parse(text).expect("the template is read");
        let function = template.functions().first().expect("there is a function");
        let environment = template.environment(function, &[("Given", "here")]).expect("all resolved");
        let expected = [("A", "here"), ("B", "5"), ("C", "true"), ("D", "notes"), ("TABLE", "notes")];
        assert_eq!(environment, expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    }

    #[test]
    fn the_error_for_a_dangling_reference_names_function_and_variable() {
        let text = "
            Resources:
              Write:
                Type: AWS::Serverless::Function
                Properties: { Environment: { Variables: { TABLE: !Ref Lost } } }
            ";
        let template = Template::parse(text).expect("the template is read");
        let function = template.functions().first().expect("there is a function");
        let error = template.environment(function, &[]).expect_err("the reference is refused").to_string();
        assert!(error.contains("Write") && error.contains("TABLE") && error.contains("Lost"), "{error}");
    }

    #[test]
    fn a_route_without_a_path_is_an_error() {
        let text = "
            Resources:
              Write:
                Type: AWS::Serverless::Function
                Properties: { Events: { Post: { Type: HttpApi, Properties: { Method: ANY } } } }
            ";
        let error = Template::parse(text).expect_err("the route is refused").to_string();
        assert!(error.contains("Write") && error.contains("Path"), "{error}");
    }
}
