//! Moves outbound messages from state to state (SPEC 3.2), for answers to sends, status callbacks and receipts.

use std::{
    collections::{BTreeMap, HashMap},
    time::Instant,
};

use base::{
    Context, Result,
    traces::{self, OpenSpan, SpanKind},
};
use channels::sandbox::is_sandbox_id;
use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    delivery::DeliveryState,
    failure_code::OwnCode,
    ids::{ClientId, MessageId},
    inbound::{ProviderFailure, ProviderStatus, StatusUpdate},
};
use events::{record_with_webhook, webhook_of_step};
use futures::{FutureExt, future::BoxFuture};
use storage::{
    PgConnection, Queue,
    chat::chat_messages::{self, MessageDelivery},
    outbound::{
        count_changes::CountChanges,
        legs::{self, LockPolicy, MessageLeg},
        provider_ids,
        steps::{self, LegMove, LegTimes, NewReceipt, ProviderId, Steps},
    },
};
use uuid::Uuid;

pub use crate::delivery_step::DeliveryStep;
use crate::{
    alarms::Alarms,
    delivery_step::FIRST_LEG,
    fallback::due_fallbacks,
    opt_out,
    reached_customers::{self, ReachedLeg},
    second_address,
    stale_catalogues::StaleCatalogues,
    step_events::{self, TakenStep},
};

#[derive(Debug)]
pub struct StatusOutcome {
    pub unknown: Vec<usize>,
    pub wakes: Vec<(Queue, Uuid)>,
}

/// The correlation string of a leg (`biz_opaque_callback_data`), which comes back with every status.
pub fn opaque(client: ClientId, message: MessageId, ordinal: i16) -> String {
    format!("pb1:{}:{}:{ordinal}", client.0.simple(), message.0.simple())
}

pub fn client_of(opaque: &str) -> Option<ClientId> {
    parse_opaque(opaque).map(|(client, ..)| client)
}

fn leg_of(client: ClientId, opaque: &str) -> Option<(MessageId, i16)> {
    parse_opaque(opaque).filter(|(owner, ..)| *owner == client).map(|(_, message, ordinal)| (message, ordinal))
}

fn parse_opaque(text: &str) -> Option<(ClientId, MessageId, i16)> {
    let mut fields = text.strip_prefix("pb1:")?.split(':');
    let client: Uuid = fields.next()?.parse().ok()?;
    let message: Uuid = fields.next()?.parse().ok()?;
    let ordinal: i16 = fields.next()?.parse().ok()?;
    fields.next().is_none().then_some((ClientId(client), MessageId(message), ordinal))
}

/// Applies status callbacks inside the caller's transaction. All legs are locked at once and in one order, to avoid
/// deadlocks. With `LockPolicy::Skip` it waits for no lock: a leg that another transaction writes counts as unknown.
pub fn apply_statuses<'a>(
    ctx: &'a Context,
    db: &'a mut PgConnection,
    client: ClientId,
    statuses: &'a [&'a StatusUpdate],
    when_locked: LockPolicy,
) -> BoxFuture<'a, Result<StatusOutcome>> {
    // Boxed so that it is compiled once here, and not in each crate that awaits it.
    async move {
        let mut keys: Vec<Option<(MessageId, i16)>> =
            statuses.iter().map(|status| status.opaque.as_deref().and_then(|text| leg_of(client, text))).collect();
        find_by_provider_id(db, client, statuses, &mut keys, |key| key.is_none()).await?;
        let mut legs = by_key(legs::lock_with_customers(db, client, &known_keys(&keys), when_locked).await?);
        if when_locked == LockPolicy::Wait {
            // The correlation string of a status is only a claim. The id of the provider is the second one.
            find_by_provider_id(db, client, statuses, &mut keys, |key| key.is_some_and(|key| !legs.contains_key(&key)))
                .await?;
            let found: Vec<_> = known_keys(&keys).into_iter().filter(|key| !legs.contains_key(key)).collect();
            legs.extend(by_key(legs::lock_with_customers(db, client, &found, when_locked).await?));
        }
        let mut steps = Vec::with_capacity(statuses.len());
        let mut unknown = Vec::new();
        for (position, (status, key)) in statuses.iter().zip(keys).enumerate() {
            let Some((message, ordinal)) = key.filter(|key| legs.contains_key(key)) else {
                unknown.push(position);
                continue;
            };
            let step = step_of(status, message, ordinal);
            // A provider reports on messages that it accepted, even if the report arrives before its answer.
            if step.reached.is_failed() {
                steps.push(DeliveryStep { reached: DeliveryState::Accepted, failure: None, ..step.clone() });
            }
            steps.push(step);
        }
        let progress = Progress { of_reports: true, ..Progress::new(legs) };
        let wakes = progress.run(ctx, db, client, steps).await?;
        Ok(StatusOutcome { unknown, wakes })
    }
    .boxed()
}

