//! Lines on standard error that show how far a long command is.

use std::{
    io::Write,
    time::{Duration, Instant},
};

const EVERY: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct BackupProgress {
    shown: Instant,
}

impl BackupProgress {
    pub(super) fn new() -> Self {
        Self { shown: Instant::now() }
    }

    pub(super) fn show_line(&mut self, line: &str) {
        self.shown = Instant::now();
        // A closed standard error does not end the command.
        let _ = writeln!(std::io::stderr(), "{line}");
    }

    pub(super) fn tick(&mut self, line: impl FnOnce() -> String) {
        if self.shown.elapsed() >= EVERY {
            let line = line();
            self.show_line(&line);
        }
    }
}

pub(super) fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1024 * 1024))
}
