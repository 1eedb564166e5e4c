//! `docs/scale.yaml` and `template.yaml`, read.

use std::fs;
use std::path::{Path, PathBuf};

use serde_yaml_ng::Value;

/// A file of this project.
pub(super) fn place(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A count among measures.
pub(super) fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

fn yaml(path: &str) -> Value {
    let text = fs::read_to_string(place(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_yaml_ng::from_str(&text).unwrap()
}

/// What is counted with.
pub(super) struct Figures {
    root: Value,
    template: Value,
}

/// A limit, and what is held against it.
pub(super) struct Limit {
    pub(super) what: String,
    pub(super) most: f64,
    pub(super) used: String,
    pub(super) of: String,
    pub(super) turn: String,
    pub(super) page: String,
    pub(super) seen: String,
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value:?} is no text")).to_owned()
}

impl Figures {
    pub(super) fn of_this_project() -> Self {
        Self { root: yaml("docs/scale.yaml"), template: yaml("template.yaml") }
    }

    fn at(&self, path: &str) -> &Value {
        path.split('.').fold(&self.root, |value, name| &value[name])
    }

    /// The number at a path, such as `waits.GetItem`.
    pub(super) fn number(&self, path: &str) -> f64 {
        self.at(path).as_f64().unwrap_or_else(|| panic!("docs/scale.yaml: {path} is no number"))
    }

    /// The text at a path.
    pub(super) fn text(&self, path: &str) -> String {
        word(self.at(path))
    }

    /// The names at a path.
    pub(super) fn names(&self, path: &str) -> Vec<String> {
        self.at(path).as_mapping().unwrap().keys().map(word).collect()
    }

    /// The steps of a price: what a unit costs, and up to how many units of a month.
    pub(super) fn tiers(&self, name: &str) -> Vec<(f64, f64)> {
        let tiers = self.at(&format!("prices.{name}.tiers")).as_sequence();
        let tiers = tiers.unwrap_or_else(|| panic!("docs/scale.yaml: no price {name}")).iter();
        tiers.map(|tier| (tier["price"].as_f64().unwrap(), tier["to"].as_f64().unwrap_or(f64::INFINITY))).collect()
    }

    /// What a unit costs before any rebate.
    pub(super) fn price(&self, name: &str) -> f64 {
        self.tiers(name)[0].0
    }

    /// What so many units of a month cost.
    pub(super) fn month(&self, name: &str, units: f64) -> f64 {
        let mut from = 0.0;
        let mut sum = 0.0;
        for (price, to) in self.tiers(name) {
            sum += price * (units.min(to) - from).max(0.0);
            from = to;
        }
        sum
    }

    /// Megabytes of the function at a path, by the template.
    pub(super) fn memory(&self, path: &str) -> f64 {
        let functions = self.template["Resources"].as_mapping().unwrap().values();
        let properties = functions.map(|resource| &resource["Properties"]);
        let mut found = properties.filter(|function| function["Events"]["Call"]["Properties"]["Path"] == path);
        let own = found.next().unwrap_or_else(|| panic!("template.yaml has no route {path}"));
        own["MemorySize"].as_f64().or_else(|| self.template["Globals"]["Function"]["MemorySize"].as_f64()).unwrap()
    }

    /// The default of a parameter of the template.
    pub(super) fn parameter(&self, name: &str) -> f64 {
        let value = self.template["Parameters"][name]["Default"].as_f64();
        value.unwrap_or_else(|| panic!("template.yaml has no parameter {name} with a number"))
    }

    /// The gateway's log line of a call, as the template has it, with values as long as they get.
    pub(super) fn access_line(&self, path: &str) -> String {
        let mut line = word(&self.template["Resources"]["Api"]["Properties"]["AccessLogSettings"]["Format"]);
        for (name, value) in [
            ("requestId", "JKJaXmPLvHcESHA="),
            ("requestTimeEpoch", "1795240800000"),
            ("identity.sourceIp", "2001:db8:1234:5678:9abc:def0:1234:5678"),
            ("httpMethod", "POST"),
            ("routeKey", &format!("ANY {path}")),
            ("status", "200"),
            ("responseLatency", "1000"),
            ("error.message", "-"),
            ("integrationErrorMessage", "-"),
        ] {
            line = line.replace(&format!("$context.{name}\""), &format!("{value}\""));
        }
        assert!(!line.contains("$context"), "{line}: say in figures.rs what stands there");
        line
    }

    pub(super) fn limits(&self) -> Vec<Limit> {
        let limits = self.at("limits").as_sequence().unwrap().iter();
        let most = |value: &Value| value.as_f64().unwrap_or_else(|| self.parameter(&word(value)));
        limits
            .map(|row| Limit {
                what: word(&row["what"]),
                most: most(&row["limit"]),
                used: word(&row["use"]),
                of: word(&row["of"]),
                turn: word(&row["turn"]),
                page: word(&row["page"]),
                seen: word(&row["seen"]),
            })
            .collect()
    }
}
