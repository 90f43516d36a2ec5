//! What the answers of a provider lead to: accepted, failed, again later, or unknown.

use std::time::{Duration, Instant};

use channels::whatsapp_cloud::{Accepted, SendFailure, error_codes::refreshes_templates};
use chrono::{DateTime, Utc};
use domain::{
    content::OutboundContent,
    delivery::DeliveryState,
    ids::{ClientId, InboxId, MessageId},
    inbound::ProviderFailure,
};
use storage::{
    PgConnection, Queue,
    outbound::{
        messages,
        work::{self, DueLeg},
    },
    people::{customers::Introduction, inbox_customers},
};
use uuid::Uuid;

use super::lane::{Outcome, Sender};
use crate::delivery::{Step, advance};
use base::{Context, Result, lanes::Lease};

/// Our own code of a message whose second provider call was not answered either.
pub const NO_ANSWER: i64 = 900_408;
/// Our own code of a message that could not be handed over for too long.
pub const NOT_HANDED_OVER: i64 = 900_503;
/// Calls that the provider refused for a passing reason before the message fails.
const PASSING_REFUSALS: i16 = 6;
/// Calls that did not come through, or were too fast, before the message fails: about half a day.
const MOST_ATTEMPTS: i16 = 1000;

/// Somebody who was written to.
struct Reached {
    message: MessageId,
    number: InboxId,
    identity: Introduction,
    /// Id and name, when it was a template.
    template: Option<(String, String)>,
}

/// What one transaction writes.
#[derive(Default)]
struct Settlement {
    steps: Vec<Step>,
    reached: Vec<Reached>,
    later: Vec<(MessageId, i16, DateTime<Utc>)>,
    unknown: Vec<(MessageId, i16)>,
    refresh_templates: bool,
}

/// Writes the outcomes of a group of calls.
pub(super) async fn settle(ctx: &Context, lease: &Lease, sender: &Sender, outcomes: Vec<Outcome>) -> Result<()> {
    let now = ctx.now();
    let mut settlement = Settlement::default();
    for outcome in outcomes {
        match outcome.result {
            Ok(accepted) => settlement.accept(outcome.leg, &outcome.content, accepted, now),
            Err(failure) => settlement.refuse(&outcome.leg, failure, sender, now),
        }
    }
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    if settlement.refresh_templates
        && let Some(waba) = &sender.waba_id
    {
        storage::inboxes::templates::request_refresh(&mut tx, lease.client, waba, now).await?;
    }
    work::put_back(&mut tx, lease.client, &settlement.later).await?;
    work::mark_unknown(&mut tx, lease.client, &settlement.unknown).await?;
    let wakes = advance(ctx, &mut tx, lease.client, settlement.steps).await?;
    remember_recipients(ctx, &mut tx, lease.client, settlement.reached, now).await?;
    tx.commit().await?;
    ctx.wake.wake_all(lease.client, wakes);
    Ok(())
}

impl Settlement {
    fn accept(&mut self, leg: DueLeg, content: &OutboundContent, accepted: Accepted, now: DateTime<Utc>) {
        let template = match content {
            OutboundContent::Template(template) => Some((template.id.clone(), template.name.clone())),
            _ => None,
        };
        let identity = Introduction {
            phone: leg.to_phone.or(accepted.wa_id),
            bsuid: accepted.user_id.or(leg.to_bsuid),
            ..Introduction::default()
        };
        self.reached.push(Reached { message: leg.message, number: leg.number, identity, template });
        self.steps.push(Step {
            message: leg.message,
            ordinal: leg.ordinal,
            reached: DeliveryState::Accepted,
            at: now,
            provider_id: Some(accepted.provider_id),
            failure: None,
        });
    }

