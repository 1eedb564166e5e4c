//! Which limit is reached when, and which key of the table is the hottest.

use super::figures::{Figures, Limit, float};
use super::money::Time;
use super::requests::Measured;
use super::units;

const DAY: f64 = 24.0 * 3600.0;

/// A limit, and the rate of its request at which it is reached.
pub(super) struct Reached {
    pub(super) limit: Limit,
    pub(super) of: &'static str,
    pub(super) at: f64,
}

pub(super) fn request<'a>(requests: &'a [Measured], id: &str) -> &'a Measured {
    requests.iter().find(|request| request.id == id).unwrap_or_else(|| panic!("no request {id}"))
}

/// All limits, the one that is reached first first; those of logins before others.
pub(super) fn reached(requests: &[Measured], figures: &Figures) -> Vec<Reached> {
    let mut all: Vec<Reached> = figures
        .limits()
        .into_iter()
        .map(|limit| {
            let request = request(requests, &limit.of);
            let mails = float(request.mails);
            let used = match &*limit.used {
                "calls" => 1.0,
                "environments" => Time::of(request, figures).environments(figures),
                "reads" => request.reads(),
                "writes" => request.writes(),
                "mails" => mails,
                "mails a day" => mails * DAY,
                other => panic!("docs/scale.yaml: what is a use of {other}?"),
            };
            Reached { at: limit.most / used, of: request.title, limit }
        })
        .collect();
    all.sort_by(|one, other| (one.of != "login").cmp(&(other.of != "login")).then(one.at.total_cmp(&other.at)));
    all
}

/// A key that many requests may meet at.
pub(super) struct Key {
    pub(super) what: &'static str,
    pub(super) of: &'static str,
    /// Read or written.
    pub(super) used: &'static str,
    /// Units of a request.
    pub(super) units: f64,
    /// Units a second that it can have.
    pub(super) limit: f64,
}

impl Key {
    /// Requests a second at which it has no more.
    pub(super) fn at(&self) -> f64 {
        self.limit / self.units
    }
}

/// The keys, hottest first.
pub(super) fn keys(requests: &[Measured], items: &[(&'static str, usize)], figures: &Figures) -> Vec<Key> {
    let (reads, writes) = (figures.number("partition.reads.value"), figures.number("partition.writes.value"));
    let of = |id: &str| request(requests, id);
    let read = |what, id: &str, is_it: fn(&units::Key) -> bool| {
        let (units, of) = (of(id).of_key(is_it).0, of(id).title);
        Key { what, of, used: "read", units, limit: reads }
    };
    let written = |what, id: &str, is_it: fn(&units::Key) -> bool| {
        let (units, of) = (of(id).of_key(is_it).1, of(id).title);
        Key { what, of, used: "written", units, limit: writes }
    };
    let failures = |what, item: &str| {
        let (_, bytes) = items.iter().find(|(title, _)| *title == item).unwrap();
        let of = "login that the limit refuses";
        Key { what, of, used: "written", units: f64::from(units::write_units(*bytes)), limit: writes }
    };
    let mut keys = vec![
        read("one account's profile", "login", |(_, sk)| sk == "profile"),
        read("one account's profile", "wrong", |(_, sk)| sk == "profile"),
        written("one account's sessions", "login", |(_, sk)| sk.starts_with("session#")),
        read("one session and its profile", "session", |_| true),
        read("one Google identity", "google", |(pk, _)| pk.starts_with("google#")),
        written("one account's profile", "reset-link", |(_, sk)| sk == "profile"),
        failures("one address's failures, `LoginMaxFailures` 10", "failures, ten"),
        failures("one address's failures, `LoginMaxFailures` 1000", "failures, a thousand"),
        written("the counter of ids, which all share", "register", |(pk, _)| pk == "counter"),
    ];
    keys.sort_by(|one, other| one.at().total_cmp(&other.at()));
    keys
}
