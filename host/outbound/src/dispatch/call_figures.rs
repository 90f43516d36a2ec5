//! The metrics and spans of calls to providers.

use std::time::{Duration, Instant};

use base::traces::{self, SpanKind};
use channels::carrier::CarrierInbox;

use domain::{
    carriage::{Acceptance, SendFailure},
    channel::Channel,
    inbox::InboxKind,
};

use storage::outbound::work::DueLeg;

use crate::alarms;

pub(super) fn count(kind: InboxKind, result: &Result<Acceptance, SendFailure>, took: Duration) {
    let (provider, channel) = (kind.facts().provider, kind.channel());
    let (outcome, code) = labels(channel, result);
    metrics::counter!("patchbay_provider_calls_total", "provider" => provider, "outcome" => outcome, "code" => code)
        .increment(1);
    metrics::histogram!("patchbay_provider_call_seconds", "provider" => provider).record(took.as_secs_f64());
}

/// Reports the span of a call that began at `started` and has just ended.
pub(super) fn report(inbox: &CarrierInbox, leg: &DueLeg, result: &Result<Acceptance, SendFailure>, started: Instant) {
    let Some(span) = traces::about(leg.message.0, SpanKind::Client) else { return };
    let (outcome, code) = labels(inbox.kind.channel(), result);
    span.since(started)
        .of(inbox.client)
        .with("patchbay.inbox.id", inbox.id.0)
        .with("patchbay.leg", i64::from(leg.ordinal))
        .with("patchbay.attempt", i64::from(leg.attempts).saturating_add(1))
        .with("patchbay.provider", inbox.kind.facts().provider)
        .with("patchbay.outcome", outcome)
        .with("patchbay.code", code)
        .failed(result.is_err())
        .end("provider call");
}

/// The outcome and the error code. They are from closed sets.
fn labels(channel: Channel, result: &Result<Acceptance, SendFailure>) -> (&'static str, String) {
    let failure = result.as_ref().err();
    let code = failure.and_then(SendFailure::failure);
    let code = code.map_or_else(|| "none".to_owned(), |failure| alarms::label(channel, failure.code));
    (failure.map_or("accepted", outcome), code)
}

/// Records the time of a message that a provider took, in seconds since 1970.
pub(super) fn record_success(kind: InboxKind, at: i64) {
    #[expect(clippy::cast_precision_loss, reason = "a metric is a float")]
    metrics::gauge!("patchbay_provider_last_success_timestamp_seconds", "provider" => kind.facts().provider)
        .set(at as f64);
}

pub(super) fn count_pause(kind: InboxKind) {
    metrics::counter!("patchbay_outbound_pauses_total", "provider" => kind.facts().provider).increment(1);
}

fn outcome(failure: &SendFailure) -> &'static str {
    match failure {
        SendFailure::Rejected(_) => "rejected",
        SendFailure::Unreachable(_) => "unreachable",
        SendFailure::Retry { .. } => "retry",
        SendFailure::SlowDown { .. } => "slow_down",
        SendFailure::RecipientLimited(_) => "recipient_limited",
        SendFailure::AccountStopped(_) => "account_stopped",
        SendFailure::NotSent { .. } => "not_sent",
        SendFailure::Unknown { .. } => "unknown",
    }
}
