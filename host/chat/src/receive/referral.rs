//! Referrals without a message: an advertisement or link that a customer followed. It waits for the customer's next
//! message. If a chatbot has the chat, it gets the referral at once (PROVIDERS B).

use base::{Context, Result};
use chrono::TimeDelta;
use domain::{
    chat::{CustomEvent, ParticipantEvent, ParticipantState},
    ids::{ClientId, InboxId, ParticipantEventId},
    inbound::{AdvertArrival, InboundMessage},
    referral::Referral,
};
use storage::{
    PgConnection, Queue,
    chat::{
        participant_events::{self, NewParticipantEvent},
        participants,
    },
    inbound::waiting_referrals,
    inboxes::Inbox,
};
use uuid::Uuid;

const CUSTOM_EVENT: &str = "referral";
/// After this time a referral no longer applies to a new message.
const LASTS: TimeDelta = TimeDelta::days(7);

/// Stores a referral inside the caller's transaction. Returns the lanes to wake after the commit.
pub async fn came_by(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    came: &AdvertArrival,
) -> Result<Vec<(Queue, Uuid)>> {
    let at = ctx.clock.at(came.at).min(ctx.now());
    waiting_referrals::note(db, client, inbox, came, at).await?;
    let Some(chat) = participants::of_address(db, client, inbox, &came.from).await? else { return Ok(Vec::new()) };
    let Some(chat) = participants::lock(db, client, chat).await? else { return Ok(Vec::new()) };
    if chat.state != ParticipantState::Bot {
        return Ok(Vec::new());
    }
    let payload = serde_json::to_string(&came.referral).unwrap_or_default();
    let event = ParticipantEvent::Custom(CustomEvent { name: CUSTOM_EVENT.to_owned(), payload });
    let event = NewParticipantEvent { id: ctx.mint::<ParticipantEventId>(), event };
    participant_events::append(db, client, chat.id, &[event], ctx.now()).await?;
    Ok(vec![(Queue::Participant, chat.id.0)])
}

/// The referral of a message: its own, or the waiting one.
pub(super) async fn of_message(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: &Inbox,
    message: &InboundMessage,
) -> Result<Option<Box<Referral>>> {
    // Other channels send it only with the message.
    let waits_for = message.from_address.as_ref().filter(|_| inbox.kind().facts().referrals_wait);
    let waited = match waits_for {
        Some(address) => waiting_referrals::take(db, client, inbox.id, address, ctx.now() - LASTS).await?,
        None => None,
    };
    Ok(message.referral.clone().or(waited.map(Box::new)))
}
