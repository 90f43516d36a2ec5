//! Somebody of the business says something in a chat (SPEC 4.2 `POST /messages`): stored and on its way when this returns.

use base::{Context, media};
use domain::{
    channel::Channel,
    chat::{ChatContent, ContentType, ParticipantState, TicketMove, most_bytes},
    content::{MediaKind, OutboundContent, OutboundMedia},
    file_type::FileType,
    ids::{ChatMessageId, ClientId, MediaId},
    inbox::InboxKind,
    messenger::FILE_MAX,
    send,
};
use events::{NewEvent, record};
use storage::{
    PgConnection, Queue,
    chat::{
        chat_messages::{self, ChatMessage},
        history,
        participants::{self, Participant},
    },
    inbound::media as stored_media,
    inboxes,
    people::customers,
};

use super::{
    Acting, DeskError, locked,
    messages::{self, MessageView},
    own_or_free,
    said::{Said, What},
};
use crate::{
    conversation::{
        as_event, ticketing,
        window::{self, Writes},
    },
    say::{OfAgent, Words, say_and_tell},
};

/// Says something. A `temp_id` that the chat knows answers the message that is there, and nothing is sent again.
///
/// # Errors
/// See [`DeskError`]; nothing was stored then.
pub async fn speak(ctx: &Context, acting: Acting, mut said: Said) -> Result<MessageView, DeskError> {
    let client = acting.client;
    fits(ctx, client, &said).await?;
    let mut tx = ctx.db.begin().await?;
    let mut chat = locked(&mut tx, client, said.participant).await?;
    if let Some(temp_id) = &said.temp_id
        && let Some(sent) = history::by_temp_id(&mut tx, client, chat.id, temp_id).await?
    {
        return messages::view(ctx, &mut tx, client, sent).await;
    }
    may_speak(&mut tx, acting, &chat, &said).await?;
    let inbox = inboxes::by_id(&mut tx, client, chat.inbox).await?.ok_or(DeskError::NotFound)?;
    let customer = customers::find(&mut tx, client, chat.customer).await?.ok_or(DeskError::NotFound)?;
    if customer.addresses.written_to(inbox.kind()).is_none() {
        let said = "no address of this customer is known that this channel can write to";
        return Err(DeskError::Conflict(said.to_owned()));
    }
    window_open(ctx, &mut tx, client, &chat, inbox.kind()).await?;
    let quoted = quoted(&mut tx, client, &chat, said.quotes.as_deref()).await?;
    if let What::Reaction(reaction) = &mut said.what {
        reaction.message_id = reacted_to(&mut tx, client, (&chat, inbox.kind()), &reaction.message_id).await?;
    }
    let (content, media) = content(ctx, &mut tx, client, inbox.kind(), &said.what).await?;
    let names = participants::agent_names(&mut tx, client, &[acting.user]).await?;
    let words = Words {
        content: &content,
        asks_rating: false,
        owner: names.get(&acting.user).map_or("AGENT", String::as_str),
        quotes: quoted.as_ref().map(|(quoted, provider_id)| (*quoted, provider_id.as_str())),
        of_agent: OfAgent {
            agent: Some(acting.user),
            ct_id: said.ct_id.as_deref(),
            temp_id: said.temp_id.as_deref(),
            media,
            content_type: matches!(said.what, What::File { .. }).then_some(ContentType::Media),
        },
    };
    if content.is_answer() {
        // Whoever has been answered is not missed any more.
        (chat.missed, chat.missed_by, chat.after_hours) = (false, None, false);
    }
    let (id, happened) = say_and_tell(ctx, &mut tx, client, (&mut chat, inbox.kind(), &customer), &words).await?;
    let ticket = match content.is_answer() {
        true => ticketing::step(ctx, &mut tx, client, &chat, TicketMove::AgentAnswered).await?,
        false => None,
    };
    participants::save(&mut tx, client, &chat).await?;
    let order_key = as_event::order_key(chat.inbox, &customer);
    let event = |event| NewEvent { inbox: Some(chat.inbox), order_key, at: ctx.now(), event };
    let happened: Vec<NewEvent> = [happened].into_iter().chain(ticket).map(event).collect();
    let mut wakes = record(ctx, &mut tx, client, &happened).await?;
    let sent = history::one(&mut tx, client, id).await?.ok_or(DeskError::NotFound)?;
    let view = messages::view(ctx, &mut tx, client, sent).await?;
    tx.commit().await?;
    wakes.push((Queue::Outbound, chat.inbox.0));
    ctx.wake.wake_all(client, wakes);
    Ok(view)
}

