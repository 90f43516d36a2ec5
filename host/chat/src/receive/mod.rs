//! Receives messages of customers. In one transaction each is stored once, its chat is found, created or reopened, the
//! chatbot or the agents are notified, and events are recorded (SPEC 2.6, 2.7, 6.1, 6.5).

mod answers;
mod arrival;
mod change;
mod chat;
mod event_list;
mod import;
mod lite_choices;
mod referral;
mod taps;

pub use self::{
    change::change,
    import::{EchoImport, ImportOutcome, import},
    referral::came_by,
};
use base::{
    Context, Error, Result, media,
    traces::{self, SpanKind},
};
use domain::{
    address::{Address, AddressKind},
    chat::{ChatContent, ContentType, ParticipantState, Rating, ReceivedContent, TicketMove},
    event::Event,
    file_name,
    ids::{ChatMessageId, ClientId, InboxId, MediaId},
    inbound::{InboundContent, InboundMedia, InboundMessage, kept},
    inbox::InboxKind,
    invisible_characters::is_all_blank,
    media_type::extension_for,
    phone::Bsuid,
};
use events::{NewEvent, of_folded, record};
use futures::{FutureExt, future::BoxFuture};
use people::{IntroducedCustomers, Introduction};
use serde_json::Value;
use storage::{
    PgConnection, Queue,
    chat::{
        chat_messages::{self, NewChatMessage},
        originals,
        participants::{self, Participant},
        search,
        tickets::{self, TicketRating},
    },
    inbound::media::{self as stored_media, NewMedia},
    inboxes::{self, Inbox},
    people::{
        customers::{self, Customer},
        inbox_customers::{self, CustomerHistory},
    },
};
use uuid::Uuid;

use crate::conversation::{event_facts, ratings::RatingTap, readable_text, site_team, ticketing};
use answers::FreshMessage;
use arrival::Arrival;

/// Prefix of the id of a visitor's file that is already in our store. Our id follows.
pub const UPLOADED: &str = "uploaded:";

struct Taken {
    events: Vec<NewEvent>,
    wakes: Vec<(Queue, Uuid)>,
}

pub enum ReceiveOutcome {
    /// Wake these lanes after the commit.
    Done(Vec<(Queue, Uuid)>),
    /// A message quotes, taps or reacts to one that is not known, and the outcome of a call to its customer is not stored. End
    /// the transaction without a commit.
    TooEarly,
}

/// Receives a message that waits for no outcome, inside the caller's transaction. A repetition changes nothing. Returns
/// the lanes to wake after the commit.
pub async fn receive(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    message: &InboundMessage,
) -> Result<Vec<(Queue, Uuid)>> {
    let messages = MessageGroup { messages: &[message], may_wait: false };
    match receive_all(ctx, db, client, inbox, messages).await? {
        ReceiveOutcome::Done(wakes) => Ok(wakes),
        ReceiveOutcome::TooEarly => Err(Error::TooEarly),
    }
}

/// Messages of one inbox, in order.
#[derive(Clone, Copy)]
pub struct MessageGroup<'a> {
    pub messages: &'a [&'a InboundMessage],
    /// True if a message may be too early.
    pub may_wait: bool,
}

/// Like [`receive`] for several messages. Common data is read once, and all events are recorded together.
pub fn receive_all<'a>(
    ctx: &'a Context,
    db: &'a mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    MessageGroup { messages, may_wait }: MessageGroup<'a>,
) -> BoxFuture<'a, Result<ReceiveOutcome>> {
    // Boxed, so that it is compiled once here and not in each calling crate.
    async move {
        let new = claim(ctx, db, client, messages).await?;
        if new.is_empty() {
            return Ok(ReceiveOutcome::Done(Vec::new()));
        }
        let Some(inbox) = inboxes::by_id(db, client, inbox).await? else {
            tracing::warn!(client.id = %client, "dropped messages for a deleted inbox");
            return Ok(ReceiveOutcome::Done(Vec::new()));
        };
        let in_force = chat::ActivePlugins::on(db, client, inbox.id).await?;
        let receiver = InboxReceiver { ctx, client, inbox: &inbox, in_force: &in_force };
        let (mut events, mut wakes) = (Vec::new(), Vec::new());
        for (id, message) in new {
            let Some(taken) = receiver.receive(db, FreshMessage { id, message, may_wait }).await? else {
                return Ok(ReceiveOutcome::TooEarly);
            };
            events.extend(taken.events);
            wakes.extend(taken.wakes);
        }
        wakes.extend(record(ctx, db, client, &events).await?);
        Ok(ReceiveOutcome::Done(wakes))
    }
    .boxed()
}