    fn refuse(&mut self, leg: &DueLeg, refused: SendFailure, sender: &Sender, now: DateTime<Utc>) {
        let code = refused.failure().map(|failure| failure.code);
        tracing::info!(message.id = %leg.message, code, attempt = leg.attempts + 1, "the provider refused a message");
        self.refresh_templates |= code.is_some_and(refreshes_templates);
        let attempts = leg.attempts.saturating_add(1);
        match refused {
            SendFailure::Rejected(failure)
            | SendFailure::NotOnWhatsApp(failure)
            | SendFailure::AccountStopped(failure) => self.fail(leg, failure, now),
            SendFailure::Retry { failure, after } if attempts < PASSING_REFUSALS => {
                tracing::debug!(code = failure.code, "the refusal is a passing one");
                self.put_back(leg, after.unwrap_or_else(|| doubling(attempts, 60)), now);
            }
            SendFailure::Retry { failure, .. } => self.fail(leg, failure, now),
            SendFailure::SlowDown { failure, after } => {
                let pause = after.unwrap_or_else(|| doubling(attempts, 60));
                sender.pace().pause(pause, Instant::now());
                self.try_later(leg, attempts, pause, failure, now);
            }
            SendFailure::PairLimited(failure) => {
                let pause = Duration::from_secs(4_u64.saturating_pow(u32::from(attempts.unsigned_abs())).min(3600));
                self.try_later(leg, attempts, pause, failure, now);
            }
            SendFailure::NotSent { reason } => {
                tracing::warn!(message.id = %leg.message, reason, "the provider could not be reached");
                let failure = ProviderFailure {
                    code: NOT_HANDED_OVER,
                    text: "the message could not be handed to the provider".to_owned(),
                };
                self.try_later(leg, attempts, doubling(attempts, 60), failure, now);
            }
            SendFailure::Unknown { reason } => {
                tracing::warn!(message.id = %leg.message, reason, "the provider did not answer; waiting for a status");
                self.unknown.push((leg.message, leg.ordinal));
            }
        }
    }

    fn try_later(
        &mut self,
        leg: &DueLeg,
        attempts: i16,
        pause: Duration,
        failure: ProviderFailure,
        now: DateTime<Utc>,
    ) {
        if attempts < MOST_ATTEMPTS {
            self.put_back(leg, pause, now);
        } else {
            self.fail(leg, failure, now);
        }
    }

    fn put_back(&mut self, leg: &DueLeg, pause: Duration, now: DateTime<Utc>) {
        self.later.push((leg.message, leg.ordinal, now + pause));
    }

    fn fail(&mut self, leg: &DueLeg, failure: ProviderFailure, now: DateTime<Utc>) {
        self.steps.push(failed(leg, failure, now));
    }
}

fn failed(leg: &DueLeg, failure: ProviderFailure, now: DateTime<Utc>) -> Step {
    Step {
        message: leg.message,
        ordinal: leg.ordinal,
        reached: DeliveryState::Failed,
        at: now,
        provider_id: None,
        failure: Some(failure),
    }
}

/// 1, 2, 4, ... seconds, at most `most`.
fn doubling(attempts: i16, most: u64) -> Duration {
    let exponent = u32::from(attempts.unsigned_abs()).saturating_sub(1).min(16);
    Duration::from_secs(2_u64.saturating_pow(exponent).min(most))
}

/// Fails legs whose second call was not answered either, inside the caller's transaction.
pub(super) async fn give_up(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    lost: &[DueLeg],
) -> Result<Vec<(Queue, Uuid)>> {
    if lost.is_empty() {
        return Ok(Vec::new());
    }
    let failure = ProviderFailure {
        code: NO_ANSWER,
        text: "the provider answered neither the send nor its repetition; the message may have arrived".to_owned(),
    };
    let steps = lost.iter().map(|leg| failed(leg, failure.clone(), ctx.now())).collect();
    advance(ctx, db, client, steps).await
}

/// Remembers who was written to, and whether with a template (SPEC 6.5), inside the caller's transaction.
async fn remember_recipients(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    reached: Vec<Reached>,
    now: DateTime<Utc>,
) -> Result<()> {
    let Some(number) = reached.first().map(|one| one.number) else { return Ok(()) };
    let identities: Vec<Introduction> = reached.iter().map(|one| one.identity.clone()).collect();
    let customers = storage::people::customers::resolve_many(db, client, &ctx.ids, &identities, now).await?;
    let pairs: Vec<_> = reached.iter().map(|one| one.message).zip(customers.iter().copied()).collect();
    messages::set_customers(db, client, &pairs).await?;
    let outbound: Vec<_> = customers.into_iter().zip(reached.into_iter().map(|one| one.template)).collect();
    inbox_customers::record_outbound(db, client, number, &outbound, now).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_doubles_up_to_its_limit() {
        let waits: Vec<u64> = (1..=8).map(|attempt| doubling(attempt, 60).as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    }
}