/// Refuses a file of ours that is too large for its channel. Before anything is locked: the store may be far away.
async fn fits(ctx: &Context, client: ClientId, said: &Said) -> Result<(), DeskError> {
    let What::File { url, .. } = &said.what else { return Ok(()) };
    let own = media::own(ctx, url).flatten().filter(|(owner, _)| *owner == client && said.channel == Channel::Facebook);
    let Some((_, id)) = own else { return Ok(()) };
    // Where the store does not answer, the carrier judges it.
    let Ok(Some(file)) = ctx.media.open(client, id).await else { return Ok(()) };
    match file.bytes {
        0..=FILE_MAX => Ok(()),
        bytes => {
            let wrong = format!("has {bytes} bytes; Messenger carries files of {FILE_MAX} bytes (25 MiB) at most");
            Err(DeskError::fault("mediaUrl", wrong))
        }
    }
}

async fn may_speak(db: &mut PgConnection, acting: Acting, chat: &Participant, said: &Said) -> Result<(), DeskError> {
    if chat.state == ParticipantState::Closed {
        return Err(DeskError::Conflict("the chat is closed: open it before you write".to_owned()));
    }
    if chat.channel != said.channel {
        let channel = chat.channel.as_str();
        return Err(DeskError::fault("channel", format!("is not that of the chat, which takes place on {channel}")));
    }
    own_or_free(db, acting, chat).await
}

/// Refuses what the channel would refuse because the customer last wrote too long ago.
pub(super) async fn window_open(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    kind: InboxKind,
) -> Result<(), DeskError> {
    match window::closed(ctx, db, client, (chat, kind), Writes::Person).await? {
        None => Ok(()),
        Some(said) => Err(DeskError::Conflict(said.to_owned())),
    }
}

/// The message that is quoted, which must be one of this chat, and what its channel calls it.
async fn quoted(
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    named: Option<&str>,
) -> Result<Option<(ChatMessageId, String)>, DeskError> {
    let Some(named) = named else { return Ok(None) };
    let Some(Named { message, provider_id }) = of_chat(db, client, chat, named).await? else {
        return Err(DeskError::fault("quotedExternalMessageId", "is not the id of a message of this chat"));
    };
    Ok(Some((message.id, provider_id.ok_or_else(not_yet_sent)?)))
}

/// A message that a request names.
struct Named {
    message: ChatMessage,
    /// What its channel calls it, once it has left.
    provider_id: Option<String>,
}

/// The message of a chat with this id: that of its channel, or ours, which is the one that webhooks tell.
async fn of_chat(
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    named: &str,
) -> Result<Option<Named>, DeskError> {
    let of_channel = chat_messages::quoted(db, client, named).await?.and_then(|known| known.chat_message);
    let Some(id) = of_channel.or_else(|| named.parse().ok()) else { return Ok(None) };
    let found = chat_messages::find(db, client, id).await?.filter(|message| message.participant == chat.id);
    Ok(found.map(|message| {
        let provider_id = of_channel.map(|_| named.to_owned()).or_else(|| message.provider_id.clone());
        Named { message, provider_id }
    }))
}

fn not_yet_sent() -> DeskError {
    DeskError::Conflict("the message that is named has not left yet: try again once it has been sent".to_owned())
}

