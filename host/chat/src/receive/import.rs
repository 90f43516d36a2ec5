//! Imports messages that the business sent with another app, such as the inbox of its page or its phone (PROVIDERS A.7,
//! B).

use base::{Context, Result, media};
use domain::{
    chat::{ChatContent, ContentType},
    content::{OutboundContent, OutboundMedia},
    delivery::DeliveryState,
    event::{Event, MessageSaid, Speaker},
    ids::{ChatMessageId, ClientId, InboxId, MediaId},
    inbound::Echo,
    inbox::InboxKind,
};
use events::{NewEvent, record};
use outbound::own_echoes;
use storage::{
    PgConnection, Queue,
    chat::{
        chat_messages::{self, NewChatMessage},
        participants::{self, Participant},
    },
    inboxes::{self, Inbox},
    people::{customers, inbox_customers},
};
use uuid::Uuid;

use super::file_of;
use crate::conversation::{event_facts, readable_text};

pub enum ImportOutcome {
    /// It is done or belongs to no chat. Wake these lanes after the commit.
    Done(Vec<(Queue, Uuid)>),
    /// It may be a message of ours to the same customer that is not settled yet.
    PerhapsOurs,
}

/// A message of another app, to import.
#[derive(Clone, Copy)]
pub struct EchoImport<'a> {
    pub echo: &'a Echo,
    /// True if it is tried again later when it may be ours.
    pub waits: bool,
}

/// Imports a message inside the caller's transaction. Repetitions, our own messages and messages to customers who never
/// wrote have no effect.
pub async fn import(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    EchoImport { echo, waits }: EchoImport<'_>,
) -> Result<ImportOutcome> {
    let nothing = || Ok(ImportOutcome::Done(Vec::new()));
    let Some(inbox) = inboxes::by_id(db, client, inbox).await? else { return nothing() };
    let known = inbox_customers::facts(db, client, inbox.id, &echo.addresses()).await?;
    let customer = echo.addresses().into_iter().find_map(|address| known.get(address)).map(|known| known.customer);
    let Some(customer) = customer else { return nothing() };
    let Some(mut chat) = participants::lock_of_customer(db, client, inbox.id, customer).await? else {
        return nothing();
    };
    if waits && may_be_ours(db, client, &inbox, echo).await? {
        return Ok(ImportOutcome::PerhapsOurs);
    }
    let id: ChatMessageId = ctx.mint();
    if chat_messages::claim_provider_ids(db, client, &[(&echo.provider_id, id)]).await?.is_empty() {
        return nothing();
    }
    let file = match &echo.file {
        Some(file) => Some(file_of(ctx, db, client, &inbox, file).await?),
        None => None,
    };
    let written_at = ctx.clock.at(echo.sent_at).min(ctx.now());
    let content = content(ctx, client, echo, file);
    let row = NewChatMessage {
        id,
        participant: chat.id,
        sequence: chat.take_sequence(written_at),
        content_type: ContentType::of_outbound(&content),
        channel: chat.channel,
        body: readable_text::of_outbound(&content),
        content: ChatContent::Outgoing(Box::new(content.clone())),
        media: file,
        owner: chat.channel.facts().elsewhere.to_owned(),
        after_hours: false,
        agent: None,
        ct_id: None,
        temp_id: None,
        gst_id: id.to_string(),
        provider_id: Some(echo.provider_id.clone()),
        quoted_provider_id: echo.quoted_provider_id.clone(),
        state: Some(DeliveryState::Sent),
        created_at: written_at,
    };
    chat_messages::insert(db, client, &row).await?;
    participants::save(db, client, &chat).await?;
    let mut wakes = match said_event(db, client, &chat, &row, content).await? {
        Some(event) => record(ctx, db, client, &[event]).await?,
        None => Vec::new(),
    };
    wakes.extend(file.map(|_| (Queue::Media, inbox.id.0)));
    Ok(ImportOutcome::Done(wakes))
}

/// True if the message may be one that we are sending. Only devices of Lite numbers report those: Cloud reports none of
/// its own messages, and Messenger marks ours.
async fn may_be_ours(db: &mut PgConnection, client: ClientId, inbox: &Inbox, echo: &Echo) -> Result<bool> {
    if inbox.kind() != InboxKind::WhatsappLite {
        return Ok(false);
    }
    own_echoes::may_be_ours(db, client, inbox.id, echo).await
}

fn content(ctx: &Context, client: ClientId, echo: &Echo, file: Option<MediaId>) -> OutboundContent {
    match (&echo.content, file) {
        (OutboundContent::Media(sent), Some(file)) => {
            OutboundContent::Media(OutboundMedia { url: media::url_for(ctx, client, file), ..sent.clone() })
        }
        (content, _) => content.clone(),
    }
}

/// `None`: the customer was removed.
async fn said_event(
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    row: &NewChatMessage,
    content: OutboundContent,
) -> Result<Option<NewEvent>> {
    let Some(customer) = customers::find(db, client, chat.customer).await? else { return Ok(None) };
    let said = MessageSaid {
        message: row.id,
        rest: Vec::new(),
        by: Speaker::Elsewhere,
        chat: event_facts::chat(db, client, chat).await?,
        customer: event_facts::customer(&customer),
        content,
        quoted: None,
        ct_id: None,
    };
    Ok(Some(NewEvent {
        inbox: Some(chat.inbox),
        order_key: event_facts::order_key(chat.inbox, &customer),
        at: row.created_at,
        event: Event::MessageSaid(Box::new(said)),
    }))
}
