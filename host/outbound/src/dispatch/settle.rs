//! Turns the outcomes of provider calls into states: accepted, failed, retried later, or in doubt.

use std::collections::BTreeSet;

use base::{Context, Result, lanes::Lease};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    address::Address,
    carriage::{Acceptance, NextStep, SendFailure, Tries},
    channel::Channel,
    chat::SentTemplate,
    content::OutboundContent,
    delivery::DeliveryState,
    ids::MessageId,
    inbound::ProviderFailure,
    inbox_fault::PROBE_INTERVAL,
    lite::offered,
};
use events::record_folded;
use people::IntroducedCustomers;
use storage::{
    PgConnection, Queue,
    inbound::callbacks::{self, NewCallback},
    outbound::{
        provider_calls::{self, CallOutcome, FailedCall},
        work::{self, DueLeg, WaitReason},
    },
    people::{
        inbox_customers,
        lite_offers::{self, NewOffer},
    },
};
use uuid::Uuid;

use super::{
    call_figures,
    fault_changes::FaultChanges,
    hook::{LegKey, LegPart},
    offers,
    outcome::LegOutcome,
    own_reports,
    sender::SenderInbox,
};
use crate::{batches, delivery::advance, delivery_step::DeliveryStep};

const CALLS_TOLD: i16 = 8;

/// How long an undelivered message of a chat holds back the later ones: longer than passing refusals last.
const HOLDS_FOR: TimeDelta = TimeDelta::minutes(15);

#[derive(Default)]
pub(super) struct SettledLegs {
    pub(super) outcomes: Vec<LegOutcome>,
    pub(super) parts: Vec<LegPart>,
}

impl SettledLegs {
    pub(super) fn is_empty(&self) -> bool {
        self.outcomes.is_empty() && self.parts.is_empty()
    }

    pub(super) fn take(&mut self, most: usize) -> Self {
        let outcomes = self.outcomes.drain(..self.outcomes.len().min(most)).collect();
        Self { outcomes, parts: std::mem::take(&mut self.parts) }
    }

    pub(super) fn recipients(&self) -> impl Iterator<Item = &str> {
        self.outcomes.iter().map(|outcome| outcome.leg.recipient.address().value())
    }
}

struct WrittenTo {
    address: Address,
    named: Vec<Address>,
    template: Option<SentTemplate>,
    offer: Option<NewOffer>,
}

#[derive(Default)]
struct Settlement {
    steps: Vec<DeliveryStep>,
    written_to: Vec<WrittenTo>,
    later: Vec<(MessageId, i16, DateTime<Utc>)>,
    unknown: Vec<(MessageId, i16)>,
    holding: Vec<(MessageId, i16)>,
    /// Legs of chats that are not retried. Later messages do not wait for their reports.
    not_holding: Vec<(MessageId, i16)>,
    /// Legs that were refused for a passing reason and are sent again.
    refused_for_now: Vec<(MessageId, i16)>,
    calls: Vec<FailedCall>,
    /// Reports that the carrier makes itself, with their times.
    reports: Vec<(NewCallback, DateTime<Utc>)>,
}

