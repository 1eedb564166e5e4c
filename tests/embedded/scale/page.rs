//! The page: its written parts, and what is counted for them.

use super::chart;
use super::figures::Figures;
use super::limits::{self, Key, Reached};
use super::money::Cost;
use super::requests::Measured;

/// What the page is counted from.
pub(super) struct Page {
    pub(super) figures: Figures,
    pub(super) requests: Vec<Measured>,
    pub(super) items: Vec<(&'static str, usize)>,
}

impl Page {
    pub(super) fn costs(&self) -> Vec<(&'static str, Cost)> {
        self.requests.iter().map(|request| (request.title, Cost::of_a_million(request, &self.figures))).collect()
    }

    pub(super) fn reached(&self) -> Vec<Reached> {
        limits::reached(&self.requests, &self.figures)
    }

    pub(super) fn keys(&self) -> Vec<Key> {
        limits::keys(&self.requests, &self.items, &self.figures)
    }

    pub(super) fn chart(&self) -> String {
        chart::draw(&self.costs(), &self.reached())
    }

    /// Name and text of each part that is written.
    pub(super) fn parts(&self) -> Vec<(&'static str, String)> {
        vec![
            ("requests", self.requests_table()),
            ("formula", self.formula()),
            ("items", self.items_table()),
            ("rates", self.rates_table()),
            ("limits", self.limits_table()),
            ("ramp", self.ramp()),
            ("keys", self.keys_table()),
            ("flood", self.flood()),
            ("prices", self.prices()),
            ("times", self.times()),
        ]
    }
}

fn begin(name: &str) -> String {
    format!("<!-- make scale: {name} -->\n")
}

const END: &str = "<!-- end -->";

/// The document with these parts in their places.
pub(super) fn filled(document: &str, parts: &[(&str, String)]) -> String {
    let mut filled = document.to_owned();
    for (name, text) in parts {
        let begin = begin(name);
        let (before, rest) = filled.split_once(&begin).unwrap_or_else(|| panic!("docs/scale.md has no part {name}"));
        let (_, after) = rest.split_once(END).unwrap_or_else(|| panic!("docs/scale.md: {name} has no end"));
        filled = format!("{before}{begin}{text}{END}{after}");
    }
    let places = filled.matches("<!-- make scale: ").count();
    assert_eq!(places, parts.len(), "docs/scale.md has a part that nobody writes, or one twice");
    filled
}

/// What is written by hand, without names in code spans and without links' targets.
pub(super) fn prose(document: &str) -> String {
    let mut kept = String::new();
    let mut is_written = false;
    for line in document.lines() {
        is_written = (is_written || line.starts_with("<!-- make scale: ")) && line != END;
        if !is_written {
            let bare = line.split('`').step_by(2).collect::<String>();
            let mut texts = bare.split("](");
            kept += texts.next().unwrap_or_default();
            kept.extend(texts.map(|rest| rest.split_once(')').map_or("", |(_, after)| after)));
            kept.push('\n');
        }
    }
    kept
}
