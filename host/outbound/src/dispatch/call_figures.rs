//! The metrics and spans of calls to providers.

use std::time::{Duration, Instant};

use base::{
    sending_figures::{CallKind, SenderWait, WaitKind},
    traces::{self, SpanKind},
};
use chrono::{DateTime, Utc};
use domain::{
    carriage::{Acceptance, SendFailure},
    channel::Channel,
};

use storage::outbound::work::DueLeg;

use super::sender::SenderInbox;
use crate::alarms;

pub(super) fn count(sender: &SenderInbox, result: &Result<Acceptance, SendFailure>, took: Duration) {
    let provider = sender.provider();
    let (outcome, code) = labels(sender.inbox.kind.channel(), result);
    sender.figures.count(CallKind { provider, outcome, code: code.clone() });
    metrics::counter!("patchbay_provider_calls_total", "provider" => provider, "outcome" => outcome, "code" => code)
        .increment(1);
    metrics::histogram!("patchbay_provider_call_seconds", "provider" => provider).record(took.as_secs_f64());
}

/// Reports the span of a call that began at `started` and has just ended.
pub(super) fn report(sender: &SenderInbox, leg: &DueLeg, result: &Result<Acceptance, SendFailure>, started: Instant) {
    let inbox = &sender.inbox;
    let Some(span) = traces::about(leg.message.0, SpanKind::Client) else { return };
    let (outcome, code) = labels(inbox.kind.channel(), result);
    span.since(started)
        .of(inbox.client)
        .with("patchbay.inbox.id", inbox.id.0)
        .with("patchbay.leg", i64::from(leg.ordinal))
        .with("patchbay.attempt", i64::from(leg.attempts).saturating_add(1))
        .with("patchbay.provider", sender.provider())
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

/// Records the time of a message that a provider took.
pub(super) fn record_success(sender: &SenderInbox, at: DateTime<Utc>) {
    let provider = sender.provider();
    sender.figures.succeeded((sender.inbox.client, sender.inbox.id), provider, at);
    #[expect(clippy::cast_precision_loss, reason = "a metric is a float")]
    metrics::gauge!("patchbay_provider_last_success_timestamp_seconds", "provider" => provider)
        .set(at.timestamp() as f64);
}

/// Records the reason for which the messages of an inbox wait after a failed call. `until`: the time of the next attempt.
pub(super) fn record_failure(
    sender: &SenderInbox,
    failure: &SendFailure,
    now: DateTime<Utc>,
    until: Option<DateTime<Utc>>,
) {
    let inbox = &sender.inbox;
    let Some(reason) = wait_reason(inbox.kind.channel(), failure) else { return };
    let is_not_sent = matches!(failure, SendFailure::NotSent { .. });
    let kind = if is_not_sent { WaitKind::NotSent } else { WaitKind::CallFailed };
    sender.figures.waits((inbox.client, inbox.id), SenderWait { kind, reason, seen_at: now, until });
}

/// The reason for which the messages of an inbox wait after a failed call. `None`: it is a failure of a single message.
pub(super) fn wait_reason(channel: Channel, failure: &SendFailure) -> Option<String> {
    let code = |code: i64| alarms::label(channel, code);
    Some(match failure {
        SendFailure::AccountStopped(stopped) => {
            format!("the provider refused the token or the account, code {}", code(stopped.code))
        }
        SendFailure::Retry { failure, .. } => format!("the provider refused for now, code {}", code(failure.code)),
        SendFailure::SlowDown { failure, .. } => {
            format!("the provider asks for a slower pace, code {}", code(failure.code))
        }
        SendFailure::NotSent { reason, .. } => format!("not sent: {reason}"),
        SendFailure::Unknown { .. } => "the provider did not answer".to_owned(),
        SendFailure::Rejected(_) | SendFailure::Unreachable(_) | SendFailure::RecipientLimited(_) => return None,
    })
}

pub(super) fn count_pause(sender: &SenderInbox) {
    metrics::counter!("patchbay_outbound_pauses_total", "provider" => sender.provider()).increment(1);
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
