//! A customer wrote. One transaction: the message is stored once, its chat is found, opened or opened again, whoever
//! answers (the chatbot, or people) gets to know, and what happened is recorded (SPEC 2.6, 2.7, 6.1, 6.5).

mod answers;
mod chat;
mod happened;

use chrono::{DateTime, Utc};
use domain::{
    chat::{ContentType, Direction},
    ids::{ChatMessageId, ClientId, InboxId, MediaId},
    inbound::{InboundContent, InboundMessage},
};
use storage::{
    PgConnection, Queue, chat_messages,
    chat_messages::NewChatMessage,
    customers,
    customers::{Customer, NewIdentity},
    media::NewMedia,
    number_customers,
    number_customers::LastTemplate,
    numbers::Number,
    participants::Participant,
};
use uuid::Uuid;

use self::answers::Answered;
use crate::conversation::{as_event, words};
use base::{Context, Error, Result, media};
use events::record;

/// A message with everything that is known about it.
struct Arrival<'a> {
    /// Its place in our chat.
    id: ChatMessageId,
    message: &'a InboundMessage,
    /// What it says and what it answers, in our words.
    answered: Answered,
    customer: &'a Customer,
    number: &'a Number,
    /// The template that the customer had been sent last, if nothing free-form was sent since.
    last_template: Option<LastTemplate>,
    /// Our address of the file that came with it.
    media_url: Option<String>,
    /// When the customer wrote it.
    written_at: DateTime<Utc>,
}

/// Takes a message inside the caller's transaction. A repetition changes nothing. Answers the lanes to wake after the
/// commit.
pub async fn receive(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    number: InboxId,
    message: &InboundMessage,
) -> Result<Vec<(Queue, Uuid)>> {
    let id: ChatMessageId = ctx.mint();
    if !chat_messages::claim_provider_id(db, client, &message.provider_id, id).await? {
        tracing::debug!(client.id = %client, "a message came again");
        return Ok(Vec::new());
    }
    let Some(number) = storage::numbers::by_id(db, client, number).await? else {
        tracing::warn!(client.id = %client, "dropped a message for a number that is gone");
        return Ok(Vec::new());
    };
    let customer = sender(ctx, db, client, message).await?;
    // A provider's clock that is ahead of ours must not keep the window open for longer.
    let written_at = ctx.clock.at(message.sent_at).min(ctx.now());
    let last_template = number_customers::record_inbound(db, client, number.id, customer.id, written_at).await?;
    let answered = answers::read(db, client, message).await?;
    let file = store_file(ctx, db, client, &number, &answered.content).await?;

    let arrival = Arrival {
        id,
        message,
        answered,
        customer: &customer,
        number: &number,
        last_template,
        media_url: file.map(|file| media::url_for(ctx, client, file)),
        written_at,
    };
    let mut routed = chat::route(ctx, db, client, &arrival).await?;
    let stored = chat_message(&arrival, &mut routed.participant, file)?;
    chat_messages::insert(db, client, &stored).await?;
    storage::participants::save(db, client, &routed.participant).await?;

    let mut wakes = Vec::new();
    if file.is_some() {
        wakes.push((Queue::Media, number.id.0));
    }
    if chat::tell_bot(ctx, db, client, &arrival, &routed).await? {
        wakes.push((Queue::Participant, routed.participant.id.0));
    }
    let chat = as_event::chat(db, client, &routed.participant).await?;
    wakes.extend(record(ctx, db, client, &happened::events(&arrival, &routed, chat)).await?);
    Ok(wakes)
}

/// The customer who wrote, with all that is known of it.
async fn sender(ctx: &Context, db: &mut PgConnection, client: ClientId, message: &InboundMessage) -> Result<Customer> {
    let identity = NewIdentity {
        phone: message.from.clone(),
        bsuid: message.from_user_id.clone(),
        previous_bsuid: None,
        name: message.profile_name.clone(),
        username: message.username.clone(),
    };
    let unsaved = identity.clone();
    let id = customers::resolve(db, client, &ctx.ids, identity, ctx.now()).await?;
    let known = customers::find(db, client, id).await?;
    Ok(known.unwrap_or(Customer {
        id,
        name: unsaved.name,
        username: unsaved.username,
        phone: unsaved.phone,
        bsuid: unsaved.bsuid,
    }))
}

/// Notes the file of a message, so that it has an address before it has been fetched.
async fn store_file(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    number: &Number,
    content: &InboundContent,
) -> Result<Option<MediaId>> {
    let InboundContent::Media(file) = content else { return Ok(None) };
    let id: MediaId = ctx.mint();
    let new = NewMedia {
        id,
        number: number.id,
        provider_media_id: file.provider_media_id.clone(),
        source_url: file.url.clone(),
        mime_type: file.mime_type.clone(),
        extension: media::extension(&file.mime_type, file.filename.as_deref()),
        filename: file.filename.clone(),
        sha256: file.sha256.clone(),
    };
    storage::media::insert(db, client, &new, ctx.now()).await?;
    Ok(Some(id))
}

/// The row of the message; gives it its place in the chat.
fn chat_message(arrival: &Arrival<'_>, participant: &mut Participant, file: Option<MediaId>) -> Result<NewChatMessage> {
    let answered = &arrival.answered;
    let unreadable = |source| Error::Unreadable { what: "content of a message", source };
    let mut content = serde_json::to_value(&answered.content).map_err(unreadable)?;
    if let Some(fields) = content.as_object_mut() {
        // For what we do not model; readers of the content ignore it.
        fields.insert("raw".to_owned(), arrival.message.raw.clone());
    }
    participant.unread = participant.unread.saturating_add(1);
    Ok(NewChatMessage {
        id: arrival.id,
        participant: participant.id,
        sequence: participant.take_sequence(arrival.written_at),
        direction: Direction::Incoming,
        content_type: if answered.rating.is_some() {
            ContentType::Rating
        } else {
            ContentType::of_inbound(&answered.content, answered.carousel)
        },
        channel: participant.channel.as_str(),
        body: words::of_inbound(&answered.content),
        content,
        media: file,
        owner: "CUSTOMER".to_owned(),
        ct_id: None,
        gst_id: arrival.id.to_string(),
        provider_id: Some(arrival.message.provider_id.clone()),
        quoted_provider_id: arrival.message.quoted_provider_id.clone(),
        state: None,
        created_at: arrival.written_at,
    })
}