async fn claim<'a>(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    messages: &[&'a InboundMessage],
) -> Result<Vec<(ChatMessageId, &'a InboundMessage)>> {
    let mut new: Vec<(ChatMessageId, &InboundMessage)> =
        messages.iter().map(|message| (ctx.mint(), *message)).collect();
    let claims: Vec<(&str, ChatMessageId)> =
        new.iter().map(|(id, message)| (message.provider_id.as_str(), *id)).collect();
    let claimed = chat_messages::claim_provider_ids(db, client, &claims).await?;
    new.retain(|(id, _)| claimed.contains(id));
    if new.len() < messages.len() {
        tracing::debug!(client.id = %client, messages = messages.len() - new.len(), "repeated messages were skipped");
    }
    Ok(new)
}

/// Receives the messages of one inbox.
struct InboxReceiver<'a> {
    ctx: &'a Context,
    client: ClientId,
    inbox: &'a Inbox,
    in_force: &'a chat::ActivePlugins,
}

impl InboxReceiver<'_> {
    /// `None`: the message is too early.
    async fn receive(&self, db: &mut PgConnection, new: FreshMessage<'_>) -> Result<Option<Taken>> {
        let Self { ctx, client, inbox, in_force } = *self;
        let FreshMessage { id, message, .. } = new;
        let traced = traces::first(id.0, SpanKind::Consumer);
        let IntroducedCustomers { who: customer, folded } = sender(ctx, db, client, message).await?;
        let mut events = of_folded(db, client, &folded, ctx.now()).await?;
        // A provider's clock that is ahead of ours must not extend the window.
        let written_at = ctx.clock.at(message.sent_at).min(ctx.now());
        let CustomerHistory { last_template, conversation, cost } =
            inbox_customers::record_inbound(db, client, inbox.id, &customer, written_at).await?;
        let Some(answered) = answers::read_known(db, client, inbox, customer.id, new).await? else {
            return Ok(None);
        };
        taps::take(ctx, db, client, &answered, conversation.as_ref()).await?;
        let file = store_file(ctx, db, client, inbox, &answered.content).await?;
        let referral = referral::of_message(ctx, db, client, inbox, message).await?;

        let arrival = Arrival {
            id,
            message,
            answered,
            customer: &customer,
            inbox,
            last_template,
            conversation,
            cost,
            media_url: file.map(|file| media::url_for(ctx, client, file)),
            written_at,
            referral,
        };
        let mut routed = chat::route(ctx, db, client, &arrival, in_force).await?;
        if routed.was.is_none_or(|was| was.state != ParticipantState::Queued) {
            site_team::name(db, client, &mut routed.participant).await?;
        }
        let participant = &mut routed.participant;
        findable(db, client, &customer, participant).await?;
        chat_messages::insert(db, client, &chat_message(&arrival, participant, file)).await?;
        if is_in_our_words(&arrival.answered.content) {
            originals::insert(db, client, id, &kept(message.raw.to_string())).await?;
        }
        participants::save(db, client, participant).await?;

        let mut wakes = Vec::new();
        if file.is_some() {
            wakes.push((Queue::Media, inbox.id.0));
        }
        if chat::queue_bot_event(ctx, db, client, &arrival, &routed).await? {
            wakes.push((Queue::Participant, routed.participant.id.0));
        }
        let rated = rate(ctx, db, client, &arrival, &routed.participant).await?;
        let ticket = ticket_waits(ctx, db, client, &arrival, &routed.participant).await?;
        let chat = event_facts::chat(db, client, &routed.participant).await?;
        events.extend(event_list::events(&arrival, &routed, chat, ticket, rated));
        if let Some(span) = traced {
            let span = span.of(client).with("patchbay.message.id", id.0).with("patchbay.inbox.id", inbox.id.0);
            span.with("patchbay.participant.id", routed.participant.id.0).end("receive");
        }
        Ok(Some(Taken { events, wakes }))
    }
}

/// The rating that counts. For a ticket it is the first one, even if the chat has moved on.
async fn rate(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    arrival: &Arrival<'_>,
    chat: &Participant,
) -> Result<Option<Rating>> {
    let Some(RatingTap { rating, ticket }) = arrival.answered.rating else { return Ok(None) };
    let counts = match ticket {
        Some(ticket) => {
            let given = TicketRating { chat: chat.id, ticket, rating };
            tickets::rate(db, client, given, ctx.now()).await?
        }
        None => true,
    };
    Ok(counts.then_some(rating))
}

