//! The parts of the page, as tables and sentences.

use std::fmt::Write;

use super::limits::{Key, request};
use super::money::{Cost, Month, Time, day};
use super::page::Page;
use super::units;

/// Logins a second of the table.
const RATES: [f64; 4] = [10.0, 100.0, 1_000.0, 10_000.0];
/// The rate that the page asks about.
const PEAK: f64 = 10_000.0;

/// A number with a comma at each thousand.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let commas = digits.bytes().enumerate().flat_map(|(place, digit)| {
        let comma = place > 0 && (digits.len() - place).is_multiple_of(3);
        comma.then_some(b',').into_iter().chain([digit])
    });
    String::from_utf8(commas.collect()).unwrap()
}

/// With as many digits as say something.
fn number(number: f64) -> String {
    if number >= 100.0 {
        return grouped(number);
    }
    let text = if number < 0.1 { format!("{number:.4}") } else { format!("{number:.2}") };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn table(head: &str, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let columns = head.split('|').count();
    let rule = "---|".repeat(columns);
    rows.into_iter().fold(format!("| {head} |\n|{rule}\n"), |table, cells| table + "| " + &cells.join(" | ") + " |\n")
}

impl Page {
    pub(super) fn requests_table(&self) -> String {
        let rows = self.requests.iter().zip(self.costs()).map(|(request, (title, cost))| {
            let time = Time::of(request, &self.figures);
            let mut row = vec![format!("{title}, `{}`", request.path.rsplit('/').next().unwrap())];
            row.extend([time.memory_mb, time.processor_ms, time.wait_ms, time.billed_ms].map(number));
            row.extend([request.reads(), request.writes()].map(number));
            row.extend(cost.parts().map(|dollars| format!("{dollars:.2}")));
            row.push(format!("**{:.2}**", cost.sum()));
            row
        });
        let head = "Request | MB | processor ms | wait ms | billed ms | reads | writes | gateway | functions | tables | logs | mails | $";
        table(head, rows)
    }

    pub(super) fn formula(&self) -> String {
        let price = |name: &str| self.figures.price(name);
        let bytes = |name: &str| number(self.figures.number(&format!("bytes.{name}")));
        format!(
            "`{} + {} + {} × MB / 1024 × ⌈processor × max(1, {} / MB) + wait⌉ + {} × reads + {} × writes + {} × mails`, times in seconds, \
             rounded up to a millisecond;\nand of each request an answer of {} bytes, log lines of {} ({} if refused) and {}, {} for each security event, and {} % of it traced. \
             Waits are added\nup, though some calls are made side by side; of what is made once for many, as a lease of ids, each bears its part.\n",
            price("gateway"),
            price("invocations"),
            price("compute"),
            self.figures.number("lambda.processor_mb.value"),
            price("reads"),
            price("writes"),
            price("mails"),
            bytes("answer"),
            bytes("call_line"),
            bytes("refused_line"),
            bytes("access_line"),
            bytes("audit_line"),
            number(100.0 * self.figures.number("traced.value")),
        )
    }

    pub(super) fn items_table(&self) -> String {
        let rows = self.items.iter().map(|(title, bytes)| {
            let units = [units::read_units(*bytes), units::write_units(*bytes)].map(|units| units.to_string());
            [vec![(*title).to_owned(), bytes.to_string()], units.to_vec()].concat()
        });
        table("Item | bytes | to read | to write", rows)
    }

    fn session_bytes(&self) -> usize {
        self.items.iter().find(|(title, _)| *title == "session").unwrap().1
    }

    pub(super) fn rates_table(&self) -> String {
        let login = request(&self.requests, "login");
        let rows = RATES.map(|rate| {
            let month = Month::of(login, &self.figures, rate, self.session_bytes());
            let mut row: Vec<String> = [rate, month.reads, month.writes, month.busy, month.environments]
                .into_iter()
                .chain([month.log_gb_a_day, month.stored_gb])
                .map(number)
                .collect();
            row.extend(month.cost.parts()[..4].iter().chain([&month.storage, &month.sum()]).copied().map(grouped));
            row.push(format!("{:.2}", month.of_a_million()));
            row
        });
        let head = "Logins a second | reads | writes | calls at work | concurrency to ask for | log, GB a day | session rows, GB | \
                    gateway | functions | tables | logs | storage | $ a month | $ a million";
        table(head, rows)
    }

    pub(super) fn limits_table(&self) -> String {
        let rows = self.reached().into_iter().enumerate().map(|(place, reached)| {
            let (at, limit) = (number(reached.at), reached.limit);
            let held = format!("{} {}", number(limit.most), limit.used);
            let reached = format!("{at} × {}", reached.of);
            let page = format!("{}; {}", limit.page, seen(&limit.seen));
            vec![(place + 1).to_string(), limit.what, held, reached, limit.turn, page]
        });
        table("| Limit | holds, a second | is full at, a second | then turn | by", rows)
    }

    pub(super) fn ramp(&self) -> String {
        let login = request(&self.requests, "login");
        let time = Time::of(login, &self.figures);
        let environments = time.environments(&self.figures) * PEAK;
        let scaling = self.figures.number("lambda.scaling.value");
        let limits = self.figures.limits();
        let start = limits.iter().find(|limit| limit.what == "a new table's writes").unwrap().most;
        let doublings = (login.writes() * PEAK / start).log2().ceil();
        format!(
            "A call may last {} ms before its own duration, and not Lambda's calls of an environment, says how much concurrency it needs; each ms more \
             of a login\ncosts {:.3} dollars a million. From none to {} logins a second: {} environments, which Lambda makes in {} seconds; a new table that carries \
             {} writes a second\ndoubles {} times first, and more than twice the former peak within half an hour may be throttled.\n",
            grouped(1000.0 / self.figures.number("lambda.calls_of_environment.value")),
            time.memory_mb / 1024.0 / 1000.0 * self.figures.price("compute"),
            grouped(PEAK),
            grouped(environments),
            number(10.0 * environments / scaling),
            grouped(start),
            number(doublings),
        )
    }

    pub(super) fn keys_table(&self) -> String {
        let rows = self.keys().into_iter().map(|key| {
            let held = format!("{} {}", grouped(key.limit), key.used);
            let full = format!("{} × {}", grouped(key.at().floor()), key.of);
            vec![key.what.to_owned(), format!("{} {}", number(key.units), key.used), held, full]
        });
        let keys = table("Key | units of a request | holds, a second | is full at, a second", rows);
        let all = self.keys();
        let counter = all.iter().find(|key| key.of == "registration").unwrap();
        let used = PEAK * counter.units;
        format!(
            "{keys}\nThe one key that all share is the counter: of {} registrations a second it sees {} writes, {} % of what it holds; of logins none.\n",
            grouped(PEAK),
            grouped(used),
            number(100.0 * used / counter.limit),
        )
    }

    pub(super) fn flood(&self) -> String {
        let wrong = request(&self.requests, "wrong");
        let throttle = self.figures.parameter("RequestsPerSecond");
        let cost = Cost::of_a_million(wrong, &self.figures);
        let keys = self.keys();
        let profile = keys.iter().find(|key| key.of == wrong.title).unwrap();
        let failures = keys.iter().find(|key| key.what.ends_with("`LoginMaxFailures` 10")).unwrap();
        let time = Time::of(wrong, &self.figures);
        let rows = [throttle, PEAK].map(|rate| {
            let of = |key: &Key| format!("{} of {}", grouped(rate * key.units), grouped(key.limit));
            let environments = grouped(rate * time.environments(&self.figures));
            vec![grouped(rate), of(profile), of(failures), environments, grouped(day(cost, rate))]
        });
        table(
            "Wrong passwords a second, one address | reads of its profile | writes of its failures, if limited | concurrency | $ a day",
            rows,
        )
    }

    pub(super) fn prices(&self) -> String {
        let rows = self.figures.names("prices").into_iter().map(|name| {
            let text = |member: &str| self.figures.text(&format!("prices.{name}.{member}"));
            let mut steps = String::new();
            for (price, to) in self.figures.tiers(&name) {
                let until = if to.is_finite() { format!(" up to {}, then ", grouped(to)) } else { String::new() };
                let _ = write!(steps, "{price}{until}");
            }
            vec![text("what"), steps, text("page"), seen(&text("seen"))]
        });
        format!("Looked up on {}.\n\n{}", self.figures.text("date"), table("What | $ | page | seen", rows))
    }

    pub(super) fn times(&self) -> String {
        let ms = |path: &str| number(self.figures.number(path));
        let processor = self.figures.names("processor").into_iter().map(|name| {
            let text = |member: &str| self.figures.text(&format!("processor.{name}.{member}"));
            vec![text("what"), ms(&format!("processor.{name}.ms")), text("how")]
        });
        let waits = self
            .figures
            .names("waits")
            .into_iter()
            .map(|name| vec![format!("`{name}`"), ms(&format!("waits.{name}")), "assumed".to_owned()]);
        table("What | ms | from", processor.chain(waits))
    }
}

/// What is known of a source.
fn seen(word: &str) -> String {
    match word {
        "AWS" => "seen in AWS's words",
        "others" => "quoted by others",
        "ours" => "ours",
        "no" => "**not found again**",
        other => panic!("docs/scale.yaml: seen by {other}?"),
    }
    .to_owned()
}
