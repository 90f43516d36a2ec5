//! Moves outbound messages forward (SPEC 3.2): one function for every source of news, be it the answer to a send, a
//! status callback or an SMS receipt.

use std::collections::HashMap;

use channels::whatsapp_cloud::error_codes::means_not_on_whatsapp;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    chat::{FallbackFacts, fallback_due},
    delivery::DeliveryState,
    event::{Event, MessageMoved, StepTimes},
    ids::{ClientId, MessageId},
    inbound::{ProviderFailure, ProviderStatus, StatusUpdate},
};
use storage::{
    PgConnection, Queue,
    outbound::{
        fallbacks::{self, NewFallback},
        legs::{self, LegMove, MessageLeg},
        messages::{self, MessageMove},
        provider_ids,
        receipts::{self, NewReceipt},
        work,
    },
    people::{customers, inbox_customers},
};
use uuid::Uuid;

use base::{Context, Result};
use events::{NewEvent, record};

/// The leg that a message begins with, whatever its channel.
const FIRST_LEG: i16 = 0;

/// Something that happened to a leg.
#[derive(Debug, Clone)]
pub struct Step {
    /// The message.
    pub message: MessageId,
    /// Which leg.
    pub ordinal: i16,
    /// The state that the provider reports.
    pub reached: DeliveryState,
    /// When, by the provider.
    pub at: DateTime<Utc>,
    /// The provider's id, when this step brought it.
    pub provider_id: Option<String>,
    /// Why it failed.
    pub failure: Option<ProviderFailure>,
}

/// What status callbacks led to.
#[derive(Debug)]
pub struct StatusOutcome {
    /// Positions of the statuses for which no message of ours is known yet.
    pub unknown: Vec<usize>,
    /// Lanes to wake after the commit.
    pub wakes: Vec<(Queue, Uuid)>,
}

/// The correlation string that goes with every send and comes back with every status (`biz_opaque_callback_data`).
pub fn opaque(client: ClientId, message: MessageId, ordinal: i16) -> String {
    format!("pb1:{}:{}:{ordinal}", client.0.simple(), message.0.simple())
}

/// The message and leg that a correlation string of this client names.
fn parse_opaque(client: ClientId, text: &str) -> Option<(MessageId, i16)> {
    let mut fields = text.strip_prefix("pb1:")?.split(':');
    let owner: Uuid = fields.next()?.parse().ok()?;
    let message: Uuid = fields.next()?.parse().ok()?;
    let ordinal: i16 = fields.next()?.parse().ok()?;
    (owner == client.0 && fields.next().is_none()).then_some((MessageId(message), ordinal))
}

/// Applies status callbacks inside the caller's transaction. All messages are locked at once, in one order, so that
/// nobody waits in a circle.
pub async fn apply_statuses(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    statuses: &[StatusUpdate],
) -> Result<StatusOutcome> {
    let named: Vec<Option<(MessageId, i16)>> =
        statuses.iter().map(|status| status.opaque.as_deref().and_then(|text| parse_opaque(client, text))).collect();
    let ids: Vec<MessageId> = named.iter().flatten().map(|leg| leg.0).collect();
    let existing = messages::existing(db, client, &ids).await?;
    let mut steps = Vec::with_capacity(statuses.len());
    let mut unknown = Vec::new();
    for (position, (status, named)) in statuses.iter().zip(named).enumerate() {
        let leg = match named.filter(|leg| existing.contains(&leg.0)) {
            Some(leg) => Some(leg),
            None => provider_ids::find(db, client, &status.provider_id).await?,
        };
        match leg {
            Some((message, ordinal)) => {
                let step = step_of(status, message, ordinal);
                // A provider reports on what it has accepted, also when its report overtakes its answer.
                if step.reached.is_failed() {
                    steps.push(Step { reached: DeliveryState::Accepted, failure: None, ..step.clone() });
                }
                steps.push(step);
            }
            None => unknown.push(position),
        }
    }
    let wakes = if steps.is_empty() { Vec::new() } else { advance(ctx, db, client, steps).await? };
    Ok(StatusOutcome { unknown, wakes })
}