/// What the channel calls the message that is reacted to. Refuses reactions that a channel has not, and those to what is no
/// message of this chat.
async fn reacted_to(
    db: &mut PgConnection,
    client: ClientId,
    (chat, kind): (&Participant, InboxKind),
    named: &str,
) -> Result<String, DeskError> {
    let why_not = match kind {
        InboxKind::WhatsappCloud | InboxKind::WhatsappLite | InboxKind::Messenger => None,
        InboxKind::Web => Some("cannot be sent to a web site, whose widget shows none"),
        InboxKind::Sms => Some("cannot be sent as an SMS"),
    };
    if let Some(why_not) = why_not {
        return Err(DeskError::fault("reaction", why_not));
    }
    let fault = |said| DeskError::fault("reaction.externalMessageId", said);
    let found = of_chat(db, client, chat, named).await?;
    let Named { message, provider_id } = found.ok_or_else(|| fault("is not the id of a message of this chat"))?;
    // A device is told by whom the message was that it reacts to, and says that it was the customer.
    if kind == InboxKind::WhatsappLite && !matches!(message.content, ChatContent::Incoming(_)) {
        return Err(fault("is not a message of the customer: a WhatsApp Lite number reacts to those only"));
    }
    provider_id.ok_or_else(not_yet_sent)
}

/// What goes out, and the file of ours in it.
async fn content(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    kind: InboxKind,
    what: &What,
) -> Result<(OutboundContent, Option<MediaId>), DeskError> {
    let (url, caption) = match what {
        What::Text(body) => return Ok((OutboundContent::Text { body: body.clone() }, None)),
        What::Place(place) => return Ok((OutboundContent::Location(place.clone()), None)),
        What::Reaction(reaction) => return Ok((OutboundContent::Reaction(reaction.clone()), None)),
        What::File { url, caption } => (url, caption.clone()),
    };
    let Some(own) = media::own(ctx, url) else {
        send::check_link(url).map_err(|wrong| DeskError::fault("mediaUrl", wrong))?;
        let file = OutboundMedia {
            kind: captioned(MediaKind::of_link(url), caption.is_some()),
            url: url.clone(),
            caption,
            filename: None,
        };
        return Ok((OutboundContent::Media(file), None));
    };
    let stored = match own {
        Some((owner, id)) if owner == client => stored_media::find(db, client, id).await?,
        _ => None,
    };
    let stored = stored.ok_or_else(|| DeskError::fault("mediaUrl", "is not the address of a file of yours"))?;
    let file_type = FileType::of_mime(&stored.mime_type);
    if let Some(file_type) = file_type {
        carried(kind, file_type).map_err(|wrong| DeskError::fault("mediaUrl", wrong))?;
    }
    // What only visitors send goes on as a document, which every channel carries.
    let shown = file_type.filter(|file| most_bytes(*file).is_some()).map_or(MediaKind::Document, FileType::kind);
    let kind = captioned(shown, caption.is_some());
    let filename = (kind == MediaKind::Document)
        .then(|| stored.filename.clone().unwrap_or_else(|| format!("file.{}", stored.extension)));
    let file = OutboundMedia { kind, url: media::url_for(ctx, client, stored.id), caption, filename };
    Ok((OutboundContent::Media(file), Some(stored.id)))
}

/// Sounds cannot carry a text: with one they go as documents, so that nothing of the message is lost.
fn captioned(kind: MediaKind, with_text: bool) -> MediaKind {
    match kind {
        MediaKind::Audio | MediaKind::Voice | MediaKind::Sticker if with_text => MediaKind::Document,
        kind => kind,
    }
}

/// Refuses files that a channel does not take.
fn carried(kind: InboxKind, file: FileType) -> Result<(), &'static str> {
    match (kind, file) {
        (InboxKind::WhatsappCloud, FileType::Gif) => {
            Err("is a GIF, which WhatsApp does not carry: send it as an MP4 video, a PNG or a JPEG")
        }
        _ => Ok(()),
    }
}
