//! The document.

use std::fmt::Write;

use super::round::{CLIENTS, Row};
use super::summary::{Cell, Entry};

/// What was run.
pub struct Run {
    /// Machine, date and load.
    pub on: String,
    /// Rounds.
    pub rounds: usize,
    /// Requests of a row where a password is hashed.
    pub requests: usize,
}

/// The Markdown of a run; the first entry is this service.
#[must_use]
pub fn markdown(run: &Run, entries: &[Entry]) -> String {
    let Run { on, rounds, requests } = run;
    let mut text = format!(
        "# HTTP against HTTP\n\n\
         Made by `make bench-http ROUNDS={rounds} REQUESTS={requests}` on {on}. Ratios carry over to other machines, milliseconds do not.\n\n\
         Every service runs on this machine, with Argon2id of 19456 KiB, two passes, one lane, without throttles and rate limits, one process that answers. \
         Each round starts each anew, in turn, with empty tables; shows that it tells each user apart, knows live sessions from forged ones and refuses \
         wrong passwords and forged credentials; warms each row up with as many requests as are measured; then measures with one client and with \
         eight, each on a connection that it keeps. Every answer is judged, those that are measured too. Figures are medians of the rounds. CPU is the \
         user's and the system's time of all the service's processes, by the kernel's clock of each; the clients' is not in it, but they share the \
         processors. × is the figure beside this service's.\n\n\
         ![Processor time of a request](bench-http.svg)\n"
    );
    for row in Row::ALL {
        let _ = write!(text, "\n## {}\n\n{}", row.title(), table(row, entries));
    }
    text.push_str("\n## Memory\n\nThe most that was resident at once in a turn, the sum of all processes.\n\n| | MiB | × |\n|---|---:|---:|\n");
    let ours = entries.first().and_then(Entry::peak_mib);
    for entry in entries {
        let _ = match (entry.peak_mib(), ours) {
            (Some(mib), Some(ours)) => writeln!(text, "| {} | {mib:.0} | {:.2} |", entry.name, mib / ours),
            _ => writeln!(text, "| {} | | |", entry.name),
        };
    }
    text.push_str("\n## What each is, and does for a request\n\n");
    for Entry { name, version, remarks, .. } in entries {
        let _ = writeln!(text, "- **{name}**, {version}: {remarks}");
    }
    text
}

fn table(row: Row, entries: &[Entry]) -> String {
    let mut text = String::from("|");
    for clients in CLIENTS {
        let whose = if clients == 1 { "1 client".to_owned() } else { format!("{clients} clients") };
        let _ = write!(text, " | {whose}: CPU ms | × | p50 ms | a second");
    }
    let _ = writeln!(text, " |\n|---{}|", "|---:".repeat(4 * CLIENTS.len()));
    for (index, entry) in entries.iter().enumerate() {
        let _ = write!(text, "| {}", entry.name);
        let cells = CLIENTS
            .map(|clients| (entry.cell(row, clients), entries.first().and_then(|ours| ours.cell(row, clients).ok())));
        if let Some(reason) = cells.iter().find_map(|(cell, _)| cell.err()) {
            let _ = writeln!(text, " | not measured: {reason}{} |", " |".repeat(4 * CLIENTS.len() - 1));
            continue;
        }
        for (cell, ours) in cells {
            let (Ok(Cell { cpu_ms, p50_ms, per_second, .. }), Some(ours)) = (cell, ours) else { continue };
            let _ = write!(text, " | {cpu_ms:.2} | {:.2} | {p50_ms:.2} | {per_second:.0}", cpu_ms / ours.cpu_ms);
        }
        text.push_str(" |\n");
        if index == 0 {
            text.push_str("| of it, the tables' process");
            for (cell, _) in cells {
                let _ = match cell {
                    Ok(Cell { cpu_ms, tables_ms, .. }) => {
                        write!(text, " | {tables_ms:.2} | {:.2} | |", tables_ms / cpu_ms)
                    }
                    Err(_) => write!(text, " | | | |"),
                };
            }
            text.push_str(" |\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::entry;
    use super::*;

    fn two() -> String {
        let run = Run { on: "a machine".to_owned(), rounds: 1, requests: 10 };
        let mut entries = [entry("Ours", &[3]), entry("Peer", &[7])];
        for entry in &mut entries {
            for turn in &mut entry.turns {
                let login = turn.get(&(Row::Login, 1)).cloned();
                turn.extend(login.map(|login| ((Row::Login, 8), login)));
            }
        }
        markdown(&run, &entries)
    }

    #[test]
    fn a_row_has_each_service_beside_ours_and_the_tables_share() {
        let text = two();
        assert!(text.contains("| Ours | 4.00 | 1.00 | 6.00 | 100 | 4.00 | 1.00 | 6.00 | 100 |\n"), "{text}");
        assert!(text.contains("| of it, the tables' process | 1.00 | 0.25 | | | 1.00 | 0.25 | | |\n"), "{text}");
        assert!(text.contains("| Peer | 8.00 | 2.00 | 6.00 | 100 | 8.00 | 2.00 | 6.00 | 100 |\n"), "{text}");
        assert!(text.contains("| Peer | 7 | 2.33 |\n"), "{text}");
    }

    #[test]
    fn a_cell_that_is_empty_says_why() {
        assert!(two().contains("| Peer | not measured: it cannot | | | | | | | |\n"), "{}", two());
    }

    #[test]
    fn every_row_of_a_table_has_as_many_cells() {
        for table in two().split("\n\n").filter(|part| part.starts_with('|')) {
            let counts: Vec<usize> = table.lines().map(|line| line.matches('|').count()).collect();
            assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
        }
    }
}
