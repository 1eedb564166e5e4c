//! Checks answers against the OpenAPI document: status, media type, headers and body must be documented
//! for the path and method.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use jsonschema::Validator;
use local::OpenApi;
use serde_json::{Map, Value};

use crate::Answer;

/// The document, with its schemas compiled.
pub struct Contract {
    /// The documented answers, by path, method and status.
    paths: BTreeMap<String, BTreeMap<&'static str, Statuses>>,
    any_other_method: Statuses,
    any_other_path: Statuses,
    preflight: Documented,
    /// The additional headers of answers to a listed origin.
    listed_origin: Documented,
    /// All documented headers, in lower case. An answer may have one of them only if it is documented for that answer.
    headers: BTreeSet<String>,
}

/// Answers by status. Calls with any other method or path have only one answer.
type Statuses = BTreeMap<u16, Documented>;

/// The documentation of one answer.
struct Documented {
    headers: Vec<Header>,
    /// The schema of the body, by media type.
    content: BTreeMap<String, Validator>,
}

struct Header {
    /// In lower case.
    name: String,
    required: bool,
    schema: Validator,
}

impl Contract {
    /// The document of this project, compiled once for the process.
    pub fn shared() -> &'static Self {
        static CONTRACT: OnceLock<Contract> = OnceLock::new();
        CONTRACT.get_or_init(|| {
            let document = OpenApi::of_this_project().expect("the document is read");
            Self::of(document).expect("every part of the document can be compiled")
        })
    }

    /// Compiles a document.
    ///
    /// # Errors
    /// The part of the document that is not a schema or not a status.
    pub fn of(document: &OpenApi) -> Result<Self, String> {
        let mut paths: BTreeMap<String, BTreeMap<_, _>> = BTreeMap::new();
        for operation in document.operations() {
            let responses = operation.value.get("responses").and_then(Value::as_object);
            let statuses = responses.into_iter().flatten().map(|(status, value)| {
                let documented = Documented::of(document, document.resolve(value));
                let place = |error| format!("{} {} {status}: {error}", operation.method, operation.path);
                Ok((status.parse().map_err(|_| place("no status".to_owned()))?, documented.map_err(place)?))
            });
            let statuses = statuses.collect::<Result<Statuses, String>>()?;
            paths.entry(operation.path.to_owned()).or_default().insert(operation.method, statuses);
        }
        let one = |status, value| Ok::<_, String>(Statuses::from([(status, Documented::of(document, value)?)]));
        let any_other_method = one(405, document.any_other_method())?;
        let any_other_path = one(404, document.any_other_path())?;
        let all = paths.values().flat_map(BTreeMap::values).chain([&any_other_method, &any_other_path]);
        let headers = all.flat_map(BTreeMap::values).flat_map(|documented| &documented.headers);
        let headers = headers.map(|header| header.name.clone()).collect();
        let preflight = Documented::of(document, document.preflight())?;
        let listed_origin = Documented::of(document, document.listed_origin())?;
        Ok(Self { paths, any_other_method, any_other_path, preflight, listed_origin, headers })
    }

    /// Checks the answer to a request with this method and path.
    ///
    /// # Errors
    /// All differences from the document.
    pub fn check(&self, method: &str, path: &str, answer: &Answer) -> Result<(), String> {
        let statuses = self
            .paths
            .get(path)
            .map_or(&self.any_other_path, |methods| methods.get(method).unwrap_or(&self.any_other_method));
        let faults = match statuses.get(&answer.status) {
            _ if method == "OPTIONS" && answer.status == 204 => self.preflight.header_faults(answer, &self.headers),
            Some(documented) => {
                let (cors, own) = self.listed_origin.split(answer);
                let faults = documented.faults(&own, method == "HEAD", &self.headers);
                faults.into_iter().chain(self.listed_origin.header_faults(&cors, &self.headers)).collect()
            }
            None => vec![format!("the status is none of {:?}", statuses.keys().collect::<Vec<_>>())],
        };
        if faults.is_empty() {
            return Ok(());
        }
        let faults = faults.join("\n  ");
        let (status, text) = (answer.status, &answer.text);
        Err(format!("{method} {path} answers {status}, not as the OpenAPI document says:\n  {faults}\n  {text}"))
    }
}

impl Documented {
    fn of(document: &OpenApi, value: &Value) -> Result<Self, String> {
        let members = |name: &str| value.get(name).and_then(Value::as_object).into_iter().flatten();
        let headers = members("headers").map(|(name, header)| {
            let header = document.resolve(header);
            let required = header.get("required") == Some(&Value::Bool(true));
            Ok(Header { name: name.to_lowercase(), required, schema: compile(document, header)? })
        });
        let content = members("content").map(|(media, value)| Ok((media.clone(), compile(document, value)?)));
        Ok(Self { headers: headers.collect::<Result<_, String>>()?, content: content.collect::<Result<_, String>>()? })
    }

    /// The answer with only these headers, and the answer without them.
    fn split(&self, answer: &Answer) -> (Answer, Answer) {
        let (mut with, mut without) = (answer.clone(), answer.clone());
        let is_here = |name: &str| self.headers.iter().any(|header| header.name == name);
        for name in answer.headers.keys() {
            let _ = if is_here(name.as_str()) { without.headers.remove(name) } else { with.headers.remove(name) };
        }
        (with, without)
    }

    /// The differences of an answer's headers from the document.
    fn header_faults(&self, answer: &Answer, all_headers: &BTreeSet<String>) -> Vec<String> {
        let mut faults = Vec::new();
        for header in &self.headers {
            let values: Vec<_> = answer.headers.get_all(&header.name).iter().collect();
            if header.required && values.is_empty() {
                faults.push(format!("header {} is missing", header.name));
            }
            for value in values {
                let value = String::from_utf8_lossy(value.as_bytes()).into_owned().into();
                let errors = header.schema.iter_errors(&value);
                faults.extend(errors.map(|error| format!("header {}: {error}", header.name)));
            }
        }
        let undocumented = answer.headers.keys().filter(|name| {
            let elsewhere = all_headers.contains(name.as_str()) || name.as_str().starts_with("access-control-");
            elsewhere && self.headers.iter().all(|header| header.name != name.as_str())
        });
        faults.extend(undocumented.map(|name| format!("header {name} is not documented here")));
        faults
    }

    /// The differences of an answer from the document. An answer to HEAD has no body.
    fn faults(&self, answer: &Answer, head: bool, all_headers: &BTreeSet<String>) -> Vec<String> {
        let mut faults = self.header_faults(answer, all_headers);
        if head {
            return faults;
        }
        let content_type = answer.header("content-type");
        let media = content_type.split(';').next().unwrap_or_default();
        let Some(schema) = self.content.get(media) else {
            faults.push(format!("content type {content_type:?} is not documented"));
            return faults;
        };
        match serde_json::from_str(&answer.text) {
            Ok(body) => faults.extend(schema.iter_errors(&body).map(|error| format!("body: {error}"))),
            Err(error) => faults.push(format!("the body is no JSON: {error}")),
        }
        faults
    }
}

/// Compiles the member `schema` of `value`, together with the components that it may refer to.
fn compile(document: &OpenApi, value: &Value) -> Result<Validator, String> {
    let schema = value.get("schema").ok_or("a schema is missing")?;
    let components = document.root().get("components").cloned().unwrap_or_default();
    let whole = Map::from_iter([
        ("allOf".to_owned(), Value::Array(vec![schema.clone()])),
        ("components".to_owned(), components),
    ]);
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&Value::Object(whole)).map_err(|error| error.to_string())
}
