//! Everything that a turn must know, read before the call.

use std::sync::Arc;

use domain::{
    chat::{ContentType, ParticipantState},
    ids::{ClientId, MediaId, ParticipantId},
    inbound::InboundContent,
};
use storage::{
    PgConnection, chat_messages,
    chat_messages::{ChatMessage, QuotedMessage},
    clients::Client,
    customers,
    customers::Customer,
    number_customers,
    numbers::Number,
    participant_events::{self, Event},
    participants,
    participants::Participant,
};

use super::chosen;
use super::happening::{Happening, Template, TimerPayload};
use crate::{Context, Error, Result, media, plugin_calls::Answering, receive::words};

/// What to do with an event.
pub(super) enum Situation {
    /// The chat is with people, or closed: nothing in its lane is the chatbot's any more.
    NotTheBots,
    /// No chatbot is active on this number any more.
    NoBot,
    /// The event names something that is gone.
    Nothing,
    /// The chatbot is asked.
    Ready(Box<Scene>),
}

/// A turn's surroundings.
pub(super) struct Scene {
    pub(super) participant: Participant,
    pub(super) customer: Customer,
    pub(super) number: Number,
    pub(super) client: Client,
    /// The chatbot: one and the same version for the whole turn.
    pub(super) answering: Arc<Answering>,
    pub(super) subject: Subject,
    /// The event opened a closed conversation.
    pub(super) reopened: bool,
    /// The template that the customer had been sent last.
    pub(super) template: Option<Template>,
}

impl Scene {
    /// Name of the chatbot.
    pub(super) fn plugin(&self) -> &str {
        self.answering.name()
    }
}

/// What the event is about.
pub(super) enum Subject {
    /// The conversation began with this message.
    Started(Box<Wrote>),
    /// The customer wrote.
    Message(Box<Wrote>),
    /// The customer rated the conversation.
    Rating(String, Box<Wrote>),
    /// A timer of this name ran out.
    Timer(String),
}

/// A message of the customer, as a chatbot may see it.
pub(crate) struct Wrote {
    pub(crate) message: ChatMessage,
    pub(crate) content: InboundContent,
    /// It is a tap on a card of a carousel.
    pub(crate) carousel: bool,
    /// The provider's name of its type, for what we do not model.
    pub(crate) provider_type: Option<String>,
    /// Our address of the file that came with it, and its extension.
    pub(crate) file: Option<(String, Option<String>)>,
    /// The message that it quotes: id and text.
    pub(crate) quoted: Option<(String, Option<String>)>,
    /// Of a reaction: the id of the message reacted to.
    pub(crate) reacted_to: Option<String>,
}

/// Reads what the turn of `event` needs.
pub(super) async fn load(ctx: &Context, client: ClientId, id: ParticipantId, event: &Event) -> Result<Situation> {
    let mut db = ctx.db.acquire().await?;
    let db = &mut *db;
    let Some(participant) = participants::find(db, client, id).await?.filter(|found| found.id == id) else {
        return Ok(Situation::NotTheBots);
    };
    if participant.state != ParticipantState::Bot {
        return Ok(Situation::NotTheBots);
    }
    let Some(answering) = chosen::chatbot(ctx, db, client, &participant).await? else {
        return Ok(Situation::NoBot);
    };
    let customer = customers::find(db, client, participant.customer).await?;
    let number = storage::numbers::by_id(db, client, participant.number).await?;
    let owner = storage::clients::get(db, client).await?;
    let (Some(customer), Some(number), Some(owner)) = (customer, number, owner) else {
        let value = participant.id.to_string();
        return Err(Error::Storage(storage::Error::Inconsistent { table: "participant", column: "id", value }));
    };
    let Some(known) = subject(ctx, db, client, event).await? else { return Ok(Situation::Nothing) };
    let (subject, reopened, template) = match known {
        Known::Timer(name) => {
            let last = number_customers::last_template_of(db, client, number.id, customer.id).await?;
            let template = last.map(|last| Template { id: last.id, name: last.name });
            (Subject::Timer(name), false, template)
        }
        Known::Happened(subject, happening) => (subject, happening.reopened, happening.template),
    };
    Ok(Situation::Ready(Box::new(Scene {
        participant,
        customer,
        number,
        client: owner,
        answering: Arc::new(answering),
        subject,
        reopened,
        template,
    })))
}

/// What an event turned out to be.
enum Known {
    Timer(String),
    Happened(Subject, Happening),
}

async fn subject(ctx: &Context, db: &mut PgConnection, client: ClientId, event: &Event) -> Result<Option<Known>> {
    let unreadable = |source| Error::Unreadable { what: "event of a participant", source };
    if event.kind == participant_events::TIMER {
        let timer: TimerPayload = serde_json::from_value(event.payload.clone()).map_err(unreadable)?;
        return Ok(Some(Known::Timer(timer.name)));
    }
    let happening: Happening = serde_json::from_value(event.payload.clone()).map_err(unreadable)?;
    let Some(message) = chat_messages::find(db, client, happening.message).await? else { return Ok(None) };
    let wrote = Box::new(wrote(ctx, db, client, message).await?);
    let subject = match (event.kind.as_str(), &happening.rating) {
        (Happening::STARTED, _) => Subject::Started(wrote),
        (Happening::RATED, Some(score)) => Subject::Rating(score.clone(), wrote),
        _ => Subject::Message(wrote),
    };
    Ok(Some(Known::Happened(subject, happening)))
}

pub(crate) async fn wrote(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    message: ChatMessage,
) -> Result<Wrote> {
    let content: InboundContent = serde_json::from_value(message.content.clone())
        .map_err(|source| Error::Unreadable { what: "content of a message", source })?;
    let provider_type = message.content.pointer("/raw/type").and_then(serde_json::Value::as_str).map(str::to_owned);
    let quoted = match &message.quoted_provider_id {
        Some(id) => chat_messages::quoted(db, client, id).await?,
        None => None,
    };
    let reacted_to = match &content {
        InboundContent::Reaction { message_id, .. } => {
            let target = chat_messages::quoted(db, client, message_id).await?;
            Some(target.map_or_else(|| message_id.clone(), |target| id_of(&target)))
        }
        _ => None,
    };
    let file = match message.media {
        Some(file) => Some(file_of(ctx, db, client, file).await?),
        None => None,
    };
    Ok(Wrote {
        carousel: message.content_type == ContentType::Carousel.as_str(),
        quoted: quoted.map(|quoted| (id_of(&quoted), text_of(quoted))),
        message,
        content,
        provider_type,
        file,
        reacted_to,
    })
}

async fn file_of(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    file: MediaId,
) -> Result<(String, Option<String>)> {
    let known = storage::media::find(db, client, file).await?;
    Ok((media::url_for(ctx, client, file), known.map(|known| known.extension)))
}

fn id_of(quoted: &QuotedMessage) -> String {
    match (quoted.chat_message, quoted.outbound_message) {
        (Some(chat), _) => chat.to_string(),
        (None, Some(sent)) => sent.to_string(),
        (None, None) => quoted.gst_id.clone(),
    }
}

fn text_of(quoted: QuotedMessage) -> Option<String> {
    let of_content = || words::of_outbound(&serde_json::from_value(quoted.content?).ok()?);
    quoted.body.or_else(of_content)
}
