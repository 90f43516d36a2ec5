//! Sends words of a chatbot or an agent to the customer of a chat, on any channel.

use base::{Context, Result};
use domain::{
    chat::{ChatContent, ContentType},
    content::OutboundContent,
    delivery::DeliveryState,
    event::{self, Event, MessageSaid, Speaker},
    ids::{ChatMessageId, ClientId, MediaId, UserId},
    inbox::InboxKind,
    messenger,
};
use outbound::{
    accept::TierCount,
    reply::{self, ChatReply, QueuedReply},
};
use storage::{
    PgConnection,
    chat::{
        chat_messages::{self, NewChatMessage},
        participants::Participant,
    },
    people::customers::Customer,
};

use crate::conversation::{event_facts, readable_text};

/// The owner of words without an agent: those of chatbots and of Patchbay itself.
pub const BOT_OWNER: &str = "BOT";

pub struct SayTarget<'a> {
    pub chat: &'a mut Participant,
    pub inbox: InboxKind,
    pub customer: &'a Customer,
}

impl SayTarget<'_> {
    fn again(&mut self) -> SayTarget<'_> {
        SayTarget { chat: self.chat, inbox: self.inbox, customer: self.customer }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPurpose {
    Talk,
    /// The question for a rating.
    Rating,
    /// The text of a team outside its hours.
    AfterHours,
}

#[derive(Clone, Copy)]
pub struct TextOwner<'a> {
    pub content: &'a OutboundContent,
    pub purpose: TextPurpose,
    /// The owner: `BOT`, or the agent's name.
    pub owner: &'a str,
    pub quotes: Option<(ChatMessageId, &'a str)>,
    pub of_agent: AgentFields<'a>,
}

/// Data that only words of an agent have, and the file of a chatbot.
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentFields<'a> {
    pub agent: Option<UserId>,
    pub ct_id: Option<&'a str>,
    pub temp_id: Option<&'a str>,
    pub media: Option<MediaId>,
    /// The type of the message, if it does not follow from the content (SPEC 4.2 `MEDIA`).
    pub content_type: Option<ContentType>,
    /// For a template: the count of its recipient.
    pub counted: Option<&'a TierCount>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatEntries {
    /// The first, which has the names that the sender gave.
    pub first: ChatMessageId,
    pub rest: Vec<ChatMessageId>,
}

impl<'a> TextOwner<'a> {
    /// Another part of the same words. Names, quote and file belong to the first message.
    fn going_on(&self, content: &'a OutboundContent) -> Self {
        let of_agent = AgentFields { agent: self.of_agent.agent, ..AgentFields::default() };
        Self { content, quotes: None, of_agent, ..*self }
    }
}

/// Stores words in a chat and queues them for sending, inside the caller's transaction. The caller records [`said`],
/// saves the participant, and wakes `Queue::Outbound` on the lane of the inbox after the commit.
///
/// On a channel with [`Splitting`](messenger::Splitting), words that need several calls become several messages in the chat, each with its own state.
pub async fn send_to_customer(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    mut place: SayTarget<'_>,
    words: &TextOwner<'_>,
) -> Result<ChatEntries> {
    let splitting = place.inbox.facts().splitting;
    let parts = splitting.map(|splitting| messenger::in_messages(words.content, splitting)).unwrap_or_default();
    let (content, more) = parts.split_first().unwrap_or((words.content, &[]));
    let begin = TextOwner { content, ..*words };
    let first = say_one(ctx, db, client, place.again(), &begin).await?;
    let mut rest = Vec::new();
    for content in more {
        rest.push(say_one(ctx, db, client, place.again(), &words.going_on(content)).await?);
    }
    Ok(ChatEntries { first, rest })
}

/// Like [`send_to_customer`], but returns the first message and the event for the caller to record.
pub async fn send_and_record(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    mut place: SayTarget<'_>,
    words: &TextOwner<'_>,
) -> Result<(ChatMessageId, Event)> {
    let in_chat = send_to_customer(ctx, db, client, place.again(), words).await?;
    let chat = event_facts::chat(db, client, place.chat).await?;
    Ok((in_chat.first, said_event(in_chat, words, chat, place.customer)))
}

pub fn said_event(in_chat: ChatEntries, words: &TextOwner<'_>, chat: event::EventChat, customer: &Customer) -> Event {
    Event::MessageSaid(Box::new(MessageSaid {
        message: in_chat.first,
        rest: in_chat.rest,
        by: words.of_agent.agent.map_or(Speaker::Bot, Speaker::Agent),
        chat,
        customer: event_facts::customer(customer),
        content: words.content.clone(),
        quoted: words.quotes.map(|(quoted, _)| quoted),
        ct_id: words.of_agent.ct_id.map(str::to_owned),
    }))
}

async fn say_one(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    place: SayTarget<'_>,
    words: &TextOwner<'_>,
) -> Result<ChatMessageId> {
    let SayTarget { chat, inbox, customer } = place;
    let id: ChatMessageId = ctx.mint();
    let quoted_provider_id = words.quotes.map(|(_, provider_id)| provider_id.to_owned());
    let (gst_id, provider_id, state) = match customer.addresses.written_to(inbox) {
        Some(recipient) => {
            let queued = ChatReply {
                inbox: chat.inbox,
                channel: chat.channel,
                participant: chat.id,
                chat_message: id,
                recipient,
                content: words.content.clone(),
                quoted_provider_id: quoted_provider_id.clone(),
            };
            let uncounted = TierCount::default();
            let counted = words.of_agent.counted.unwrap_or(&uncounted);
            let queued = reply::queue_counted(ctx, db, client, queued, counted).await?;
            let QueuedReply { message, provider_id } = queued;
            (message.to_string(), provider_id, DeliveryState::Queued)
        }
        None => {
            tracing::warn!(participant.id = %chat.id, "a customer has no address that this inbox can write to");
            (id.to_string(), None, DeliveryState::Failed)
        }
    };
    let now = ctx.now();
    let row = NewChatMessage {
        id,
        participant: chat.id,
        sequence: chat.take_sequence(now),
        content_type: match words.purpose {
            TextPurpose::Rating => ContentType::Rating,
            TextPurpose::Talk | TextPurpose::AfterHours => {
                words.of_agent.content_type.unwrap_or_else(|| ContentType::of_outbound(words.content))
            }
        },
        channel: chat.channel,
        body: readable_text::of_outbound(words.content),
        content: ChatContent::Outgoing(Box::new(words.content.clone())),
        media: words.of_agent.media,
        owner: words.owner.to_owned(),
        after_hours: words.purpose == TextPurpose::AfterHours,
        agent: words.of_agent.agent,
        ct_id: words.of_agent.ct_id.map(str::to_owned),
        temp_id: words.of_agent.temp_id.map(str::to_owned),
        gst_id,
        provider_id,
        quoted_provider_id,
        state: Some(state),
        created_at: now,
    };
    chat_messages::insert(db, client, &row).await?;
    chat.send_rating |= words.purpose == TextPurpose::Rating;
    Ok(id)
}
