//! The report.

use std::{fmt::Write, time::Duration};

use crate::{
    memory::{OpenFiles, Resident},
    neighbour::{Action, Timings},
    samples::Samples,
};

/// A value under attack is at most so many times its quiet value.
const FACTOR: f64 = 10.0;
/// Quiet values below these count as these: with less, one turn of the scheduler of a busy machine would decide.
const LEAST_MEDIAN: Duration = Duration::from_millis(5);
const LEAST_P99: Duration = Duration::from_millis(25);
/// Resident memory that the process never exceeds, in MiB (`docs/operations.md`, "Memory and open files").
const MEMORY: u64 = 550;
/// Open files and sockets that the process never exceeds (the same place).
const FILES: usize = 1_024 + 128;
const SOCKETS: usize = 8_192 + 256 + 512;

/// An entrance under attack.
pub struct AttackOutcome {
    pub case: &'static str,
    pub quiet: Timings,
    pub under_attack: Timings,
    pub before: Resident,
    pub peak: Resident,
    pub open: OpenFiles,
    /// Anything else of interest.
    pub note: String,
}

/// A case whose own checks decide.
pub struct CheckOutcome {
    pub case: &'static str,
    /// The counts, or the fault.
    pub outcome: Result<String, String>,
    pub took: Duration,
}

/// One line about an action.
struct Line {
    factor: Option<f64>,
    p99_factor: Option<f64>,
    met: bool,
}

fn judge(quiet: &Samples, attacked: &Samples) -> Line {
    let factor = |quiet: Option<Duration>, attacked: Option<Duration>, least: Duration| {
        Some(attacked?.as_secs_f64() / quiet?.max(least).as_secs_f64())
    };
    let median = factor(quiet.median(), attacked.median(), LEAST_MEDIAN);
    let p99 = factor(quiet.p99(), attacked.p99(), LEAST_P99);
    let within = |factor: Option<f64>| factor.is_some_and(|factor| factor <= FACTOR);
    Line { factor: median, p99_factor: p99, met: within(median) && within(p99) && attacked.failed() == 0 }
}

impl AttackOutcome {
    /// Whether every action, the memory and the open files stay within their bars.
    pub fn is_met(&self) -> bool {
        self.holds_little() && self.actions().all(|(_, quiet, attacked)| judge(quiet, attacked).met)
    }

    fn holds_little(&self) -> bool {
        self.peak.peak <= MEMORY && self.open.files <= FILES && self.open.sockets <= SOCKETS
    }

    fn actions(&self) -> impl Iterator<Item = (Action, &Samples, &Samples)> {
        self.under_attack.iter().filter_map(|(action, attacked)| Some((*action, self.quiet.get(action)?, attacked)))
    }
}

/// The report as Markdown.
pub fn report(attacked: &[AttackOutcome], checked: &[CheckOutcome]) -> String {
    let mut text = String::new();
    if !attacked.is_empty() {
        attacks(&mut text, attacked).unwrap();
    }
    if !checked.is_empty() {
        checks(&mut text, checked).unwrap();
    }
    text
}

fn attacks(text: &mut String, attacked: &[AttackOutcome]) -> std::fmt::Result {
    writeln!(text, "| case | action | quiet p50 / p99 ms | attacked p50 / p99 ms | factor | failed | |")?;
    writeln!(text, "|---|---|---:|---:|---:|---:|---|")?;
    for case in attacked {
        for (action, quiet, under_attack) in case.actions() {
            let line = judge(quiet, under_attack);
            let times = |samples: &Samples| format!("{} / {}", millis(samples.median()), millis(samples.p99()));
            let factors = format!("{} / {}", times_over(line.factor), times_over(line.p99_factor));
            let of = under_attack.count() + under_attack.failed();
            writeln!(
                text,
                "| {} | {action} | {} | {} | {factors} | {} of {of} | {} |",
                case.case,
                times(quiet),
                times(under_attack),
                under_attack.failed(),
                verdict(line.met),
            )?;
        }
    }
    writeln!(
        text,
        "\n| case | resident MiB before | peak (bound {MEMORY}) | files ({FILES}) | sockets ({SOCKETS}) | | notes |"
    )?;
    writeln!(text, "|---|---:|---:|---:|---:|---|---|")?;
    for case in attacked {
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            case.case,
            case.before.now,
            case.peak.peak,
            case.open.files,
            case.open.sockets,
            verdict(case.holds_little()),
            notes(case),
        )?;
    }
    writeln!(text)
}

fn notes(case: &AttackOutcome) -> String {
    let failures = case.actions().filter(|(_, _, attacked)| attacked.failed() > 0);
    let mut notes: Vec<String> =
        failures.map(|(action, _, attacked)| format!("{action}: {}", attacked.reasons())).collect();
    if !case.note.is_empty() {
        notes.insert(0, case.note.clone());
    }
    notes.join("; ")
}

fn checks(text: &mut String, checked: &[CheckOutcome]) -> std::fmt::Result {
    writeln!(text, "| case | seconds | | outcome |")?;
    writeln!(text, "|---|---:|---|---|")?;
    for case in checked {
        let (Ok(said) | Err(said)) = &case.outcome;
        let met = verdict(case.outcome.is_ok());
        let said = said.replace('\n', " ").replace('|', "/");
        writeln!(text, "| {} | {:.0} | {met} | {said} |", case.case, case.took.as_secs_f64())?;
    }
    writeln!(text)
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}

fn millis(time: Option<Duration>) -> String {
    time.map_or("-".to_owned(), |time| {
        let millis = time.as_secs_f64() * 1e3;
        if millis < 100.0 { format!("{millis:.1}") } else { format!("{millis:.0}") }
    })
}

fn times_over(factor: Option<f64>) -> String {
    factor.map_or("-".to_owned(), |factor| format!("{factor:.1}x"))
}
