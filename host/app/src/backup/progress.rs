//! Lines on standard error that show how far a long command is.

use std::{
    io::Write,
    time::{Duration, Instant},
};

/// Pause between two lines of one step.
const EVERY: Duration = Duration::from_secs(5);

/// Shows steps, and from time to time how far a step is.
#[derive(Debug)]
pub(super) struct BackupProgress {
    shown: Instant,
}

impl BackupProgress {
    pub(super) fn new() -> Self {
        Self { shown: Instant::now() }
    }

    /// Shows a line now.
    pub(super) fn show_line(&mut self, line: &str) {
        self.shown = Instant::now();
        // A closed standard error does not end the command.
        let _ = writeln!(std::io::stderr(), "{line}");
    }

    /// Shows a line if the last one is old.
    pub(super) fn tick(&mut self, line: impl FnOnce() -> String) {
        if self.shown.elapsed() >= EVERY {
            let line = line();
            self.show_line(&line);
        }
    }
}

/// A size in MiB.
pub(super) fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1024 * 1024))
}
