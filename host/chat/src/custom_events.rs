//! Events that the business raises for a chatbot, for example that an order was paid.

use std::time::Duration;

use base::{Context, Error};
use domain::{
    address::{Address, AddressKind},
    body::FieldFault,
    chat::{CustomEvent, ParticipantEvent, ParticipantEventKind, ParticipantState},
    ids::{ClientId, InboxId, ParticipantEventId, ParticipantId},
};
use storage::{
    PgConnection, Queue,
    chat::{
        participant_events::{self, NewParticipantEvent},
        participants,
    },
    inbound::callbacks,
    inboxes,
};

/// Bound on the name, in characters.
const NAME: usize = 64;
/// Bound on the payload, in bytes of JSON.
const PAYLOAD: usize = 16 << 10;
const MOST_WAITING: i64 = 100;
/// Time to wait for earlier messages. Usually there are none, or they take milliseconds.
const WAIT_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(15);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventReceiver {
    Participant(ParticipantId),
    /// The chatbot of the chat of a customer on an inbox, by phone number or business-scoped user id.
    Customer(InboxId, String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct CustomEventRequest {
    pub hears: EventReceiver,
    /// The name, such as `order-paid`.
    pub name: String,
    pub payload: serde_json::Value,
}

#[derive(Debug, thiserror::Error)]
pub enum RaiseError {
    #[error("there is no such chat")]
    NotFound,
    #[error("the request is not valid")]
    Faults(Vec<FieldFault>),
    #[error("{0}")]
    NotTheBots(&'static str),
    #[error("too many events wait for the chatbot of this chat: try again later")]
    TooMany,
    #[error("earlier messages are not in their chats yet: try again in a few seconds")]
    Behind,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(RaiseError: storage::Error);

/// Raises an event for the chatbot of a chat, after all earlier events of the chat. Returns its id, which the chatbot sees
/// too. An error means that nothing is raised.
pub async fn raise(
    ctx: &Context,
    client: ClientId,
    wanted: CustomEventRequest,
) -> Result<ParticipantEventId, RaiseError> {
    let payload = wanted.payload.to_string();
    let faults = faults(&wanted, &payload);
    if !faults.is_empty() {
        return Err(RaiseError::Faults(faults));
    }
    let Some(inbox) = inbox_of(ctx, client, &wanted.hears).await? else { return Err(RaiseError::NotFound) };
    taken_in(ctx, client, inbox).await?;
    let mut tx = ctx.db.begin().await?;
    let participant = match find_chat(&mut tx, client, &wanted.hears).await? {
        Some(id) => participants::lock(&mut tx, client, id).await?,
        None => None,
    };
    let Some(participant) = participant else { return Err(RaiseError::NotFound) };
    match participant.state {
        ParticipantState::Bot => {}
        ParticipantState::Queued | ParticipantState::Active => {
            return Err(RaiseError::NotTheBots("people have this chat: no chatbot would hear of it"));
        }
        ParticipantState::Closed => {
            return Err(RaiseError::NotTheBots("this chat is closed: no chatbot would hear of it"));
        }
    }
    if participant_events::waiting(&mut tx, client, participant.id, ParticipantEventKind::Custom).await? >= MOST_WAITING
    {
        return Err(RaiseError::TooMany);
    }
    let now = ctx.now();
    let id: ParticipantEventId = ctx.mint();
    let event = CustomEvent { name: wanted.name, payload };
    let new = NewParticipantEvent { id, event: ParticipantEvent::Custom(event) };
    participant_events::append(&mut tx, client, participant.id, &[new], now).await?;
    tx.commit().await?;
    ctx.wake.wake(Queue::Participant, client, participant.id.0);
    Ok(id)
}

/// The chat of a receiver. `None` if there is none.
pub(crate) async fn find_chat(
    db: &mut PgConnection,
    client: ClientId,
    receiver: &EventReceiver,
) -> Result<Option<ParticipantId>, RaiseError> {
    match receiver {
        EventReceiver::Participant(id) => Ok(participants::find(db, client, *id).await?.map(|found| found.id)),
        EventReceiver::Customer(inbox, customer) => of_customer(db, client, *inbox, customer).await,
    }
}

async fn inbox_of(ctx: &Context, client: ClientId, hears: &EventReceiver) -> Result<Option<InboxId>, RaiseError> {
    let mut db = ctx.db.acquire().await?;
    match hears {
        EventReceiver::Participant(id) => Ok(participants::find(&mut db, client, *id).await?.map(|chat| chat.inbox)),
        EventReceiver::Customer(inbox, _) => Ok(Some(*inbox)),
    }
}

/// Waits until all stored callbacks of the inbox, which came before this event, are in their chats.
async fn taken_in(ctx: &Context, client: ClientId, inbox: InboxId) -> Result<(), RaiseError> {
    let Some(newest) = callbacks::newest(&mut *ctx.db.acquire().await?, client, inbox.0).await? else {
        return Ok(());
    };
    ctx.wake.wake(Queue::Callback, client, inbox.0);
    let taken = async {
        while callbacks::any_up_to(&mut *ctx.db.acquire().await?, client, inbox.0, newest).await? {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Ok(())
    };
    tokio::time::timeout(WAIT_TIMEOUT, taken).await.unwrap_or(Err(RaiseError::Behind))
}

fn faults(wanted: &CustomEventRequest, payload: &str) -> Vec<FieldFault> {
    let mut faults = Vec::new();
    let length = wanted.name.chars().count();
    if wanted.name.trim().is_empty() || length > NAME {
        faults.push(FieldFault::new("name", format!("must have 1 to {NAME} characters")));
    }
    if payload.len() > PAYLOAD {
        let size = payload.len();
        faults.push(FieldFault::new("payload", format!("has {size} bytes as JSON; {PAYLOAD} are allowed")));
    }
    faults
}

async fn of_customer(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    customer: &str,
) -> Result<Option<ParticipantId>, RaiseError> {
    if inboxes::by_id(db, client, inbox).await?.is_none() {
        let fault = FieldFault::new("whatsAppNumberId", "is not the id of one of your numbers");
        return Err(RaiseError::Faults(vec![fault]));
    }
    let kinds = [AddressKind::Phone, AddressKind::Bsuid];
    let Some(address) = kinds.into_iter().find_map(|kind| Address::of_kind(kind, customer)) else {
        let said = "is neither a phone number in international format nor a business-scoped user id";
        return Err(RaiseError::Faults(vec![FieldFault::new("customer", said)]));
    };
    Ok(participants::of_address(db, client, inbox, &address).await?)
}
