//! `docs/bench.md` and its chart.

use std::fmt::Write;
use std::time::Duration;

use crate::chart::{Bar, Chart, Panel};
use crate::measure::{Cold, Warm};
use crate::rows::Hash;
use crate::variants::Kind;

/// Heads of the columns.
pub const COLUMNS: [&str; 9] = [
    "",
    "spawn → ready, ms",
    "spawn → first answer, ms",
    "CPU to first answer, ms",
    "CPU of a call, first 100, ms",
    "CPU of a call, later, ms",
    "RSS, MB",
    "zip, MB",
    "calls",
];

/// The medians of one variant.
#[derive(Debug, Clone)]
pub struct Row {
    /// What it is called.
    pub name: String,
    /// Where it belongs.
    pub kind: Kind,
    /// What its password hash costs.
    pub hash: Option<Hash>,
    /// From spawn to the first answer.
    pub cold: Cold,
    /// Once warm.
    pub warm: Warm,
    /// Bytes of what is deployed.
    pub zip: Option<u64>,
}

/// All that was measured, and on what.
pub struct Report {
    /// The variants, in the order of the tables.
    pub rows: Vec<Row>,
    /// Machine and date.
    pub machine: String,
    /// Versions of all that took part.
    pub versions: String,
    /// How many runs each median is of.
    pub runs: String,
}

impl Report {
    /// The page.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut page = format!(
            "# Beside the floor, and beside peers\n\n\
             Made by `make bench` on {}. {}\n\n{}\n\n\
             Each variant is a process of its own with Lambda's environment and no more, fed by a Runtime API on this machine. \
             Its table answers at once, behind TLS, so that a handshake and the reading of trusted roots cost what they do. \
             Every variant gets the same event and the same items, and its answer is compared before any time counts; variants \
             take turns, and each figure is a median. *Without the hash* the password is hashed with the least that Argon2 \
             takes (8 KiB, one pass): what is left is all the rest. *With* it is Argon2id with 19456 KiB and two passes for all. \
             In brackets stands the multiple of our login; under our own functions, of the empty function.\n\n\
             ![The same as a picture](bench.svg)\n",
            self.machine, self.runs, self.versions,
        );
        for (title, hash) in [("Login without the hash", Hash::Light), ("Login with the hash", Hash::Full)] {
            let rows = self.logins(hash);
            let ours = rows.iter().find(|row| row.kind == Kind::Login).copied();
            let _ = write!(page, "\n## {title}\n\n{}", table(&rows, ours));
        }
        let floor = self.rows.iter().find(|row| row.kind == Kind::Floor);
        let own = |hash: Option<Hash>| {
            let rows = self.rows.iter().filter(move |row| matches!(row.kind, Kind::Login | Kind::Other));
            floor.into_iter().chain(rows.filter(|row| row.hash == hash)).collect::<Vec<_>>()
        };
        for (title, hash) in [
            ("Our functions that hash nothing", None),
            ("Our functions that hash, without the hash", Some(Hash::Light)),
            ("Our functions that hash, with it", Some(Hash::Full)),
        ] {
            let _ = write!(page, "\n## {title}\n\n{}", table(&own(hash), floor));
        }
        page + "\nCalls are those to the table and to the mail service, of one warm request. Zips of Node hold the bundled SDK, \
                those of Python leave it out, for Lambda's runtime has it. The Runtime API's client of the peers on Node is \
                thirty lines of our own, since the official one compiles libcurl when it is installed.\n"
    }

    /// The picture.
    #[must_use]
    pub fn chart(&self) -> Chart {
        let panel = |title: &str, hash: Hash, unit: &str, value: fn(&Row) -> f64| {
            let bar = |row: &Row| Bar {
                label: row.name.clone(),
                value: value(row),
                text: format!("{} {unit}", figure(value(row))),
                ours: row.kind == Kind::Login,
            };
            Panel { title: title.to_owned(), bars: self.logins(hash).into_iter().map(bar).collect() }
        };
        Chart {
            title: "Login on Lambda: ours, and peers that do the same work".to_owned(),
            note: format!("make bench, {}", self.machine),
            panels: vec![
                panel("Spawn to first answer, without the hash", Hash::Light, "ms", |row| ms(row.cold.answered)),
                panel("Processor time of a warm call, without the hash", Hash::Light, "ms", |row| ms(row.warm.later)),
                panel("Processor time of a warm call, with the hash", Hash::Full, "ms", |row| ms(row.warm.later)),
                panel("Memory, without the hash", Hash::Light, "MB", |row| megabytes(row.warm.peak_rss)),
            ],
        }
    }

    /// The floor, our login and its peers.
    fn logins(&self, hash: Hash) -> Vec<&Row> {
        let is = |row: &&Row| match row.kind {
            Kind::Floor => true,
            Kind::Login | Kind::Peer => row.hash == Some(hash),
            Kind::Other => false,
        };
        self.rows.iter().filter(is).collect()
    }
}