fn step_of(status: &StatusUpdate, message: MessageId, ordinal: i16) -> Step {
    let reached = match status.status {
        ProviderStatus::Sent => DeliveryState::Sent,
        ProviderStatus::Delivered => DeliveryState::Delivered,
        ProviderStatus::Read => DeliveryState::Read,
        ProviderStatus::Played => DeliveryState::Played,
        ProviderStatus::Failed => DeliveryState::Failed,
    };
    Step {
        message,
        ordinal,
        reached,
        at: status.at,
        provider_id: Some(status.provider_id.clone()),
        failure: status.error.clone(),
    }
}

/// Moves legs and their messages forward inside the caller's transaction, records each step, asks for a fallback where one
/// is due, and takes legs that a provider has out of the queue. Old news changes nothing.
/// Answers the lanes to wake after the commit.
pub async fn advance(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    steps: Vec<Step>,
) -> Result<Vec<(Queue, Uuid)>> {
    let keys: Vec<(MessageId, i16)> = steps.iter().map(|step| (step.message, step.ordinal)).collect();
    let locked = legs::lock(db, client, &keys).await?;
    let mut progress = Progress::new(locked);
    for step in steps {
        progress.take(ctx, db, client, step).await?;
    }
    progress.write(ctx, db, client).await
}

/// A step that a message took, with the leg as it was then.
struct TakenStep {
    leg: MessageLeg,
    state: DeliveryState,
    at: DateTime<Utc>,
    failure: Option<ProviderFailure>,
}

/// The changes of one call, gathered so that each kind is written in one statement.
struct Progress {
    legs: HashMap<(MessageId, i16), MessageLeg>,
    leg_moves: Vec<LegMove>,
    message_moves: HashMap<MessageId, MessageMove>,
    receipts: Vec<NewReceipt>,
    taken: Vec<TakenStep>,
    provider_ids: Vec<(String, MessageId, Option<domain::ids::ChatMessageId>)>,
    seen: Vec<MessageLeg>,
    wakes: Vec<(Queue, Uuid)>,
}

impl Progress {
    fn new(legs: Vec<MessageLeg>) -> Self {
        Self {
            legs: legs.into_iter().map(|leg| ((leg.id, leg.ordinal), leg)).collect(),
            leg_moves: Vec::new(),
            message_moves: HashMap::new(),
            receipts: Vec::new(),
            taken: Vec::new(),
            provider_ids: Vec::new(),
            seen: Vec::new(),
            wakes: Vec::new(),
        }
    }

    async fn take(&mut self, ctx: &Context, db: &mut PgConnection, client: ClientId, step: Step) -> Result<()> {
        let Some(leg) = self.legs.get_mut(&(step.message, step.ordinal)) else { return Ok(()) };
        if let Some(provider_id) = &step.provider_id {
            self.provider_ids.push((provider_id.clone(), leg.id, leg.chat_message));
        }
        let states = leg.leg_state.advance(step.reached);
        let Some(last) = states.last().copied() else { return Ok(()) };
        let error = step.failure.as_ref().map(|failure| (failure.code.to_string(), failure.text.clone()));
        let falls_back = last.is_failed() && fallback_follows(ctx, db, client, leg, &step).await?;
        for state in states {
            note_time(&mut leg.times, *state, step.at);
            self.receipts.push(NewReceipt {
                id: ctx.mint(),
                message: leg.id,
                channel: leg.channel,
                state: *state,
                happened_at: step.at,
                error: error.clone(),
            });
            if !falls_back {
                let failure = step.failure.clone();
                self.taken.push(TakenStep { leg: leg.clone(), state: *state, at: step.at, failure });
            }
        }
        leg.leg_state = last;
        self.leg_moves.push(LegMove {
            message: leg.id,
            ordinal: leg.ordinal,
            state: last,
            provider_id: step.provider_id,
            error: error.clone(),
        });
        if falls_back {
            self.wakes.push((Queue::Fallback, leg.inbox.0));
        } else if leg.ordinal == leg.last_ordinal {
            let change = MessageMove { message: leg.id, state: last, times: leg.times, error };
            self.message_moves.insert(leg.id, change);
        }
        if leg.channel.has_chats() && last >= DeliveryState::Sent && !last.is_failed() {
            self.seen.push(leg.clone());
        }
        Ok(())
    }

