//! Attempts to deliver callbacks and mails to clients.

use chrono::{DateTime, TimeDelta, Utc};

/// The attempts of one kind of delivery.
pub(crate) struct RetryPlan {
    /// Pauses between attempts, in seconds. The last one repeats.
    pub(crate) pauses: &'static [i64],
    /// Time after which a delivery is given up.
    pub(crate) tried_for: TimeDelta,
}

impl RetryPlan {
    /// Time of the attempt after so many failures. `None` if the time of the delivery is over.
    pub(crate) fn next_attempt(
        &self,
        attempts: i32,
        created_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let attempts = usize::try_from(attempts).unwrap_or_default();
        let pause = self.pauses.get(attempts).or(self.pauses.last()).copied().unwrap_or_default();
        let last = created_at + self.tried_for;
        if now >= last { None } else { Some((now + TimeDelta::seconds(pause)).min(last)) }
    }
}
