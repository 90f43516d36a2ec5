//! Turns the steps of messages into events (SPEC 3.2, 6.2).

use std::collections::HashMap;

use base::{Context, Result};
use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    channel::Channel,
    conversation::ConversationRef,
    delivery::DeliveryState,
    event::{Event, MessageMoved, StepTimes, Tracking},
    ids::{ClientId, ConversationId},
    inbound::ProviderFailure,
};
use events::{NewEvent, record};
use storage::{
    PgConnection, Queue,
    chat::conversations,
    outbound::{legs::MessageLeg, parts::PartOrigin},
};
use uuid::Uuid;

/// A step of a message, with its leg at that time.
pub(crate) struct TakenStep {
    pub(crate) leg: MessageLeg,
    pub(crate) state: DeliveryState,
    pub(crate) at: DateTime<Utc>,
    pub(crate) failure: Option<ProviderFailure>,
    pub(crate) named: Vec<Address>,
    pub(crate) receipt: Option<Uuid>,
}

pub(crate) async fn report(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    taken: &[TakenStep],
) -> Result<Vec<(Queue, Uuid)>> {
    let events = events(db, client, taken).await?;
    record(ctx, db, client, &events).await
}

pub(crate) async fn events(db: &mut PgConnection, client: ClientId, taken: &[TakenStep]) -> Result<Vec<NewEvent>> {
    let mut known: Vec<_> = taken.iter().filter_map(|step| step.leg.conversation).collect();
    known.sort_unstable();
    known.dedup();
    let known = if known.is_empty() { HashMap::new() } else { conversations::find_refs(db, client, &known).await? };
    let event = |step: &TakenStep| NewEvent {
        inbox: Some(step.leg.inbox),
        order_key: step.leg.order_key,
        at: step.at,
        event: Event::MessageMoved(Box::new(message_moved(step, &known))),
    };
    Ok(taken.iter().map(event).collect())
}

fn message_moved(
    TakenStep { leg, state, failure, named, receipt, .. }: &TakenStep,
    conversations: &HashMap<ConversationId, ConversationRef>,
) -> MessageMoved {
    MessageMoved {
        message: leg.id,
        chat_message: leg.chat_message,
        leg: leg.ordinal,
        channel: leg.channel,
        state: *state,
        to: to(leg, named),
        gst_id: leg.gst_id.clone(),
        ct_id: leg.ct_id.clone(),
        conversation: leg.conversation.and_then(|id| conversations.get(&id)).cloned(),
        times: StepTimes::up_to(*state, leg.times),
        failure: failure.clone().filter(|_| state.is_failed()),
        tracking: Tracking {
            receipt: *receipt,
            request: leg.request,
            tqrmt_id: leg.quick_replies.then(|| leg.gst_id.clone()),
            cost: leg.cost.clone(),
            of_product: leg.origin == Some(PartOrigin::Product),
            // Other channels have no templates. There it counts as a text.
            template_of_chat: leg.template_of_chat && matches!(leg.channel, Channel::Whatsapp | Channel::Sms),
        },
    }
}

/// The recipient as the sender wrote it, and another address of the same person that the leg or provider names.
fn to(leg: &MessageLeg, named: &[Address]) -> Vec<Address> {
    let mut to: Vec<Address> = leg.recipient.iter().cloned().collect();
    for other in named.iter().chain([&leg.leg_address]) {
        if to.iter().all(|known| known.kind() != other.kind()) {
            to.push(other.clone());
        }
    }
    to
}
