//! What a check found, and how it is printed.

use std::error::Error;
use std::fmt::Write;

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use serde::Serialize;

use crate::failure::{Done, Failure};
use crate::output;
use crate::why::{Why, why};

/// How a check ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Ok,
    /// It does no harm yet.
    Warning,
    Problem,
    /// The check could not run.
    Failed,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    check: &'static str,
    result: Outcome,
    /// A sentence.
    text: String,
    /// What to do next.
    next: Option<String>,
}

impl Finding {
    pub(crate) fn ok(check: &'static str, text: impl Into<String>) -> Self {
        Self { check, result: Outcome::Ok, text: text.into(), next: None }
    }

    pub(crate) fn warning(check: &'static str, text: impl Into<String>, next: impl Into<String>) -> Self {
        Self { check, result: Outcome::Warning, text: text.into(), next: Some(next.into()) }
    }

    pub(crate) fn problem(check: &'static str, text: impl Into<String>, next: impl Into<String>) -> Self {
        Self { check, result: Outcome::Problem, text: text.into(), next: Some(next.into()) }
    }

    /// A check that could not run.
    pub(crate) fn failed(check: &'static str, text: impl Into<String>, next: impl Into<String>) -> Self {
        Self { check, result: Outcome::Failed, text: text.into(), next: Some(next.into()) }
    }

    /// A check whose call to AWS failed. `action` is the call's IAM action.
    pub(crate) fn call_failed<E: Error + ProvideErrorMetadata>(check: &'static str, action: &str, error: &E) -> Self {
        let Why { cause, next } = why(action, error);
        Self::failed(check, format!("The check could not run: {action} failed ({cause})."), next)
    }

    fn is(&self, result: Outcome) -> bool {
        self.result == result
    }
}

/// Prints findings, and says how the command ends.
pub(crate) fn print(json: bool, findings: &[Finding]) -> Result<Done, Failure> {
    if json {
        output::value(&findings)?;
    } else {
        table(findings).lines().try_for_each(output::line)?;
    }
    let count = |result| findings.iter().filter(|finding| finding.is(result)).count();
    let (problems, failed) = (count(Outcome::Problem), count(Outcome::Failed));
    output::note(&format!("problems: {problems}, warnings: {}, checks: {}", count(Outcome::Warning), findings.len()));
    if failed > 0 {
        return Err(Failure::Failed(format!("{failed} checks could not run")));
    }
    Ok(if problems > 0 { Done::WithProblems } else { Done::All })
}

/// The findings as aligned text. What to do next is on a line of its own.
fn table(findings: &[Finding]) -> String {
    let width = findings.iter().map(|finding| finding.check.len()).max().unwrap_or_default();
    let mut text = String::new();
    for Finding { check, result, text: sentence, next } in findings {
        let result = match result {
            Outcome::Ok => "ok",
            Outcome::Warning => "warning",
            Outcome::Problem => "problem",
            Outcome::Failed => "failed",
        };
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{result:<7}  {check:<width$}  {sentence}");
        if let Some(next) = next {
            let _ = writeln!(text, "{:7}  {:width$}  > {next}", "", "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_aligned_and_say_what_to_do_next() {
        let findings = [Finding::ok("clock", "It is right."), Finding::problem("mail-sandbox", "It is.", "ask AWS")];
        assert_eq!(
            table(&findings),
            "ok       clock         It is right.\nproblem  mail-sandbox  It is.\n                       > ask AWS\n"
        );
    }
}