fn table(rows: &[&Row], base: Option<&Row>) -> String {
    let mut table = format!("| {} |\n|---|{}\n", COLUMNS.join(" | "), "---:|".repeat(COLUMNS.len() - 1));
    for row in rows {
        let values = values(row);
        let of_base = base.map(self::values);
        let cells = values.iter().enumerate().map(|(column, value)| {
            let Some(value) = value else { return "–".to_owned() };
            let base = of_base.as_ref().and_then(|base| base.get(column).copied().flatten());
            match base.filter(|base| *base > 0.0 && column + 1 < values.len()) {
                Some(base) => format!("{} ({})", figure(*value), figure(value / base)),
                None => figure(*value),
            }
        });
        let _ = writeln!(table, "| {} | {} |", row.name, cells.collect::<Vec<_>>().join(" | "));
    }
    table
}

/// The columns after the name.
fn values(row: &Row) -> [Option<f64>; COLUMNS.len() - 1] {
    let (cold, warm) = (row.cold, row.warm);
    [
        Some(ms(cold.ready)),
        Some(ms(cold.answered)),
        Some(ms(cold.cpu)),
        Some(ms(warm.first)),
        Some(ms(warm.later)),
        Some(megabytes(warm.peak_rss)),
        row.zip.map(megabytes),
        Some(hundredths(warm.calls_of_100)),
    ]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[expect(clippy::cast_precision_loss, reason = "three digits of it are shown")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "a call makes a few calls")]
fn hundredths(count: u64) -> f64 {
    count as f64 / 100.0
}

/// Three digits, which is more than a measurement of time is good for.
fn figure(value: f64) -> String {
    match value {
        value if value >= 99.95 => format!("{value:.0}"),
        value if value >= 9.995 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, kind: Kind, hash: Option<Hash>, milliseconds: u64) -> Row {
        let time = Duration::from_millis(milliseconds);
        let cold = Cold { ready: time, answered: time, cpu: time };
        let warm = Warm { first: time, later: time, peak_rss: 5_000_000, calls_of_100: 200 };
        Row { name: name.to_owned(), kind, hash, cold, warm, zip: None }
    }

    fn report() -> Report {
        let rows = vec![
            row("floor", Kind::Floor, None, 1),
            row("login", Kind::Login, Some(Hash::Light), 2),
            row("peer", Kind::Peer, Some(Hash::Light), 80),
            row("logout", Kind::Other, None, 3),
        ];
        Report { rows, machine: "a machine".to_owned(), versions: String::new(), runs: String::new() }
    }

    #[test]
    fn a_peer_is_a_multiple_of_our_login_and_our_functions_are_multiples_of_the_floor() {
        let page = report().markdown();
        assert!(page.contains("| peer | 80.0 (40.0) |"), "{page}");
        assert!(page.contains("| login | 2.00 (1.00) |"), "{page}");
        assert!(page.contains("| logout | 3.00 (3.00) |"), "{page}");
    }

    #[test]
    fn the_chart_shows_ours_among_the_others() {
        let svg = report().chart().svg();
        assert!(svg.contains("class=\"ours\"") && svg.contains("80.0 ms") && svg.contains("a machine"));
    }

    #[test]
    fn the_page_in_the_repository_has_these_columns_and_all_functions() {
        let page = include_str!("../../../docs/bench.md");
        assert!(page.contains(&format!("| {} |", COLUMNS.join(" | "))), "run `make bench`: the columns have changed");
        for function in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../functions")).unwrap() {
            let name = function.unwrap().file_name().into_string().unwrap();
            assert!(page.contains(&format!("\n| {name} |")), "run `make bench`: {name} is not on the page");
        }
    }
}
