//! What the answers of a provider lead to: accepted, failed, again later, or unknown.

use std::collections::BTreeSet;

use base::{Context, Result, lanes::Lease};
use channels::carrier::Doubt;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    address::Address,
    carriage::{Next, SendFailure, Taken, Tries},
    channel::Channel,
    chat::SentTemplate,
    content::OutboundContent,
    delivery::DeliveryState,
    ids::{ClientId, MessageId},
    inbound::ProviderFailure,
    lite::offered,
};
use events::record_folded;
use storage::{
    PgConnection, Queue,
    inboxes::templates,
    outbound::{
        provider_calls::{self, CallOutcome, FailedCall},
        work::{self, DueLeg, Later},
    },
    people::{
        customers::{self, Met},
        inbox_customers,
        lite_offers::{self, NewOffer},
    },
};
use uuid::Uuid;

use super::{offers, sender::Sender};
use crate::{
    batches,
    delivery::{Step, advance},
    sms_parts::{self, LegPart},
};

/// Calls for one leg that its story tells of, unless they took it.
const CALLS_TOLD: i16 = 8;

/// How long a message of a chat that could not be handed over keeps those back that were said after it. Longer than a provider's
/// passing refusals are waited for (`domain::carriage`), so only a message that is tried for hours is overtaken.
const HOLDS_FOR: TimeDelta = TimeDelta::minutes(15);

/// How a provider call ended.
pub(super) struct Outcome {
    pub(super) leg: DueLeg,
    pub(super) result: std::result::Result<Taken, SendFailure>,
    /// Kept until it is written down.
    pub(super) doubt: Option<Doubt>,
}

/// What has ended and is to be written down.
#[derive(Default)]
pub(super) struct Ended {
    pub(super) outcomes: Vec<Outcome>,
    pub(super) parts: Vec<LegPart>,
}

impl Ended {
    pub(super) fn is_empty(&self) -> bool {
        self.outcomes.is_empty() && self.parts.is_empty()
    }

    /// Up to `most` outcomes, and all parts.
    pub(super) fn take(&mut self, most: usize) -> Self {
        let outcomes = self.outcomes.drain(..self.outcomes.len().min(most)).collect();
        Self { outcomes, parts: std::mem::take(&mut self.parts) }
    }

    /// Whom the calls that ended were to.
    pub(super) fn recipients(&self) -> impl Iterator<Item = &str> {
        self.outcomes.iter().map(|outcome| outcome.leg.recipient.address().value())
    }
}

/// Somebody who was written to.
struct WrittenTo {
    /// The customer is found, or begun, by this one.
    address: Address,
    /// What the provider calls the same person.
    named: Vec<Address>,
    /// The template that it was.
    template: Option<SentTemplate>,
    /// Its numbered choices.
    offer: Option<NewOffer>,
}

/// What one transaction writes.
#[derive(Default)]
struct Settlement {
    steps: Vec<Step>,
    written_to: Vec<WrittenTo>,
    later: Vec<(MessageId, i16, DateTime<Utc>)>,
    unknown: Vec<(MessageId, i16)>,
    /// Of a chat, and tried again: what is said after them waits for them.
    holding: Vec<(MessageId, i16)>,
    /// Of a chat, and not tried again: nothing waits for news of them.
    not_holding: Vec<(MessageId, i16)>,
    /// Refused for a passing reason, and sent again.
    refused_for_now: Vec<(MessageId, i16)>,
    refresh_templates: bool,
    /// Calls that took no message, for its story.
    calls: Vec<FailedCall>,
}

