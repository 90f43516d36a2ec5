//! The logs of the nodes and of PostgreSQL.

use std::{fs, path::Path};

use harness::{NodeProcess, Patchbay};

/// Constraints that a group of sends violates if another group was first (ADR 0047).
const OVERTAKEN: [&str; 2] = ["idempotency_pk", "messaging_tier_not_overtaken"];

/// A log of PostgreSQL from a moment on.
pub struct DatabaseLog {
    /// Length of the log at that moment.
    begin: usize,
}

impl DatabaseLog {
    pub async fn begin() -> Self {
        Self { begin: scratch::server_log().await.len() }
    }

    /// Checks that no statement failed. A migration gives up a lock after a short time and tries again.
    pub async fn judge(&self) {
        let log = scratch::server_log().await;
        let lines: Vec<&str> = log.get(self.begin..).unwrap_or_default().lines().collect();
        let migrations = first_lines_of_migrations();
        let is_attempt = |statement: &str| {
            statement.contains("pg_advisory_lock(")
                || statement.contains("later_count")
                || migrations.iter().any(|line| statement.contains(line.as_str()))
        };
        let mut failed = Vec::new();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_failure(line)) {
            let statement = lines.iter().skip(at + 1).take(3).find(|line| line.contains("STATEMENT:")).copied();
            let statement = statement.unwrap_or_default();
            let is_overtaken = OVERTAKEN.iter().any(|constraint| line.contains(constraint));
            if !is_overtaken && !(line.contains("due to lock timeout") && is_attempt(statement)) {
                failed.push(format!("{line} / {statement}"));
            }
        }
        assert!(
            failed.is_empty(),
            "{} statements failed: {:#?}",
            failed.len(),
            failed.iter().take(5).collect::<Vec<_>>()
        );
    }
}

fn is_failure(line: &str) -> bool {
    [" ERROR:  ", " FATAL:  ", " PANIC:  "].iter().any(|level| line.contains(level))
}

fn first_lines_of_migrations() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|end| end == "sql"));
    files.filter_map(|file| fs::read_to_string(file).unwrap().lines().next().map(str::to_owned)).collect()
}

/// Checks that no node logged an error.
pub fn judge_nodes(patchbay: &Patchbay, nodes: &[&NodeProcess]) {
    let logs = nodes.iter().map(|node| node.log()).chain([patchbay.log()]);
    let errors: Vec<String> = logs
        .flat_map(|log| log.lines().filter(|line| line.contains(" ERROR ")).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    assert!(errors.is_empty(), "{} errors in the logs: {:#?}", errors.len(), errors.iter().take(5).collect::<Vec<_>>());
}
