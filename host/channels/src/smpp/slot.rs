//! The right to have one submit without an answer.

use std::{sync::Arc, time::Instant};

use super::{
    bind::BindTask,
    pacing::SubmitPermit,
    submit::{SubmitFailure, SubmittedPart, SubmittedSms},
    window::WindowPlace,
};

/// A place in the window of a bind, and in its rate. Parts use it one after the other.
pub(super) struct Slot {
    bind: Arc<BindTask>,
    held: WindowPlace,
    /// When the rate allows the first submit, which takes it.
    at: Option<Instant>,
    /// True if the first submit tests if a pause is over.
    is_probe: bool,
}

impl Slot {
    /// `now`: the time of admission.
    pub(super) fn new(bind: Arc<BindTask>, held: WindowPlace, now: Instant, admission: SubmitPermit) -> Self {
        Self { bind, held, at: Some(now + admission.wait), is_probe: admission.is_probe }
    }

    pub(super) fn bind_place(&self) -> usize {
        self.held.bind
    }

    pub(super) fn is_unused(&self) -> bool {
        self.at.is_some()
    }

    pub(super) async fn submit(&mut self, part: &SubmittedPart) -> Result<SubmittedSms, SubmitFailure> {
        let at = self.at.take().unwrap_or_else(|| self.bind.next_in_rate(Instant::now()));
        let wait = at.saturating_duration_since(Instant::now());
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        let result = self.bind.submit(part, self.is_probe).await;
        if std::mem::take(&mut self.is_probe) && !matches!(result, Ok(_) | Err(SubmitFailure::Throttled { .. })) {
            self.bind.probe_ended();
        }
        result
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.is_unused() {
            self.bind.give_back(self.is_probe);
        } else if self.is_probe {
            // Its caller did not wait for the answer.
            self.bind.probe_ended();
        }
    }
}