/// Writes the outcomes of a group of calls.
pub(super) async fn settle(ctx: &Context, lease: &Lease, sender: &Sender, ended: &Ended) -> Result<()> {
    let (client, now) = (lease.client, ctx.now());
    let mut settlement = Settlement::default();
    let keeps_choices = offers::are_kept(sender.inbox.kind);
    for outcome in &ended.outcomes {
        match &outcome.result {
            Ok(taken) => settlement.accept(&outcome.leg, taken, keeps_choices, now),
            Err(failure) => {
                settlement.note(ctx, &outcome.leg, failure, now);
                settlement.refuse(&outcome.leg, failure, sender, now);
            }
        }
    }
    let mut tx = ctx.db.begin().await?;
    if let Err(error) = lease.hold(&mut tx).await {
        tx.rollback().await?;
        let taken = settlement.steps.into_iter().filter(|step| step.failure.is_none()).collect();
        remember_without_lease(ctx, client, &ended.parts, taken).await?;
        return Err(error);
    }
    if settlement.refresh_templates
        && let Some(waba) = &sender.waba_id
    {
        templates::request_refresh(&mut tx, client, waba, now).await?;
    }
    let received = sms_parts::remember(&mut tx, client, &ended.parts).await?;
    provider_calls::insert(&mut tx, client, &settlement.calls).await?;
    let cancelled = batches::respect(&mut tx, client, &mut settlement.later, now).await?;
    settlement.steps.extend(cancelled);
    work::hold(&mut tx, client, &settlement.holding, Some(now + HOLDS_FOR)).await?;
    work::hold(&mut tx, client, &settlement.not_holding, None).await?;
    work::count_refusals(&mut tx, client, &settlement.refused_for_now).await?;
    work::defer(&mut tx, client, &settlement.later, Later::Again).await?;
    work::mark_unknown(&mut tx, client, &settlement.unknown).await?;
    offers::end(&mut tx, client, sender, &ended.outcomes, &settlement.unknown).await?;
    let mut wakes = BTreeSet::from_iter(advance(ctx, &mut tx, client, settlement.steps).await?);
    wakes.extend(sms_parts::join(ctx, &mut tx, client, &received).await?);
    if sender.inbox.kind.channel().remembers_recipients() {
        wakes.extend(remember_recipients(ctx, &mut tx, (client, sender), settlement.written_to, now).await?);
    }
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

/// Records which messages a provider has taken, and which ids the SMSC gave to parts. The process that has the lane now must not send
/// them again. As with a status, which needs no lane either, a leg only moves forward.
async fn remember_without_lease(ctx: &Context, client: ClientId, parts: &[LegPart], taken: Vec<Step>) -> Result<()> {
    if parts.is_empty() && taken.is_empty() {
        return Ok(());
    }
    let mut tx = ctx.db.begin().await?;
    let received = sms_parts::remember(&mut tx, client, parts).await?;
    let mut wakes = BTreeSet::from_iter(advance(ctx, &mut tx, client, taken).await?);
    wakes.extend(sms_parts::join(ctx, &mut tx, client, &received).await?);
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

impl Settlement {
    /// `keeps_choices`: what it lets its recipient choose is remembered.
    fn accept(&mut self, leg: &DueLeg, taken: &Taken, keeps_choices: bool, now: DateTime<Utc>) {
        let template = match leg.content.as_ref() {
            OutboundContent::Template(template) => {
                Some(SentTemplate { id: template.id.clone(), name: template.name.clone() })
            }
            _ => None,
        };
        let (address, named) = (leg.recipient.address().clone(), taken.learned.clone());
        let choices = if keeps_choices { offered(&leg.content) } else { Vec::new() };
        let offer = taken
            .provider_id
            .clone()
            .filter(|_| !choices.is_empty())
            .map(|provider_id| NewOffer { provider_id, choices });
        self.written_to.push(WrittenTo { address, named, template, offer });
        self.steps.push(Step {
            message: leg.message,
            ordinal: leg.ordinal,
            reached: if taken.sent { DeliveryState::Sent } else { DeliveryState::Accepted },
            at: now,
            provider_id: taken.provider_id.clone(),
            failure: None,
            named: Vec::new(),
        });
    }

    /// Keeps what came of a call, of the first ones for a leg: later ones, made while a provider is away, say the same.
    fn note(&mut self, ctx: &Context, leg: &DueLeg, failure: &SendFailure, now: DateTime<Utc>) {
        let tries = tries(leg);
        if tries.calls > CALLS_TOLD {
            return;
        }
        let outcome = match failure.next(tries) {
            Next::Again(_) => CallOutcome::Retry,
            Next::Fail(_) => CallOutcome::Refused,
            Next::AwaitNews => CallOutcome::Unanswered,
        };
        self.calls.push(FailedCall {
            id: ctx.ids.mint(now),
            message: leg.message,
            ordinal: leg.ordinal,
            outcome,
            code: failure.failure().map(|failure| failure.code.to_string()),
            text: failure.to_string(),
            at: now,
        });
    }

    fn refuse(&mut self, leg: &DueLeg, failure: &SendFailure, sender: &Sender, now: DateTime<Utc>) {
        let (message, tries) = (leg.message, tries(leg));
        let calls = tries.calls;
        let code = failure.failure().map(|failure| failure.code);
        self.refresh_templates |= code.is_some_and(|code| sender.carrier.outdates_templates(code));
        match failure.next(tries) {
            Next::Again(pause) => {
                tracing::info!(message.id = %message, code, calls, reason = %failure, "a message goes out later");
                if matches!(failure, SendFailure::Retry { .. }) {
                    self.refused_for_now.push((message, leg.ordinal));
                }
                self.later.push((message, leg.ordinal, now + pause));
                self.hold(leg);
            }
            Next::Fail(reported) => {
                tracing::info!(message.id = %message, code, calls, "a message was refused");
                self.steps.push(failed(leg, reported, now));
            }
            Next::AwaitNews => {
                tracing::warn!(message.id = %message, reason = %failure, "no answer; waiting for a status");
                self.unknown.push((message, leg.ordinal));
                // One that was in doubt before waits for news alone.
                if leg.unanswered { self.let_go(leg) } else { self.hold(leg) }
            }
        }
    }

    fn hold(&mut self, leg: &DueLeg) {
        if leg.chat_message.is_some() {
            self.holding.push((leg.message, leg.ordinal));
        }
    }

    fn let_go(&mut self, leg: &DueLeg) {
        if leg.chat_message.is_some() {
            self.not_holding.push((leg.message, leg.ordinal));
        }
    }
}

/// What a leg has behind it, the call included that ended now. An SMS waits for a time and no longer, however often it is called for
/// (`waits::expired`).
fn tries(leg: &DueLeg) -> Tries {
    Tries { calls: leg.attempts.saturating_add(1), refusals: leg.refusals, expires: leg.channel == Channel::Sms }
}

/// The step of a leg that does not go out any more.
pub(super) fn failed(leg: &DueLeg, failure: ProviderFailure, now: DateTime<Utc>) -> Step {
    Step {
        message: leg.message,
        ordinal: leg.ordinal,
        reached: DeliveryState::Failed,
        at: now,
        provider_id: None,
        failure: Some(failure),
        named: Vec::new(),
    }
}

/// Remembers who was written to, and whether with a template (SPEC 6.5), inside the caller's transaction. Answers the lanes to wake
/// after the commit.
async fn remember_recipients(
    ctx: &Context,
    db: &mut PgConnection,
    (client, sender): (ClientId, &Sender),
    written_to: Vec<WrittenTo>,
    now: DateTime<Utc>,
) -> Result<Vec<(Queue, Uuid)>> {
    if written_to.is_empty() {
        return Ok(Vec::new());
    }
    let sent: Vec<(&Address, &[Address])> = written_to.iter().map(|one| (&one.address, one.named.as_slice())).collect();
    let Met { who: known, folded } = customers::resolve_sent(db, client, &ctx.ids, &sent, now).await?;
    let inbox = sender.inbox.id;
    let (mut outbound, mut shown) = (Vec::with_capacity(known.len()), Vec::with_capacity(known.len()));
    for (customer, one) in known.into_iter().zip(written_to) {
        outbound.push((customer, one.template));
        shown.push((customer, one.offer));
    }
    inbox_customers::record_outbound(db, client, inbox, &outbound, now).await?;
    if offers::are_kept(sender.inbox.kind) {
        lite_offers::note(db, client, inbox, &shown, now).await?;
    }
    record_folded(ctx, db, client, &folded).await
}
