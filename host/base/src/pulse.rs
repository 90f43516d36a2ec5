//! Whether the database answers at all, for those who wait for it.

use std::time::{Duration, Instant};

use storage::{PgPool, silence};
use tokio::sync::Mutex;

/// How long an answer is believed: all requests that wait ask together.
const BELIEVED: Duration = Duration::from_secs(1);

/// Looks at the database for all who wait for it: one look at a time.
#[derive(Debug, Default)]
pub struct Pulse {
    seen: Mutex<Option<(Instant, bool)>>,
}

impl Pulse {
    /// Whether the database answers. Takes a few seconds at most where it does not.
    pub async fn beats(&self, db: &PgPool) -> bool {
        let mut seen = self.seen.lock().await;
        if let Some((at, beats)) = *seen
            && at.elapsed() < BELIEVED
        {
            return beats;
        }
        let beats = silence::answers(db).await;
        *seen = Some((Instant::now(), beats));
        beats
    }
}
