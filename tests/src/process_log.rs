//! The log of a process, read from its standard error, or its standard output.

use std::{
    io::Read,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// Longest time between the end of a process and the end of its log.
const LAST_LINES: Duration = Duration::from_secs(60);

/// Everything that a process has written so far. A thread adds to it while the process runs.
#[derive(Clone, Default)]
pub(crate) struct ProcessLog {
    collected: Arc<Mutex<Collected>>,
}

#[derive(Default)]
struct Collected {
    text: String,
    /// False for a process whose log is not read.
    open: bool,
}

impl ProcessLog {
    pub(crate) fn collect(mut from: impl Read + Send + 'static) -> Self {
        let log = Self::default();
        log.collected.lock().unwrap().open = true;
        let collected = Arc::clone(&log.collected);
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                collected.lock().unwrap().text.push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
            collected.lock().unwrap().open = false;
        });
        log
    }

    pub(crate) fn text(&self) -> String {
        self.collected.lock().unwrap().text.clone()
    }

    pub(crate) async fn until_it_contains(&self, text: &str) {
        crate::eventually(text, || async { self.text().contains(text).then_some(()) }).await;
    }

    /// Waits until the last lines of a process that has ended are read.
    pub(crate) async fn end(&self) {
        let begun = Instant::now();
        while self.collected.lock().unwrap().open {
            assert!(begun.elapsed() < LAST_LINES, "a child of the ended program keeps its log open:\n{}", self.text());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}