async fn find_by_provider_id(
    db: &mut PgConnection,
    client: ClientId,
    statuses: &[&StatusUpdate],
    keys: &mut [Option<(MessageId, i16)>],
    wanted: impl Fn(&Option<(MessageId, i16)>) -> bool,
) -> Result<()> {
    let ids: Vec<&str> = statuses
        .iter()
        .zip(keys.iter())
        .filter(|(_, key)| wanted(key))
        .map(|(status, _)| status.provider_id.as_str())
        .collect();
    if ids.is_empty() {
        return Ok(());
    }
    let found = provider_ids::find(db, client, &ids).await?;
    for (status, key) in statuses.iter().zip(keys).filter(|(_, key)| wanted(key)) {
        *key = found.get(&status.provider_id).copied();
    }
    Ok(())
}

fn known_keys(keys: &[Option<(MessageId, i16)>]) -> Vec<(MessageId, i16)> {
    keys.iter().copied().flatten().collect()
}

type Legs = HashMap<(MessageId, i16), MessageLeg>;

fn by_key(legs: impl IntoIterator<Item = MessageLeg>) -> Legs {
    legs.into_iter().map(|leg| ((leg.id, leg.ordinal), leg)).collect()
}

fn step_of(status: &StatusUpdate, message: MessageId, ordinal: i16) -> DeliveryStep {
    let reached = match status.status {
        ProviderStatus::Sent => DeliveryState::Sent,
        ProviderStatus::Delivered => DeliveryState::Delivered,
        ProviderStatus::Read => DeliveryState::Read,
        ProviderStatus::Played => DeliveryState::Played,
        ProviderStatus::Failed => DeliveryState::Failed,
    };
    DeliveryStep {
        message,
        ordinal,
        reached,
        at: status.at,
        provider_id: Some(status.provider_id.clone()),
        failure: status.error.clone(),
        named: recipient_of(status),
    }
}

fn recipient_of(status: &StatusUpdate) -> Vec<Address> {
    let named = [(AddressKind::Phone, &status.recipient), (AddressKind::Bsuid, &status.recipient_user_id)];
    named.into_iter().filter_map(|(kind, value)| Address::of_kind(kind, value.as_deref()?)).collect()
}

/// Moves legs forward in the caller's transaction: records steps, requests a fallback if one is due, and removes legs
/// that the provider has from the queue. An outdated report changes nothing. Returns the lanes to wake after the commit.
pub fn advance<'a>(
    ctx: &'a Context,
    db: &'a mut PgConnection,
    client: ClientId,
    steps: Vec<DeliveryStep>,
) -> BoxFuture<'a, Result<Vec<(Queue, Uuid)>>> {
    // Boxed so that it is compiled once here, and not in each crate that awaits it.
    async move {
        let keys: Vec<(MessageId, i16)> = steps.iter().map(|step| (step.message, step.ordinal)).collect();
        let legs = legs::lock(db, client, &keys, LockPolicy::Wait).await?;
        Progress::new(by_key(legs)).run(ctx, db, client, steps).await
    }
    .boxed()
}

pub fn advance_reported<'a>(
    ctx: &'a Context,
    db: &'a mut PgConnection,
    client: ClientId,
    legs: Vec<MessageLeg>,
    steps: Vec<DeliveryStep>,
) -> BoxFuture<'a, Result<Vec<(Queue, Uuid)>>> {
    let progress = Progress { of_reports: true, ..Progress::new(by_key(legs)) };
    progress.run(ctx, db, client, steps).boxed()
}

/// The changes of one call, gathered so that each kind is written in one statement.
struct Progress {
    legs: Legs,
    /// True if the changes come from reports of the provider, and not from answers to calls.
    of_reports: bool,
    moves: BTreeMap<(MessageId, i16), LegMove>,
    receipts: Vec<NewReceipt>,
    taken: Vec<TakenStep>,
    provider_ids: Vec<ProviderId>,
    seen: Vec<ReachedLeg>,
    counts: CountChanges,
    alarms: Alarms,
    stale: StaleCatalogues,
    wakes: Vec<(Queue, Uuid)>,
}