    async fn write(self, ctx: &Context, db: &mut PgConnection, client: ClientId) -> Result<Vec<(Queue, Uuid)>> {
        let now = ctx.now();
        let mut wakes = self.wakes;
        if !self.provider_ids.is_empty() {
            provider_ids::insert(db, client, &self.provider_ids).await?;
        }
        if self.leg_moves.is_empty() {
            return Ok(wakes);
        }
        // The last word on a leg wins; one statement may touch a row only once.
        let mut moves: HashMap<(MessageId, i16), LegMove> = HashMap::new();
        for step in self.leg_moves {
            moves.insert((step.message, step.ordinal), step);
        }
        let done: Vec<(MessageId, i16)> = moves.keys().copied().collect();
        let moves: Vec<LegMove> = moves.into_values().collect();
        legs::advance(db, client, &moves, now).await?;
        work::finish(db, client, &done).await?;
        let messages: Vec<MessageMove> = self.message_moves.into_values().collect();
        if !messages.is_empty() {
            messages::advance(db, client, &messages).await?;
        }
        receipts::insert(db, client, &self.receipts).await?;
        mark_reached(ctx, db, client, &self.seen).await?;
        follow_chat(db, client, &self.taken, &moves).await?;
        wakes.extend(report(ctx, db, client, &self.taken).await?);
        Ok(wakes)
    }
}

