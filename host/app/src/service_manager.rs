//! Messages to the service manager (`sd_notify(3)` of systemd). Without a service manager nothing is sent.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio_util::sync::CancellationToken;

/// Reports that the start has ended. Then reports that the process is alive, twice per period of the watchdog, until `stop`.
pub(crate) fn ready(stop: CancellationToken) {
    notify(&[NotifyState::Ready]);
    if let Some(period) = sd_notify::watchdog_enabled() {
        tokio::spawn(report_alive(period / 2, stop));
    }
}

/// Reports that the end has begun, so that a missing sign of life no longer counts.
pub(crate) fn stopping() {
    notify(&[NotifyState::Stopping]);
}

/// A runtime whose threads are all blocked does not report, and the service manager starts the program again.
async fn report_alive(interval: Duration, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(interval);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = ticks.tick() => notify(&[NotifyState::Watchdog]),
        }
    }
}

fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(error = &error as &dyn std::error::Error, "the service manager cannot be reached");
    }
}