impl Progress {
    fn new(legs: Legs) -> Self {
        Self {
            legs,
            of_reports: false,
            moves: BTreeMap::new(),
            receipts: Vec::new(),
            taken: Vec::new(),
            provider_ids: Vec::new(),
            seen: Vec::new(),
            counts: CountChanges::default(),
            alarms: Alarms::default(),
            stale: StaleCatalogues::default(),
            wakes: Vec::new(),
        }
    }

    async fn run(
        mut self,
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        steps: Vec<DeliveryStep>,
    ) -> Result<Vec<(Queue, Uuid)>> {
        let began = Instant::now();
        for step in steps {
            self.take(ctx, db, client, step).await?;
        }
        let spans = self.spans(client, began);
        let wakes = self.write(ctx, db, client).await?;
        // The transaction of the caller is still open. If it fails, the report is applied again and has another span.
        spans.into_iter().for_each(|span| span.end("callback"));
        Ok(wakes)
    }

    /// The spans of reports of a provider. Answers to calls are part of the span of the call.
    fn spans(&self, client: ClientId, began: Instant) -> Vec<OpenSpan> {
        if !self.of_reports || !traces::is_on() {
            return Vec::new();
        }
        let span = |step: &LegMove| {
            let span = traces::about(step.message.0, SpanKind::Consumer)?.since(began).of(client);
            let span = span.with("patchbay.leg", i64::from(step.ordinal)).with("patchbay.state", step.state.as_str());
            Some(span.failed(step.state.is_failed()))
        };
        self.moves.values().filter_map(span).collect()
    }

    async fn take(&mut self, ctx: &Context, db: &mut PgConnection, client: ClientId, step: DeliveryStep) -> Result<()> {
        let Some(leg) = self.legs.get_mut(&(step.message, step.ordinal)) else { return Ok(()) };
        let step = if self.of_reports { step } else { in_doubt(leg, step) };
        if let Some(provider_id) = &step.provider_id
            && leg.provider_id.as_ref() != Some(provider_id)
        {
            leg.provider_id = Some(provider_id.clone());
            let known = ProviderId { id: provider_id.clone(), message: leg.id, chat_message: leg.chat_message };
            self.provider_ids.push(known);
        }
        let states = leg.leg_state.advance(step.reached);
        let Some(last) = states.last().copied() else { return Ok(()) };
        let first_seen = leg.leg_state < DeliveryState::Sent && last >= DeliveryState::Sent && !last.is_failed();
        let error = step.failure.as_ref().map(|failure| (failure.code.to_string(), failure.text.clone()));
        let second = match &step.failure {
            Some(failure) if last.is_failed() => {
                // A failure in a sandbox was asked for.
                if !leg.provider_id.as_deref().is_some_and(is_sandbox_id) {
                    self.alarms.note(leg.channel, leg.leg_inbox, failure);
                    self.stale.note(leg.channel, leg.leg_inbox, failure);
                }
                opt_out::note(ctx, db, client, leg, failure).await?;
                second_address::follow(ctx, db, client, leg, failure).await?
            }
            _ => None,
        };
        let goes_on = second.is_some();
        self.wakes.extend(second);
        let falls_back = !goes_on && last.is_failed() && due_fallbacks::follows(ctx, db, client, leg, &step).await?;
        for state in states {
            note_time(&mut leg.times, *state, step.at);
            let receipt = ctx.ids.mint(ctx.now());
            if !goes_on {
                self.counts.add(leg.id, leg.channel, leg.origin, *state);
            }
            self.receipts.push(NewReceipt {
                id: receipt,
                message: leg.id,
                channel: leg.channel,
                state: *state,
                happened_at: step.at,
                error: error.clone(),
            });
            if !falls_back && !goes_on {
                let (failure, named, receipt) = (step.failure.clone(), step.named.clone(), Some(receipt));
                self.taken.push(TakenStep { leg: leg.clone(), state: *state, at: step.at, failure, named, receipt });
            }
        }
        let key = (leg.id, leg.ordinal);
        // True also if an earlier step of this group removed it.
        let leaves_queue =
            leg.leg_state == DeliveryState::Queued || self.moves.get(&key).is_some_and(|before| before.leaves_queue);
        leg.leg_state = last;
        let moved = LegMove {
            message: leg.id,
            ordinal: leg.ordinal,
            state: last,
            times: leg.times,
            provider_id: step.provider_id,
            error,
            leaves_queue,
        };
        self.moves.insert(key, moved);
        if falls_back {
            self.wakes.push((Queue::Fallback, leg.inbox.0));
        }
        if leg.channel.facts().remembers_recipients && first_seen {
            let unanswered = self.of_reports && leaves_queue;
            self.seen.push(ReachedLeg { leg: leg.clone(), named: step.named, at: step.at, unanswered });
        }
        Ok(())
    }

