//! Bar charts as SVG: small, without a library, readable on light and dark pages.

use std::fmt::Write;

/// A chart of several panels below each other, each with a scale of its own that starts at zero.
#[derive(Debug, Clone)]
pub struct Chart {
    /// What all of it shows.
    pub title: String,
    /// What a reader must know to believe it: machine, date, command.
    pub note: String,
    /// The panels.
    pub panels: Vec<Panel>,
}

/// One quantity of all variants.
#[derive(Debug, Clone)]
pub struct Panel {
    /// The quantity and its unit.
    pub title: String,
    /// The variants, in the order in which they are to stand.
    pub bars: Vec<Bar>,
}

/// One variant.
#[derive(Debug, Clone)]
pub struct Bar {
    /// Its name.
    pub label: String,
    /// How long it is.
    pub value: f64,
    /// What is written beside it.
    pub text: String,
    /// Whether it is ours.
    pub ours: bool,
}

const WIDTH: f64 = 760.0;
const LABELS: f64 = 210.0;
const BARS: f64 = 400.0;
const ROW: f64 = 22.0;
const BAR: f64 = 14.0;

impl Chart {
    /// The picture.
    #[must_use]
    pub fn svg(&self) -> String {
        let rows: usize = self.panels.iter().map(|panel| panel.bars.len()).sum();
        let height = 74.0 + length(self.panels.len()) * 44.0 + length(rows) * ROW;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" role=\"img\" aria-label=\"{}\">\n{STYLE}<rect class=\"page\" width=\"100%\" \
             height=\"100%\"/>\n<text class=\"title\" x=\"16\" y=\"30\">{}</text>\n",
            escaped(&self.title),
            escaped(&self.title),
        );
        let mut y = 44.0;
        for panel in &self.panels {
            y += 26.0;
            let _ = writeln!(svg, "<text class=\"panel\" x=\"16\" y=\"{y}\">{}</text>", escaped(&panel.title));
            y += 10.0;
            let most = panel.bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
            for bar in &panel.bars {
                bar.draw(&mut svg, y, if most > 0.0 { bar.value / most * BARS } else { 0.0 });
                y += ROW;
            }
            y += 8.0;
        }
        let _ = writeln!(svg, "<text class=\"note\" x=\"16\" y=\"{}\">{}</text>", y + 16.0, escaped(&self.note));
        svg + "</svg>\n"
    }
}

impl Bar {
    fn draw(&self, svg: &mut String, y: f64, length: f64) {
        let class = if self.ours { "ours" } else { "other" };
        let (text, end) = (y + BAR - 3.0, LABELS + length.max(1.0));
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{text}\" text-anchor=\"end\">{}</text>\
             <rect class=\"{class}\" x=\"{LABELS}\" y=\"{y}\" width=\"{:.1}\" height=\"{BAR}\" rx=\"2\"/>\
             <text class=\"value\" x=\"{:.1}\" y=\"{text}\">{}</text>",
            LABELS - 8.0,
            escaped(&self.label),
            length.max(1.0),
            end + 6.0,
            escaped(&self.text),
        );
    }
}

const STYLE: &str = "<style>\n\
    text { font: 12px system-ui, sans-serif; fill: #24292f }\n\
    .title { font-size: 17px; font-weight: 600 } .panel { font-weight: 600 } .note, .value { fill: #57606a }\n\
    .note { font-size: 10.5px } .page { fill: #ffffff } .ours { fill: #bc4c00 } .other { fill: #8c959f }\n\
    @media (prefers-color-scheme: dark) {\n\
    text { fill: #e6edf3 } .note, .value { fill: #9da7b1 }\n\
    .page { fill: #0d1117 } .ours { fill: #f0883e } .other { fill: #6e7681 }\n\
    }\n</style>\n";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[expect(clippy::cast_precision_loss, reason = "a chart has fewer than 2^53 rows")]
fn length(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, value: f64) -> Bar {
        Bar { label: label.to_owned(), value, text: format!("{value} ms"), ours: label == "ours" }
    }

    #[test]
    fn the_longest_bar_fills_its_panel_and_the_others_are_in_proportion() {
        let panel =
            Panel { title: "time".to_owned(), bars: vec![bar("ours", 2.0), bar("peer", 8.0), bar("none", 0.0)] };
        let svg = Chart { title: "All".to_owned(), note: String::new(), panels: vec![panel] }.svg();
        for (class, width) in [("ours", "100.0"), ("other", "400.0"), ("other", "1.0")] {
            let found = svg.lines().any(|line| {
                line.contains(&format!("class=\"{class}\"")) && line.contains(&format!("width=\"{width}\""))
            });
            assert!(found, "{class} {width}\n{svg}");
        }
    }

    #[test]
    fn a_label_cannot_break_the_picture() {
        let panel = Panel { title: "a < b".to_owned(), bars: vec![bar("<script>&\"", 1.0)] };
        let svg = Chart { title: "\"x\"".to_owned(), note: "<>".to_owned(), panels: vec![panel] }.svg();
        assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;&amp;&quot;") && svg.contains("a &lt; b"));
    }
}
