//! The right to have one submit without an answer.

use std::{sync::Arc, time::Instant};

use super::{
    bind::Bind,
    submit::{SmsPart, SubmitFailure, Submitted},
    window::Held,
};

/// A place in the window of a bind, and in its rate. Parts go over it one after the other.
pub(super) struct Slot {
    bind: Arc<Bind>,
    held: Held,
    /// When the rate allows the first submit; taken by that.
    at: Option<Instant>,
}

impl Slot {
    pub(super) fn new(bind: Arc<Bind>, held: Held, at: Instant) -> Self {
        Self { bind, held, at: Some(at) }
    }

    /// The place of its bind among all.
    pub(super) fn bind_place(&self) -> usize {
        self.held.bind
    }

    /// Nothing has gone over it yet.
    pub(super) fn is_unused(&self) -> bool {
        self.at.is_some()
    }

    /// Submits one part when the rate allows it, and waits for the answer.
    pub(super) async fn submit(&mut self, part: &SmsPart) -> Result<Submitted, SubmitFailure> {
        let at = self.at.take().unwrap_or_else(|| self.bind.next_in_rate(Instant::now()));
        let wait = at.saturating_duration_since(Instant::now());
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        self.bind.submit(part).await
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.is_unused() {
            self.bind.give_back_rate();
        }
    }
}
