//! The report about the whole service: queues come from the database, and the figures of a process from its last report,
//! which works also while no process runs.

mod figures;
mod lanes;
mod loads;
mod problems;

use std::{sync::Arc, time::Duration};

use base::Result;
use domain::{clock::Clock, status_report::StatusReport};
use storage::Db;
use tokio::{sync::Mutex, time::Instant};

pub use figures::{ProgramBuild, read};

/// Callers within this time get the same report.
const SHARED_FOR: Duration = Duration::from_secs(1);

/// Makes reports for callers, one at a time, because each report reads all waiting rows.
pub struct StatusReader {
    db: Db,
    clock: Arc<dyn Clock>,
    build: ProgramBuild,
    last: Mutex<Option<(Instant, Arc<StatusReport>)>>,
}

impl StatusReader {
    pub fn new(db: Db, clock: Arc<dyn Clock>, build: ProgramBuild) -> Self {
        Self { db, clock, build, last: Mutex::default() }
    }

    /// Returns the report, without phone numbers. It is at most a second old.
    pub async fn report(&self) -> Result<Arc<StatusReport>> {
        let mut last = self.last.lock().await;
        if let Some((_, report)) = last.as_ref().filter(|(made, _)| made.elapsed() < SHARED_FOR) {
            return Ok(Arc::clone(report));
        }
        let report = read(&mut *self.db.acquire().await?, self.clock.now(), self.build).await?;
        let report = Arc::new(report.without_numbers());
        *last = Some((Instant::now(), Arc::clone(&report)));
        Ok(report)
    }
}
