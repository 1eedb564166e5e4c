//! What a request costs, and what a month of logins does.

use super::figures::{Figures, float};
use super::requests::Measured;

/// Seconds of a month of 730 hours.
const MONTH: f64 = 730.0 * 3600.0;
const DAY: f64 = 24.0 * 3600.0;
/// Bytes of a GB, as AWS bills it.
const GB: f64 = 1024.0 * 1024.0 * 1024.0;
const MILLION: f64 = 1e6;

/// How long a call takes, and for how long it is billed.
#[derive(Clone, Copy)]
pub(super) struct Time {
    pub(super) memory_mb: f64,
    /// Of a whole processor.
    pub(super) processor_ms: f64,
    pub(super) wait_ms: f64,
    pub(super) all_ms: f64,
    pub(super) billed_ms: f64,
}

impl Time {
    pub(super) fn of(request: &Measured, figures: &Figures) -> Self {
        let memory_mb = figures.memory(request.path);
        let hashes = float(request.hashes);
        let mut processor_ms = hashes * figures.number("processor.hash.ms") + figures.number("processor.call.ms");
        if request.checks_a_credential() {
            processor_ms += figures.number("processor.credential.ms");
        }
        // As if one call came after the other, though some are made side by side.
        let calls = request.calls.iter().map(|call| call.share * figures.number(&format!("waits.{}", call.operation)));
        let mails = float(request.mails) * figures.number("waits.SendEmail");
        let wait_ms = calls.sum::<f64>() + mails;
        // A function with less memory than a processor's has that part of one; one with more has no faster one.
        let slower = (figures.number("lambda.processor_mb.value") / memory_mb).max(1.0);
        let all_ms = processor_ms * slower + wait_ms;
        Self { memory_mb, processor_ms, wait_ms, all_ms, billed_ms: all_ms.ceil() }
    }

    fn gb_seconds(self) -> f64 {
        self.memory_mb / 1024.0 * self.billed_ms / 1000.0
    }

    /// Environments that a call a second keeps: as many as it takes seconds, and no fewer than calls of an
    /// environment allow.
    pub(super) fn environments(self, figures: &Figures) -> f64 {
        (self.all_ms / 1000.0).max(1.0 / figures.number("lambda.calls_of_environment.value"))
    }
}

/// Dollars by what they pay for.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub(super) gateway: f64,
    pub(super) functions: f64,
    pub(super) tables: f64,
    pub(super) logs: f64,
    pub(super) mails: f64,
}

impl Cost {
    pub(super) fn sum(self) -> f64 {
        self.parts().iter().sum()
    }

    /// In the order of [`PARTS`].
    pub(super) fn parts(self) -> [f64; 5] {
        [self.gateway, self.functions, self.tables, self.logs, self.mails]
    }

    /// Of a million requests, before any rebate.
    pub(super) fn of_a_million(request: &Measured, figures: &Figures) -> Self {
        Self::of(request, figures, 1.0, figures.number("traced.value"), |name, units| figures.price(name) * units)
    }

    /// Of so many million requests, of which this part is traced.
    fn of(request: &Measured, figures: &Figures, millions: f64, traced: f64, pay: impl Fn(&str, f64) -> f64) -> Self {
        let gb = |bytes: f64| bytes * MILLION / GB * millions;
        let audit = float(request.audit_lines.len()) * figures.number("bytes.audit_line");
        let line = figures.number(if request.refused { "bytes.refused_line" } else { "bytes.call_line" });
        let function_log = gb(line + audit);
        let access_log = gb(figures.number("bytes.access_line"));
        let mails = float(request.mails);
        Self {
            gateway: pay("gateway", millions) + pay("out", gb(figures.number("bytes.answer"))),
            functions: pay("invocations", millions)
                + pay("compute", Time::of(request, figures).gb_seconds() * millions),
            tables: pay("reads", request.reads() * millions) + pay("writes", request.writes() * millions),
            logs: pay("function_logs", function_log)
                + pay("access_logs", access_log)
                + pay("kept_logs", function_log + access_log)
                + pay("traces", traced * millions),
            mails: pay("mails", mails * millions),
        }
    }
}

/// What the parts are.
pub(super) const PARTS: [&str; 5] = ["gateway", "functions", "tables", "logs and traces", "mails"];

/// A month of so many logins a second.
pub(super) struct Month {
    pub(super) rate: f64,
    pub(super) reads: f64,
    pub(super) writes: f64,
    /// Calls at work at once.
    pub(super) busy: f64,
    /// Environments that Lambda's quota must allow.
    pub(super) environments: f64,
    pub(super) log_gb_a_day: f64,
    /// Sessions that rest or wait for TTL, in GB.
    pub(super) stored_gb: f64,
    pub(super) cost: Cost,
    pub(super) storage: f64,
}

impl Month {
    pub(super) fn of(login: &Measured, figures: &Figures, rate: f64, session_bytes: usize) -> Self {
        let time = Time::of(login, figures);
        let share = figures.number("traced.value");
        // One a second, and a part of the rest.
        let traced = (1.0 + share * (rate - 1.0)) / rate;
        let line = figures.number("bytes.call_line") + figures.number("bytes.access_line");
        let audit = float(login.audit_lines.len()) * figures.number("bytes.audit_line");
        let row = float(session_bytes) + figures.number("item_overhead.value");
        let kept = figures.parameter("SessionIdleSeconds") + figures.number("ttl_days.value") * DAY;
        let stored_gb = rate * kept * row / GB;
        let millions = rate * MONTH / MILLION;
        Self {
            rate,
            reads: rate * login.reads(),
            writes: rate * login.writes(),
            busy: rate * time.all_ms / 1000.0,
            environments: rate * time.environments(figures),
            log_gb_a_day: rate * DAY * (line + audit) / GB,
            stored_gb,
            cost: Cost::of(login, figures, millions, traced, |name, units| figures.month(name, units)),
            storage: figures.month("storage", stored_gb),
        }
    }

    pub(super) fn sum(&self) -> f64 {
        self.cost.sum() + self.storage
    }

    /// Dollars of a million of these logins.
    pub(super) fn of_a_million(&self) -> f64 {
        self.sum() / (self.rate * MONTH / MILLION)
    }
}

/// Dollars of a day of so many requests a second, before any rebate.
pub(super) fn day(cost: Cost, rate: f64) -> f64 {
    cost.sum() * rate * DAY / MILLION
}