/// Sets the ticket of the chat to waiting for an agent, unless the message needs no answer.
async fn ticket_waits(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    arrival: &Arrival<'_>,
    chat: &Participant,
) -> Result<Option<Event>> {
    if !arrival.answered.asks() {
        return Ok(None);
    }
    match chat.state {
        ParticipantState::Queued | ParticipantState::Active => {
            ticketing::step(ctx, db, client, chat, TicketMove::CustomerWrote).await
        }
        ParticipantState::Bot | ParticipantState::Closed => Ok(None),
    }
}

async fn findable(db: &mut PgConnection, client: ClientId, customer: &Customer, chat: &mut Participant) -> Result<()> {
    if chat.found_by == search::words(customer) {
        return Ok(());
    }
    // Read again under the lock of the chat, in case the contact was renamed.
    let now = customers::find(db, client, customer.id).await?;
    let found_by = search::words(now.as_ref().unwrap_or(customer));
    search::remember(db, client, chat.id, &found_by).await?;
    chat.found_by = found_by;
    Ok(())
}

async fn sender(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    message: &InboundMessage,
) -> Result<IntroducedCustomers<Customer>> {
    // Malformed addresses are ignored (SPEC 2.2).
    let named = [(AddressKind::Phone, &message.from), (AddressKind::Bsuid, &message.from_user_id)];
    let address = |(kind, value): (AddressKind, &Option<String>)| Address::of_kind(kind, value.as_deref()?);
    let parent = message.from_parent_user_id.as_deref().and_then(|id| Bsuid::parse(id).ok());
    let introduction = Introduction {
        addresses: named.into_iter().filter_map(address).chain(message.from_address.clone()).collect(),
        replaced: None,
        name: message.profile_name.clone().filter(|name| !is_all_blank(name)),
        username: message.username.clone().filter(|name| !is_all_blank(name)),
        parent_user_id: parent.map(String::from),
    };
    Ok(people::introduce(db, client, &ctx.ids, introduction, ctx.now()).await?)
}

/// Stores a row for the file of a message, so that it has an address before it is fetched.
async fn store_file(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: &Inbox,
    content: &InboundContent,
) -> Result<Option<MediaId>> {
    let InboundContent::Media(file) = content else { return Ok(None) };
    // A visitor's file was uploaded before its message, which has the id.
    if inbox.kind() == InboxKind::Web {
        return Ok(file.provider_media_id.strip_prefix(UPLOADED).and_then(|id| id.parse().ok()));
    }
    Ok(Some(file_of(ctx, db, client, inbox, file).await?))
}

async fn file_of(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: &Inbox,
    file: &InboundMedia,
) -> Result<MediaId> {
    let id: MediaId = ctx.mint();
    let new = NewMedia {
        id,
        inbox: inbox.id,
        provider_media_id: file.provider_media_id.clone(),
        source_url: file.url.clone(),
        mime_type: file.mime_type.clone(),
        extension: extension_for(&file.mime_type, file.filename.as_deref()),
        filename: file_name::given(file.filename.as_deref(), &file.mime_type),
        sha256: file.sha256.clone(),
    };
    stored_media::insert(db, client, &new, ctx.now()).await?;
    Ok(id)
}

/// True if the chat shows our text in place of the original.
fn is_in_our_words(content: &InboundContent) -> bool {
    matches!(content, InboundContent::Unmodelled(_))
}

fn chat_message(arrival: &Arrival<'_>, participant: &mut Participant, file: Option<MediaId>) -> NewChatMessage {
    let answered = &arrival.answered;
    // Ratings, and messages that leave the chat closed, do not count as unread.
    if answered.rating.is_none() && participant.state != ParticipantState::Closed {
        participant.unread = participant.unread.saturating_add(1);
    }
    // If the chat shows our text, the original is stored apart, with a size bound.
    let raw = if is_in_our_words(&answered.content) { Value::Null } else { arrival.message.raw.clone() };
    let content =
        ReceivedContent { content: answered.content.clone(), raw: raw.into(), referral: arrival.referral.clone() };
    NewChatMessage {
        id: arrival.id,
        participant: participant.id,
        sequence: participant.take_sequence(arrival.written_at),
        content_type: if answered.rating.is_some() {
            ContentType::Rating
        } else {
            ContentType::of_inbound(&answered.content, answered.carousel)
        },
        channel: participant.channel,
        body: readable_text::of_inbound(&answered.content),
        content: ChatContent::Incoming(Box::new(content)),
        media: file,
        owner: "CUSTOMER".to_owned(),
        after_hours: false,
        agent: None,
        ct_id: None,
        temp_id: None,
        gst_id: arrival.id.to_string(),
        provider_id: Some(arrival.message.provider_id.clone()),
        quoted_provider_id: answered.quoted_provider_id.clone(),
        state: None,
        created_at: arrival.written_at,
    }
}
