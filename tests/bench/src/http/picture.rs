//! The chart: processor time of a request, row by row.

use super::round::Row;
use super::summary::{Cell, Entry};
use crate::chart::{Bar, Chart, Panel};

/// The chart of a run; the first entry is this service, and a service that cannot be asked has no bar.
#[must_use]
pub fn chart(on: &str, entries: &[Entry]) -> Chart {
    let panel = |row: Row| Panel { title: row.title().to_owned(), bars: bars(row, entries) };
    Chart {
        title: "Processor time of a request, one client (milliseconds)".to_owned(),
        note: format!("make bench-http on {on}"),
        panels: Row::ALL.map(panel).to_vec(),
    }
}

fn bars(row: Row, entries: &[Entry]) -> Vec<Bar> {
    let cells = entries.iter().map(|entry| (entry.name, entry.cell(row, 1)));
    let cells: Vec<(&str, Cell)> = cells.filter_map(|(name, cell)| Some((name, cell.ok()?))).collect();
    let ours = cells.first().map_or(f64::NAN, |(_, cell)| cell.cpu_ms);
    let bar = |(index, (name, cell)): (usize, &(&str, Cell))| Bar {
        label: (*name).to_owned(),
        value: cell.cpu_ms,
        text: format!("{:.2}  ×{:.2}", cell.cpu_ms, cell.cpu_ms / ours),
        ours: index == 0,
    };
    cells.iter().enumerate().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::entry;
    use super::*;

    #[test]
    fn each_row_has_a_bar_for_each_service_that_can_be_asked() {
        let chart = chart("a machine", &[entry("Ours", &[3]), entry("Peer", &[7])]);
        let login = chart.panels.iter().find(|panel| panel.title == "Login").unwrap();
        let texts: Vec<&str> = login.bars.iter().map(|bar| bar.text.as_str()).collect();
        assert_eq!(texts, ["4.00  ×1.00", "8.00  ×2.00"]);
        assert_eq!(login.bars.iter().map(|bar| bar.ours).collect::<Vec<_>>(), [true, false]);
        assert!(chart.panels.iter().find(|panel| panel.title == "Google login").unwrap().bars.is_empty());
    }
}
