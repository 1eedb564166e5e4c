//! `docs/scale.svg`: what a million requests cost and pay for, and at how many logins a second each limit is reached.

use std::fmt::Write;

use super::figures::float;
use super::limits::Reached;
use super::money::{Cost, PARTS};

const WIDTH: f64 = 960.0;
/// Where bars begin, and how long the longest is.
const LEFT: f64 = 300.0;
const BAR: f64 = 520.0;
const ROW: f64 = 24.0;
/// Dollars of the longest bar; what is dearer is cut off and says so.
const DOLLARS: f64 = 8.0;
/// The axis of logins a second, as powers of ten.
const DECADES: (f64, f64) = (1.0, 5.0);
/// The rate that the page asks about.
const PEAK: f64 = 10_000.0;

const STYLE: &str = "<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.head { font-weight: 600; font-size: 15px }
.small { font-size: 12px; fill: #59636e }
.line { stroke: #d1d9e0 }
.peak { stroke: #cf222e; stroke-dasharray: 4 3 }
.p0 { fill: #0969da } .p1 { fill: #8250df } .p2 { fill: #1a7f37 } .p3 { fill: #bf8700 } .bar { fill: #0969da }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.small { fill: #9198a1 }
.line { stroke: #3d444d }
.peak { stroke: #ff7b72 }
.p0 { fill: #4493f8 } .p1 { fill: #ab7df8 } .p2 { fill: #3fb950 } .p3 { fill: #d29922 } .bar { fill: #4493f8 }
}
</style>
";

fn text(svg: &mut String, class: &str, anchor: &str, (x, y): (f64, f64), words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(svg, "<text class=\"{class}\" x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"{anchor}\">{words}</text>");
}

fn bar(svg: &mut String, class: &str, (x, y): (f64, f64), width: f64) {
    let _ = writeln!(
        svg,
        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{:.0}\" width=\"{width:.1}\" height=\"15\"/>",
        y - 12.0
    );
}

fn line(svg: &mut String, class: &str, x: f64, from: f64, to: f64) {
    let _ = writeln!(svg, "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{from:.0}\" y2=\"{to:.0}\"/>");
}

/// The whole drawing.
pub(super) fn draw(costs: &[(&str, Cost)], limits: &[Reached]) -> String {
    let limits: Vec<&Reached> = limits.iter().filter(|reached| reached.of == "login").collect();
    let mut svg = String::new();
    let mut y = 28.0;
    text(&mut svg, "head", "start", (16.0, y), "A million requests, in dollars, by what they pay for; mails apart");
    y += ROW;
    for (place, part) in PARTS.iter().take(4).enumerate() {
        let x = LEFT + 150.0 * float(place);
        bar(&mut svg, &format!("p{place}"), (x, y), 15.0);
        text(&mut svg, "small", "start", (x + 22.0, y), part);
    }
    for (title, cost) in costs {
        y += ROW;
        text(&mut svg, "", "end", (LEFT - 10.0, y), title);
        let (mut from, parts) = (0.0, cost.parts());
        for (place, dollars) in parts.iter().take(4).enumerate() {
            let to = (from + dollars).min(DOLLARS);
            bar(&mut svg, &format!("p{place}"), (LEFT + from / DOLLARS * BAR, y), (to - from) / DOLLARS * BAR);
            from = to;
        }
        let sum = cost.sum() - cost.mails;
        let mails = if cost.mails > 0.0 { format!(", mails {:.0}", cost.mails) } else { String::new() };
        let cut = if sum > DOLLARS { "… " } else { "" };
        text(&mut svg, "small", "start", (LEFT + from / DOLLARS * BAR + 8.0, y), &format!("{cut}{sum:.2}{mails}"));
    }
    y += 2.0 * ROW;
    text(
        &mut svg,
        "head",
        "start",
        (16.0, y),
        "Logins a second at which a limit is reached, as an account and template.yaml begin",
    );
    y += ROW;
    let top = y - 12.0;
    let bottom = y + ROW * float(limits.len()) + 4.0;
    let x = |rate: f64| LEFT + (rate.log10() - DECADES.0) / (DECADES.1 - DECADES.0) * BAR;
    let mut rate = 10_f64.powf(DECADES.0);
    while rate <= 10_f64.powf(DECADES.1) {
        line(&mut svg, "line", x(rate), top + 14.0, bottom);
        text(&mut svg, "small", "middle", (x(rate), y), &format!("{rate:.0}"));
        rate *= 10.0;
    }
    line(&mut svg, "peak", x(PEAK), top + 14.0, bottom);
    for reached in limits {
        y += ROW;
        let words = reached.limit.what.split(" (").next().unwrap_or_default();
        text(&mut svg, "", "end", (LEFT - 10.0, y), words);
        bar(&mut svg, "bar", (LEFT, y), x(reached.at) - LEFT);
        text(&mut svg, "small", "start", (x(reached.at) + 8.0, y), &format!("{:.0}", reached.at));
    }
    let height = y + ROW;
    let title = "Cost of a million requests, and the limits of logins a second; the tables of docs/scale.md have the same numbers";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\" \
         aria-label=\"{title}\">\n<title>{title}</title>\n{STYLE}{svg}</svg>\n"
    )
}
