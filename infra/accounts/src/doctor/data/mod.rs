//! The checks of the rows of the accounts table, and `--fix`.
//!
//! One scan reads all rows, and `table_checks` finds the damaged ones. A repair has the condition that its rows are still
//! as they were found; only the counter of ids is raised from whatever it is then.

mod advice;
mod repairing;

use shared::Fault;
use shared::system::clock::{Clock, SystemClock};
use table_checks::{Damage, KINDS, Kind, Ledger};

use super::finding::Finding;
use crate::cli::{Repairing, Target};
use crate::connection::Deployment;
use crate::failure::Failure;
use crate::interruption::Interruption;
use crate::rate::Rate;
use crate::scan::Scan;
use crate::trail::{CHUNK, Trail};
use crate::{output, progress};
use advice::Tool;

/// What the checks cannot see.
const NO_HASHES: &str = "not checked: the hashes of passwords (--with-hashes)";
/// The maximum number of damaged rows of a kind that are shown.
const SHOWN: usize = 10;

/// What became of a damaged row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Found,
    /// Found in a dry run. `--fix` would repair it.
    Repairable,
    Repaired,
    /// It had changed since it was found, and was left.
    Changed,
}

/// Checks all rows, and repairs them with `--fix`.
pub(super) async fn check(
    target: &Target,
    with_hashes: bool,
    repairing: Repairing<'_>,
    rate: u32,
) -> Result<Vec<Finding>, Failure> {
    let deployment = &if with_hashes { Deployment::with_hashes(target).await? } else { Deployment::of(target).await? };
    if !with_hashes {
        output::note(NO_HASHES);
    }
    let rate = Rate::new(rate);
    let damages = find(deployment, &rate).await?;
    let fates = match repairing {
        Repairing::No => vec![Fate::Found; damages.len()],
        Repairing::DryRun => {
            let fate = |damage: &Damage| if damage.repair.is_some() { Fate::Repairable } else { Fate::Found };
            damages.iter().map(fate).collect()
        }
        Repairing::Yes { reason, ask } => {
            let count = damages.iter().filter(|damage| damage.repair.is_some()).count();
            if count > 0 && ask {
                announce(&damages);
                output::confirm(&format!("This repairs {count} rows. Type `fix` to go on: "), "fix")?;
            }
            repair(deployment, &damages, reason, &rate).await?
        }
    };
    let tool = Tool { options: deployment_options(target), table: &deployment.table, aws: &deployment.aws };
    let all: Vec<(&Damage, Fate)> = damages.iter().zip(fates).collect();
    let checked = KINDS.into_iter().filter(|kind| with_hashes || *kind != Kind::Password);
    Ok(checked.map(|kind| finding(kind, &all, &tool)).collect())
}

/// The options that name the same deployment, each after a space.
fn deployment_options(target: &Target) -> String {
    let options = [("stack", &target.stack), ("region", &target.region), ("profile", &target.profile)];
    let options = options.into_iter().filter_map(|(name, value)| Some(format!(" --{name} {}", value.as_ref()?)));
    format!("{}{}", if target.local { " --local" } else { "" }, options.collect::<String>())
}

/// Scans the table, and reads again what looks damaged.
async fn find(deployment: &Deployment, rate: &Rate) -> Result<Vec<Damage>, Fault> {
    let progress = progress::of_scan("rows");
    let mut ledger = Ledger::default();
    let mut scan = Scan::of(&deployment.operator);
    let now = SystemClock.now().seconds();
    while let Some(rows) = scan.next().await? {
        progress.inc(u64::try_from(rows.len()).unwrap_or_default());
        for row in rows {
            ledger.add(row, now);
        }
        rate.take(scan.units).await;
    }
    progress.finish_and_clear();
    table_checks::confirm(&deployment.operator, ledger).await
}

/// Repairs what is safe to repair, with audit lines. Returns the fates in the order of the damages.
async fn repair(deployment: &Deployment, damages: &[Damage], reason: &str, rate: &Rate) -> Result<Vec<Fate>, Failure> {
    let mut fates = vec![Fate::Found; damages.len()];
    let repairs = damages.iter().zip(&mut fates);
    let mut repairs: Vec<_> =
        repairs.filter_map(|(damage, fate)| Some((damage, damage.repair.as_ref()?, fate))).collect();
    if repairs.is_empty() {
        return Ok(fates);
    }
    let trail = Trail::open(deployment, Some(reason)).await?;
    let interruption = Interruption::watch();
    let mut done = 0;
    // `record_all` writes the audit lines of one event, so the repairs are grouped by event.
    for same in repairs.chunk_by_mut(|(_, one, _), (_, other, _)| repairing::event(one) == repairing::event(other)) {
        for chunk in same.chunks_mut(CHUNK) {
            let changes = chunk.iter().map(|(damage, repair, _)| {
                (repairing::subject(repair, damage), async {
                    rate.take(repairing::units(repair)).await;
                    repairing::run(repair, &deployment.operator).await
                })
            });
            interruption.check(done, "rows")?;
            done += chunk.len();
            let Some(event) = chunk.first().map(|(_, repair, _)| repairing::event(repair)) else { continue };
            let repaired = trail.record_all(event, changes.collect()).await?;
            for ((_, _, fate), repaired) in chunk.iter_mut().zip(repaired) {
                **fate = if repaired { Fate::Repaired } else { Fate::Changed };
            }
        }
    }
    Ok(fates)
}

/// Prints what `--fix` is about to repair.
fn announce(damages: &[Damage]) {
    for kind in KINDS {
        let some: Vec<&Damage> =
            damages.iter().filter(|damage| damage.kind == kind && damage.repair.is_some()).collect();
        if !some.is_empty() {
            output::note(&sentence(kind, &some));
        }
    }
}

fn sentence(kind: Kind, damages: &[&Damage]) -> String {
    let first: Vec<&str> = damages.iter().take(SHOWN).map(|damage| damage.shown.as_str()).collect();
    let more = match damages.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}: {} ({}{more}).", kind.damaged(), damages.len(), first.join(", "))
}

fn finding(kind: Kind, all: &[(&Damage, Fate)], tool: &Tool<'_>) -> Finding {
    let of_kind = || all.iter().filter(|(damage, _)| damage.kind == kind);
    let damages: Vec<&Damage> = of_kind().map(|(damage, _)| *damage).collect();
    if damages.is_empty() {
        return Finding::ok(kind.check(), kind.sound());
    }
    let count = |fate| of_kind().filter(|(_, other)| *other == fate).count();
    let (repaired, repairable, changed) = (count(Fate::Repaired), count(Fate::Repairable), count(Fate::Changed));
    let fates = [("--fix would repair", repairable), ("Repaired", repaired), ("Changed meanwhile, and left", changed)];
    let fates = fates.into_iter().filter(|(_, count)| *count > 0);
    let fates: Vec<String> = fates.map(|(fate, count)| format!(" {fate}: {count}.")).collect();
    let text = sentence(kind, &damages) + &fates.concat();
    if repaired == damages.len() {
        return Finding::ok(kind.check(), text);
    }
    let is_fixable = of_kind().any(|(damage, fate)| damage.repair.is_some() && *fate != Fate::Repaired);
    let next = if is_fixable { tool.fix() } else { advice::next(kind, tool) };
    // A row that TTL deletes late does no harm yet.
    if kind == Kind::Expired {
        Finding::warning(kind.check(), text, next)
    } else {
        Finding::problem(kind.check(), text, next)
    }
}