pub(super) async fn settle(ctx: &Context, lease: &Lease, sender: &SenderInbox, ended: &SettledLegs) -> Result<()> {
    let (client, now) = (lease.client, ctx.now());
    let (mut settlement, mut faults) = (Settlement::default(), FaultChanges::default());
    let keeps_choices = sender.inbox.kind.facts().keeps_choices;
    for outcome in &ended.outcomes {
        match &outcome.result {
            Ok(taken) => {
                call_figures::record_success(sender, now);
                faults.accept();
                settlement.accept(&outcome.leg, taken, keeps_choices, now);
                settlement.reports.extend(own_reports::of(ctx, sender, &outcome.leg, now));
            }
            Err(failure) => {
                let tries = count_tries(ctx, sender, &outcome.leg, now);
                let until = next_attempt(ctx, &outcome.leg, failure, tries, now);
                call_figures::record_failure(sender, failure, now, until);
                // A lane that is given back says nothing about the provider.
                if !(lease.is_over() && matches!(failure, SendFailure::NotSent { .. })) {
                    faults.add(sender, failure, now, until);
                }
                settlement.note(ctx, &outcome.leg, failure, tries, now);
                settlement.refuse(&outcome.leg, failure, tries, now);
            }
        }
    }
    let mut tx = ctx.db.begin().await?;
    if let Err(error) = lease.hold(&mut tx).await {
        tx.rollback().await?;
        let taken = settlement.steps.into_iter().filter(|step| step.failure.is_none()).collect();
        remember_without_lease(ctx, sender, &ended.parts, taken, &settlement.reports).await?;
        return Err(error);
    }
    let received = store_parts(&mut tx, sender, &ended.parts).await?;
    provider_calls::insert(&mut tx, client, &settlement.calls).await?;
    faults.store(ctx, &mut tx, client, sender).await?;
    let cancelled = batches::respect(&mut tx, client, &mut settlement.later, now).await?;
    settlement.steps.extend(cancelled);
    work::hold(&mut tx, client, &settlement.holding, Some(now + HOLDS_FOR)).await?;
    work::hold(&mut tx, client, &settlement.not_holding, None).await?;
    work::count_refusals(&mut tx, client, &settlement.refused_for_now).await?;
    work::defer(&mut tx, client, &settlement.later, WaitReason::Again).await?;
    work::mark_unknown(&mut tx, client, &settlement.unknown).await?;
    offers::end(&mut tx, client, sender, &ended.outcomes, &settlement.unknown).await?;
    let mut wakes = BTreeSet::from_iter(advance(ctx, &mut tx, client, settlement.steps).await?);
    callbacks::insert_later(&mut tx, client, &settlement.reports, now).await?;
    wakes.extend(settlement.reports.iter().map(|(report, _)| (Queue::Callback, report.lane)));
    wakes.extend(join_parts(ctx, &mut tx, sender, &received).await?);
    if sender.inbox.kind.channel().facts().remembers_recipients {
        wakes.extend(remember_recipients(ctx, &mut tx, sender, settlement.written_to, now).await?);
    }
    tx.commit().await?;
    faults.note_stored(sender);
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

/// Stores which messages and parts a provider took, although the lane is lost: the next owner must not send them again.
/// A leg only moves forward.
async fn remember_without_lease(
    ctx: &Context,
    sender: &SenderInbox,
    parts: &[LegPart],
    taken: Vec<DeliveryStep>,
    reports: &[(NewCallback, DateTime<Utc>)],
) -> Result<()> {
    if parts.is_empty() && taken.is_empty() {
        return Ok(());
    }
    let client = sender.inbox.client;
    let mut tx = ctx.db.begin().await?;
    let received = store_parts(&mut tx, sender, parts).await?;
    let mut wakes = BTreeSet::from_iter(advance(ctx, &mut tx, client, taken).await?);
    callbacks::insert_later(&mut tx, client, reports, ctx.now()).await?;
    wakes.extend(join_parts(ctx, &mut tx, sender, &received).await?);
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

async fn store_parts(db: &mut PgConnection, sender: &SenderInbox, parts: &[LegPart]) -> Result<Vec<LegKey>> {
    match &sender.hook {
        Some(hook) if !parts.is_empty() => hook.store_parts(db, sender.inbox.client, parts).await,
        _ => Ok(Vec::new()),
    }
}

async fn join_parts(
    ctx: &Context,
    db: &mut PgConnection,
    sender: &SenderInbox,
    legs: &[LegKey],
) -> Result<Vec<(Queue, Uuid)>> {
    match &sender.hook {
        Some(hook) if !legs.is_empty() => hook.join_parts(ctx, db, sender.inbox.client, legs).await,
        _ => Ok(Vec::new()),
    }
}

impl Settlement {
    /// `keeps_choices`: the choices of the message are stored.
    fn accept(&mut self, leg: &DueLeg, taken: &Acceptance, keeps_choices: bool, now: DateTime<Utc>) {
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
        self.steps.push(DeliveryStep {
            message: leg.message,
            ordinal: leg.ordinal,
            reached: if taken.sent { DeliveryState::Sent } else { DeliveryState::Accepted },
            at: now,
            provider_id: taken.provider_id.clone(),
            failure: None,
            named: Vec::new(),
        });
    }

    /// Keeps the failures of the first calls for a leg.
    fn note(&mut self, ctx: &Context, leg: &DueLeg, failure: &SendFailure, tries: Tries, now: DateTime<Utc>) {
        if tries.calls > CALLS_TOLD {
            return;
        }
        let outcome = match failure.next(tries) {
            NextStep::Again(_) => CallOutcome::Retry,
            NextStep::Fail(_) => CallOutcome::Refused,
            NextStep::AwaitNews => CallOutcome::Unanswered,
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

    fn refuse(&mut self, leg: &DueLeg, failure: &SendFailure, tries: Tries, now: DateTime<Utc>) {
        let (message, calls) = (leg.message, tries.calls);
        let code = failure.failure().map(|failure| failure.code);
        match failure.next(tries) {
            NextStep::Again(pause) => {
                tracing::info!(message.id = %message, code, calls, reason = %failure, "a message is sent later");
                if matches!(failure, SendFailure::Retry { .. }) {
                    self.refused_for_now.push((message, leg.ordinal));
                }
                self.later.push((message, leg.ordinal, now + pause));
                self.hold(leg);
            }
            NextStep::Fail(reported) => {
                tracing::info!(message.id = %message, code, calls, "a message was refused");
                self.steps.push(failed_step(leg, reported, now));
            }
            NextStep::AwaitNews => {
                tracing::warn!(message.id = %message, reason = %failure, "a provider call was not answered; waiting for a status");
                self.unknown.push((message, leg.ordinal));
                // A leg that was in doubt before waits only for a report.
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

/// The time of the next call for a message whose call failed. `None`: none is planned.
fn next_attempt(
    ctx: &Context,
    leg: &DueLeg,
    failure: &SendFailure,
    tries: Tries,
    now: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    match failure.next(tries) {
        NextStep::Again(_) if matches!(failure, SendFailure::AccountStopped(_)) => Some(now + PROBE_INTERVAL),
        NextStep::Again(pause) => Some(now + pause),
        // A leg that was in doubt before waits only for a report.
        NextStep::AwaitNews if !leg.unanswered => Some(now + ctx.settings.limits.unknown_after),
        NextStep::AwaitNews | NextStep::Fail(_) => None,
    }
}

/// An SMS is limited by time only, not by its number of calls (`postponement::expiry_failure`).
fn count_tries(ctx: &Context, sender: &SenderInbox, leg: &DueLeg, now: DateTime<Utc>) -> Tries {
    let may_wait = ctx.settings.limits.refused_expires_after;
    let latest = sender.hold.and_then(|hold| hold.waited_too_long(may_wait, now));
    Tries {
        calls: leg.attempts.saturating_add(1),
        refusals: leg.refusals,
        expires: leg.channel == Channel::Sms,
        refused_too_long: may_wait.is_zero() || latest.is_some_and(|latest| leg.queued_at <= latest),
    }
}

pub(super) fn failed_step(leg: &DueLeg, failure: ProviderFailure, now: DateTime<Utc>) -> DeliveryStep {
    failed_step_of((leg.message, leg.ordinal), failure, now)
}

pub(super) fn failed_step_of((message, ordinal): LegKey, failure: ProviderFailure, now: DateTime<Utc>) -> DeliveryStep {
    DeliveryStep {
        message,
        ordinal,
        reached: DeliveryState::Failed,
        at: now,
        provider_id: None,
        failure: Some(failure),
        named: Vec::new(),
    }
}

/// Records which customers were written to, and if with a template (SPEC 6.5). Returns the lanes to wake.
async fn remember_recipients(
    ctx: &Context,
    db: &mut PgConnection,
    sender: &SenderInbox,
    written_to: Vec<WrittenTo>,
    now: DateTime<Utc>,
) -> Result<Vec<(Queue, Uuid)>> {
    if written_to.is_empty() {
        return Ok(Vec::new());
    }
    let (client, inbox) = (sender.inbox.client, sender.inbox.id);
    let sent: Vec<(&Address, &[Address])> = written_to.iter().map(|one| (&one.address, one.named.as_slice())).collect();
    let IntroducedCustomers { who: known, folded } = people::resolve_sent(db, client, &ctx.ids, &sent, now).await?;
    let (mut outbound, mut shown) = (Vec::with_capacity(known.len()), Vec::with_capacity(known.len()));
    for (customer, one) in known.into_iter().zip(written_to) {
        outbound.push((customer, one.template));
        shown.push((customer, one.offer));
    }
    inbox_customers::record_outbound(db, client, inbox, &outbound, now).await?;
    if sender.inbox.kind.facts().keeps_choices {
        lite_offers::record_sent(db, client, inbox, &shown, now).await?;
    }
    record_folded(ctx, db, client, &folded).await
}