fn note_time(times: &mut [Option<DateTime<Utc>>; 4], state: DeliveryState, at: DateTime<Utc>) {
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

/// Asks for a fallback decision when one is due (PROVIDERS A.12); at most once per message.
async fn fallback_follows(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    leg: &MessageLeg,
    step: &Step,
) -> Result<bool> {
    let Some(failure) = step.failure.as_ref().filter(|failure| means_not_on_whatsapp(failure.code)) else {
        return Ok(false);
    };
    if leg.channel != Channel::Whatsapp || leg.ordinal != leg.last_ordinal {
        return Ok(false);
    }
    let Some(phone) = leg.recipient.of_kind(AddressKind::Phone) else { return Ok(false) };
    let Some(known) = fallbacks::facts(db, client, leg.inbox, phone).await? else { return Ok(false) };
    let facts = FallbackFacts {
        code: failure.code,
        mode: known.mode,
        seen_on_whatsapp: known.reached || leg.leg_state >= DeliveryState::Sent,
        has_phone: true,
        age: ctx.now() - accepted_at(leg.id),
        max_age: TimeDelta::from_std(ctx.settings.fallback_max_age).unwrap_or(TimeDelta::MAX),
        requested: leg.fallback.is_some(),
    };
    if let Err(refused) = fallback_due(&facts) {
        tracing::debug!(message.id = %leg.id, reason = %refused, "no SMS fallback for this failure");
        return Ok(false);
    }
    let fallback = NewFallback {
        message: leg.id,
        inbox: leg.inbox,
        error_code: failure.code.to_string(),
        error_text: failure.text.clone(),
        failed_at: step.at,
    };
    Ok(fallbacks::request(db, client, &fallback, ctx.now()).await?)
}

/// When a message was accepted: its id was minted then.
fn accepted_at(message: MessageId) -> DateTime<Utc> {
    let millis = i64::try_from(message.0.as_u128() >> 80).unwrap_or(i64::MAX);
    DateTime::from_timestamp_millis(millis).unwrap_or(DateTime::UNIX_EPOCH)
}

/// Remembers that these recipients are reached on the channels of these inboxes.
async fn mark_reached(ctx: &Context, db: &mut PgConnection, client: ClientId, seen: &[MessageLeg]) -> Result<()> {
    if seen.is_empty() {
        return Ok(());
    }
    let addresses: Vec<&Address> = seen.iter().map(|leg| leg.recipient.address()).collect();
    let known = customers::resolve_many(db, client, &ctx.ids, &addresses, ctx.now()).await?;
    let mut pairs: Vec<_> = seen.iter().map(|leg| leg.inbox).zip(known).collect();
    pairs.sort_unstable();
    pairs.dedup();
    for (inbox, customer) in pairs {
        inbox_customers::mark_reached(db, client, inbox, customer).await?;
    }
    Ok(())
}

/// Carries states and provider ids over to the chat messages that these messages deliver.
async fn follow_chat(db: &mut PgConnection, client: ClientId, taken: &[TakenStep], moves: &[LegMove]) -> Result<()> {
    for TakenStep { leg, state, .. } in taken {
        let Some(chat_message) = leg.chat_message else { continue };
        let provider_id = moves
            .iter()
            .find(|step| step.message == leg.id && step.ordinal == leg.ordinal)
            .and_then(|step| step.provider_id.as_deref());
        storage::chat::chat_messages::set_delivery(db, client, chat_message, *state, provider_id).await?;
    }
    Ok(())
}

/// Records each step.
async fn report(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    taken: &[TakenStep],
) -> Result<Vec<(Queue, Uuid)>> {
    let event = |step: &TakenStep| NewEvent {
        inbox: Some(step.leg.inbox),
        order_key: step.leg.order_key,
        at: step.at,
        event: Event::MessageMoved(Box::new(moved(step))),
    };
    let events: Vec<NewEvent> = taken.iter().map(event).collect();
    record(ctx, db, client, &events).await
}

fn moved(TakenStep { leg, state, failure, .. }: &TakenStep) -> MessageMoved {
    MessageMoved {
        message: leg.id,
        chat_message: leg.chat_message,
        leg: leg.ordinal,
        channel: leg.channel,
        state: *state,
        to: leg.recipient.iter().cloned().collect(),
        gst_id: leg.gst_id.clone(),
        ct_id: leg.ct_id.clone(),
        times: StepTimes::up_to(*state, leg.times),
        failure: failure.clone().filter(|_| state.is_failed()),
    }
}

/// Fails a message whose fallback was refused: nothing is left to try. Inside the caller's transaction.
pub async fn fail_for_good(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    message: MessageId,
    failure: ProviderFailure,
) -> Result<Vec<(Queue, Uuid)>> {
    let legs = legs::lock(db, client, &[(message, FIRST_LEG)]).await?;
    let Some(leg) = legs.into_iter().next().filter(|leg| !leg.state.is_failed()) else { return Ok(Vec::new()) };
    let error = Some((failure.code.to_string(), failure.text.clone()));
    let change = MessageMove { message, state: DeliveryState::Failed, times: leg.times, error };
    messages::advance(db, client, &[change]).await?;
    let taken = [TakenStep { leg, state: DeliveryState::Failed, at: ctx.now(), failure: Some(failure) }];
    follow_chat(db, client, &taken, &[]).await?;
    report(ctx, db, client, &taken).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correlation_string_names_its_message_and_leg() {
        let (client, message) = (ClientId(Uuid::from_u128(1)), MessageId(Uuid::from_u128(2)));
        let text = opaque(client, message, 1);
        assert!(text.len() <= 512);
        assert_eq!(parse_opaque(client, &text), Some((message, 1)));
    }

    #[test]
    fn a_correlation_string_of_another_client_names_nothing() {
        let text = opaque(ClientId(Uuid::from_u128(1)), MessageId(Uuid::from_u128(2)), 0);
        assert_eq!(parse_opaque(ClientId(Uuid::from_u128(3)), &text), None);
        assert_eq!(parse_opaque(ClientId(Uuid::from_u128(1)), "msg_01J"), None);
    }
}
