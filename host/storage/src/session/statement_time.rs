//! The time that the statements of one request have taken together.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

tokio::task_local! {
    static SPENT: Cell<Duration>;
}

/// The statements of one request, and its waits for sessions, share [`Timing::request_total`](super::Timing).
pub async fn in_request<T>(work: impl Future<Output = T>) -> T {
    SPENT.scope(Cell::new(Duration::ZERO), work).await
}

/// The part of `total` that the current request has left. `None` outside a request.
pub(super) fn remaining(total: Duration) -> Option<Duration> {
    SPENT.try_with(|spent| total.saturating_sub(spent.get())).ok()
}

pub(super) fn spend(begun: Instant) {
    // Outside a request nothing is counted.
    let _ = SPENT.try_with(|spent| spent.set(spent.get() + begun.elapsed()));
}