    async fn write(self, ctx: &Context, db: &mut PgConnection, client: ClientId) -> Result<Vec<(Queue, Uuid)>> {
        self.alarms.raise();
        let mut wakes = self.wakes;
        let events = step_events::events(db, client, &self.taken).await?;
        let told = events.iter().filter_map(|event| webhook_of_step(event).transpose());
        let steps = Steps {
            legs: self.moves.into_values().collect(),
            receipts: self.receipts,
            provider_ids: self.provider_ids,
            counts: self.counts,
            reached: reached_customers::newly_reached(&self.seen),
            told: told.collect::<Result<_>>()?,
        };
        let endpoints = steps::write(db, client, &steps, ctx.now()).await?;
        self.stale.request(ctx, db, client).await?;
        wakes.extend(endpoints.into_iter().map(|endpoint| (Queue::Webhook, endpoint.0)));
        if steps.legs.is_empty() {
            return Ok(wakes);
        }
        wakes.extend(reached_customers::remember(ctx, db, client, &self.seen).await?);
        follow_chat(db, client, &self.taken, &steps.legs).await?;
        wakes.extend(record_with_webhook(ctx, db, client, &events).await?);
        Ok(wakes)
    }
}

/// Adjusts the step of an SMS in doubt. If it is kept from being sent again, it may still have arrived, so the step
/// does not say that it was unsent. Reports of the provider are not adjusted.
fn in_doubt(leg: &MessageLeg, mut step: DeliveryStep) -> DeliveryStep {
    if let Some(failure) = &mut step.failure
        && leg.channel == Channel::Sms
        && leg.ambiguous
        && failure.code != OwnCode::NoAnswerFromSmsc.code()
    {
        let text = format!("{}; an earlier call was not answered, so the SMS may have arrived", failure.text);
        *failure = ProviderFailure { code: OwnCode::NoAnswerFromSmsc.code(), text };
    }
    step
}

fn note_time(times: &mut LegTimes, state: DeliveryState, at: DateTime<Utc>) {
    let index = match state {
        DeliveryState::Sent => 0,
        DeliveryState::Delivered => 1,
        DeliveryState::Read => 2,
        DeliveryState::Played => 3,
        DeliveryState::Queued | DeliveryState::Accepted | DeliveryState::Failed => return,
    };
    if let Some(time) = times.get_mut(index) {
        *time = Some(at);
    }
}

async fn follow_chat(db: &mut PgConnection, client: ClientId, taken: &[TakenStep], moves: &[LegMove]) -> Result<()> {
    for TakenStep { leg, state, at, .. } in taken {
        let Some(chat_message) = leg.chat_message else { continue };
        let provider_id = moves
            .iter()
            .find(|step| step.message == leg.id && step.ordinal == leg.ordinal)
            .and_then(|step| step.provider_id.as_deref());
        let delivery = MessageDelivery { state: *state, at: *at, provider_id };
        chat_messages::set_delivery(db, client, chat_message, delivery).await?;
    }
    Ok(())
}

/// Fails a message permanently when its fallback was refused, in the transaction of that decision.
pub async fn fail_for_good(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    message: MessageId,
    failure: ProviderFailure,
) -> Result<Vec<(Queue, Uuid)>> {
    let legs = legs::lock(db, client, &[(message, FIRST_LEG)], LockPolicy::Wait).await?;
    let Some(leg) = legs.into_iter().next() else { return Ok(Vec::new()) };
    let receipt = steps::last_failure(db, client, message).await?;
    let (state, named, failure) = (DeliveryState::Failed, Vec::new(), Some(failure));
    let taken = [TakenStep { leg, state, at: ctx.now(), failure, named, receipt }];
    follow_chat(db, client, &taken, &[]).await?;
    step_events::report(ctx, db, client, &taken).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correlation_string_names_its_message_and_leg() {
        let (client, message) = (ClientId(Uuid::from_u128(1)), MessageId(Uuid::from_u128(2)));
        let text = opaque(client, message, 1);
        assert!(text.len() <= 512);
        assert_eq!(leg_of(client, &text), Some((message, 1)));
    }

    #[test]
    fn a_correlation_string_of_another_client_names_nothing() {
        let text = opaque(ClientId(Uuid::from_u128(1)), MessageId(Uuid::from_u128(2)), 0);
        assert_eq!(leg_of(ClientId(Uuid::from_u128(3)), &text), None);
        assert_eq!(leg_of(ClientId(Uuid::from_u128(1)), "msg_01J"), None);
    }
}
