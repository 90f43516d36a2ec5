//! The logs of the nodes and of PostgreSQL.

use harness::{NodeProcess, Patchbay};

/// Lines of a usual day: a short wait for a lock, a connection that its process has left, and constraints that a group of sends
/// violates if another group was first (ADR 0047).
const EXPECTED: [&str; 4] =
    ["due to lock timeout", "connection to client lost", "idempotency_pk", "messaging_tier_not_overtaken"];

/// A log of PostgreSQL from a moment on.
pub struct DatabaseLog {
    /// Length of the log at that moment.
    begin: usize,
}

impl DatabaseLog {
    pub async fn begin() -> Self {
        Self { begin: scratch::server_log().await.len() }
    }

    /// Checks that no statement failed. Statements and migrations that give up a lock are repeated.
    pub async fn judge(&self) {
        let log = scratch::server_log().await;
        let lines: Vec<&str> = log.get(self.begin..).unwrap_or_default().lines().collect();
        let mut failed = Vec::new();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_failure(line)) {
            let statement = lines.iter().skip(at + 1).take(3).find(|line| line.contains("STATEMENT:")).copied();
            failed.push(format!("{line} / {}", statement.unwrap_or_default()));
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
    let is_usual = EXPECTED.iter().any(|text| line.contains(text));
    !is_usual && [" ERROR:  ", " FATAL:  ", " PANIC:  "].iter().any(|level| line.contains(level))
}

/// Checks that no node logged an error.
pub fn judge_nodes(patchbay: &Patchbay, nodes: &[&NodeProcess]) {
    let logs = nodes.iter().map(|node| node.log()).chain([patchbay.log()]);
    let errors: Vec<String> = logs
        .flat_map(|log| log.lines().filter(|line| line.contains(" ERROR ")).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    assert!(errors.is_empty(), "{} errors in the logs: {:#?}", errors.len(), errors.iter().take(5).collect::<Vec<_>>());
}
