//! Sends a message of the business in a chat (SPEC 4.2 `POST /messages`). When this returns, it is stored and queued.

use base::{Context, Error, media};
use domain::{
    channel::Channel,
    chat::{ContentType, ParticipantState, TicketMove, most_bytes},
    content::{MediaKind, OutboundContent, OutboundMedia, Reaction},
    file_type::FileType,
    gif,
    ids::{ChatMessageId, ClientId, MediaId},
    inbox::InboxKind,
    recipient::Recipient,
    send,
};
use events::{NewEvent, record};
use outbound::accept::TierCount;
use storage::{
    PgConnection, Queue,
    chat::{
        history,
        participants::{self, Participant},
    },
    inbound::media::{self as stored_media, MediaRecord},
    inboxes::{self, Inbox},
    outbound::outgoing_rows,
    people::customers::{self, Customer},
};
use uuid::Uuid;

use super::{
    ActingUser, DeskError, lock_chat,
    message_draft::{DraftContent, MessageDraft},
    message_reference,
    messages::{self, MessageView},
    own_or_free,
    template::{self, AgentTemplateTarget},
};
use crate::{
    conversation::{
        event_facts, ticketing,
        window::{ChatWindow, WindowWriter},
    },
    send_to_customer::{AgentFields, SayTarget, TextOwner, TextPurpose, send_and_record},
};

/// Sends a message. If the chat already has a message with this `temp_id`, returns that message and sends nothing. An error
/// means that nothing is stored.
pub async fn send_message(ctx: &Context, acting: ActingUser, said: MessageDraft) -> Result<MessageView, DeskError> {
    check_file_size(ctx, acting.client, &said).await?;
    loop {
        match send_once(ctx, acting, &said).await {
            // Another template counted for the tier of the number first. The next attempt reads that count.
            Err(DeskError::Failed(Error::Storage(error))) if outgoing_rows::is_overtaken(&error) => {}
            sent => return sent,
        }
    }
}

async fn send_once(ctx: &Context, acting: ActingUser, said: &MessageDraft) -> Result<MessageView, DeskError> {
    let client = acting.client;
    let mut tx = ctx.db.begin().await?;
    let mut open = match approach(ctx, &mut tx, acting, said).await? {
        Approach::Said(view) => return Ok(*view),
        Approach::Open(open) => *open,
    };
    let worded = compose(ctx, &mut tx, acting, &open, said).await?;
    let (id, mut wakes) = put(ctx, &mut tx, acting, &mut open, &worded).await?;
    let sent = history::one(&mut tx, client, id).await?.ok_or(DeskError::NotFound)?;
    let view = messages::view(ctx, &mut tx, client, sent).await?;
    tx.commit().await?;
    wakes.push((Queue::Outbound, open.inbox.id.0));
    ctx.wake.wake_all(client, wakes);
    Ok(view)
}

/// Checks if a message could be sent now, without checking its file, which is not stored yet. Returns the existing message
/// with the same `temp_id` if there is one.
pub async fn check_send(
    ctx: &Context,
    acting: ActingUser,
    said: &MessageDraft,
) -> Result<Option<MessageView>, DeskError> {
    let mut tx = ctx.db.begin().await?;
    match approach(ctx, &mut tx, acting, said).await? {
        Approach::Said(view) => Ok(Some(*view)),
        Approach::Open(open) => {
            message_reference::find_quote(&mut tx, acting.client, &open.chat, said.quotes.as_deref()).await?;
            Ok(None)
        }
    }
}

enum Approach {
    Said(Box<MessageView>),
    Open(Box<OpenChat>),
}

async fn approach(
    ctx: &Context,
    db: &mut PgConnection,
    acting: ActingUser,
    said: &MessageDraft,
) -> Result<Approach, DeskError> {
    let client = acting.client;
    let chat = lock_chat(db, client, said.participant).await?;
    if let Some(temp_id) = &said.temp_id
        && let Some(sent) = history::by_temp_id(db, client, chat.id, temp_id).await?
    {
        return Ok(Approach::Said(Box::new(messages::view(ctx, db, client, sent).await?)));
    }
    may_speak(db, acting, &chat, said).await?;
    let open = open_chat(db, client, chat).await?;
    if !matches!(said.what, DraftContent::Template(_)) {
        window_open(ctx, db, client, &open.chat, open.kind()).await?;
    }
    Ok(Approach::Open(Box::new(open)))
}

/// A chat in which the caller may write, with its customer.
struct OpenChat {
    chat: Participant,
    inbox: Inbox,
    customer: Customer,
    recipient: Recipient,
}

impl OpenChat {
    fn kind(&self) -> InboxKind {
        self.inbox.kind()
    }
}

async fn open_chat(db: &mut PgConnection, client: ClientId, chat: Participant) -> Result<OpenChat, DeskError> {
    let inbox = inboxes::by_id(db, client, chat.inbox).await?.ok_or(DeskError::NotFound)?;
    let customer = customers::find(db, client, chat.customer).await?.ok_or(DeskError::NotFound)?;
    let recipient = customer.addresses.written_to(inbox.kind()).ok_or_else(|| {
        let said = "no address of this customer is known that this channel can write to";
        DeskError::Conflict(said.to_owned())
    })?;
    Ok(OpenChat { chat, inbox, customer, recipient })
}

struct Worded<'a> {
    draft: &'a MessageDraft,
    content: OutboundContent,
    media: Option<MediaId>,
    quoted: Option<(ChatMessageId, String)>,
    owner: String,
    counted: Option<TierCount>,
}

async fn compose<'a>(
    ctx: &Context,
    db: &mut PgConnection,
    acting: ActingUser,
    open: &OpenChat,
    draft: &'a MessageDraft,
) -> Result<Worded<'a>, DeskError> {
    let (client, chat, kind) = (acting.client, &open.chat, open.kind());
    let mut counted = None;
    let quoted = message_reference::find_quote(db, client, chat, draft.quotes.as_deref()).await?;
    let (content, media) = match &draft.what {
        DraftContent::Text(body) => (OutboundContent::Text { body: body.clone() }, None),
        DraftContent::Place(place) => (OutboundContent::Location(place.clone()), None),
        DraftContent::Reaction(reaction) => {
            let message_id = message_reference::reacted_to(db, client, chat, kind, &reaction.message_id).await?;
            (OutboundContent::Reaction(Reaction { message_id, ..reaction.clone() }), None)
        }
        DraftContent::Template(wanted) => {
            let target = AgentTemplateTarget { inbox: &open.inbox, recipient: &open.recipient };
            let filled = template::fill(ctx, db, client, target, wanted).await?;
            counted = Some(filled.counted);
            (OutboundContent::Template(filled.content), None)
        }
        DraftContent::File { url, caption } => match own_file(ctx, db, client, url).await? {
            Some(stored) => (own_media(ctx, client, kind, &stored, caption.clone())?, Some(stored.id)),
            None => (linked_media(url, caption.clone())?, None),
        },
    };
    let owner = participants::agent_names(db, client, &[acting.user]).await?.remove(&acting.user);
    Ok(Worded { draft, content, media, quoted, owner: owner.unwrap_or_else(|| "AGENT".to_owned()), counted })
}

async fn put(
    ctx: &Context,
    db: &mut PgConnection,
    acting: ActingUser,
    open: &mut OpenChat,
    worded: &Worded<'_>,
) -> Result<(ChatMessageId, Vec<(Queue, Uuid)>), DeskError> {
    let (client, kind, draft) = (acting.client, open.kind(), worded.draft);
    let (chat, customer) = (&mut open.chat, &open.customer);
    let is_answer = worded.content.is_answer();
    if is_answer {
        // An answered chat is not missed, and the messages before the answer count as read.
        (chat.missed, chat.missed_by, chat.after_hours, chat.unread) = (false, None, false, 0);
    }
    let words = TextOwner {
        content: &worded.content,
        purpose: TextPurpose::Talk,
        owner: &worded.owner,
        quotes: worded.quoted.as_ref().map(|(quoted, provider_id)| (*quoted, provider_id.as_str())),
        of_agent: AgentFields {
            agent: Some(acting.user),
            ct_id: draft.ct_id.as_deref(),
            temp_id: draft.temp_id.as_deref(),
            media: worded.media,
            content_type: matches!(draft.what, DraftContent::File { .. }).then_some(ContentType::Media),
            counted: worded.counted.as_ref(),
        },
    };
    let place = SayTarget { chat: &mut *chat, inbox: kind, customer };
    let (id, happened) = send_and_record(ctx, db, client, place, &words).await?;
    let ticket = match is_answer {
        true => ticketing::step(ctx, db, client, chat, TicketMove::AgentAnswered).await?,
        false => None,
    };
    participants::save(db, client, chat).await?;
    let order_key = event_facts::order_key(chat.inbox, customer);
    let event = |event| NewEvent { inbox: Some(chat.inbox), order_key, at: ctx.now(), event };
    let happened: Vec<NewEvent> = [happened].into_iter().chain(ticket).map(event).collect();
    Ok((id, record(ctx, db, client, &happened).await?))
}

/// Refuses a stored file that is too large for its channel. This runs before any lock, because the store may be slow.
async fn check_file_size(ctx: &Context, client: ClientId, said: &MessageDraft) -> Result<(), DeskError> {
    let DraftContent::File { url, .. } = &said.what else { return Ok(()) };
    let own = media::own(ctx, url).flatten().filter(|(owner, _)| *owner == client);
    let facts = said.channel.facts();
    let (Some(most), Some((_, id))) = (facts.file_max, own) else { return Ok(()) };
    // If the store fails, the carrier checks the size.
    let Ok(Some(file)) = ctx.media.open(client, id).await else { return Ok(()) };
    if file.bytes <= most {
        return Ok(());
    }
    let (bytes, title, mebibytes) = (file.bytes, facts.title, most >> 20);
    let wrong = format!("has {bytes} bytes; {title} carries files of {most} bytes ({mebibytes} MiB) at most");
    Err(DeskError::fault("mediaUrl", wrong))
}

async fn may_speak(
    db: &mut PgConnection,
    acting: ActingUser,
    chat: &Participant,
    said: &MessageDraft,
) -> Result<(), DeskError> {
    if chat.state == ParticipantState::Closed {
        return Err(DeskError::Conflict("the chat is closed: open it before you write".to_owned()));
    }
    if matches!(said.what, DraftContent::Template(_)) && chat.channel != Channel::Whatsapp {
        let channel = chat.channel.as_str();
        return Err(DeskError::Conflict(format!("templates are for WhatsApp, and the chat takes place on {channel}")));
    }
    if chat.channel != said.channel {
        let channel = chat.channel.as_str();
        return Err(DeskError::fault("channel", format!("is not that of the chat, which takes place on {channel}")));
    }
    own_or_free(db, acting, chat).await
}

pub(super) async fn window_open(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    kind: InboxKind,
) -> Result<(), DeskError> {
    let window = ChatWindow { chat, kind };
    match window.closed_reason(ctx, db, client, WindowWriter::Person).await? {
        None => Ok(()),
        Some(said) => Err(DeskError::Conflict(said.to_owned())),
    }
}

/// The file, if the address is one of our store. `None`: it is a link.
async fn own_file(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    url: &str,
) -> Result<Option<MediaRecord>, DeskError> {
    let Some(own) = media::own(ctx, url) else { return Ok(None) };
    let stored = match own {
        Some((owner, id)) if owner == client => stored_media::find(db, client, id).await?,
        _ => None,
    };
    let stored = stored.ok_or_else(|| DeskError::fault("mediaUrl", "is not the address of a file of yours"))?;
    Ok(Some(stored))
}

fn linked_media(url: &str, caption: Option<String>) -> Result<OutboundContent, DeskError> {
    let url = send::read_link(url).map_err(|wrong| DeskError::fault("mediaUrl", wrong))?;
    Ok(OutboundContent::Media(OutboundMedia::by_link(url.into_owned(), caption)))
}

fn own_media(
    ctx: &Context,
    client: ClientId,
    inbox: InboxKind,
    stored: &MediaRecord,
    caption: Option<String>,
) -> Result<OutboundContent, DeskError> {
    if let Some(fault) = gif::fault_of(inbox, &stored.mime_type) {
        return Err(DeskError::fault("mediaUrl", fault));
    }
    let file_type = FileType::of_mime(&stored.mime_type);
    // Types that only visitors send go out as documents, which all channels carry.
    let shown = file_type.filter(|file| most_bytes(*file).is_some()).map_or(MediaKind::Document, FileType::kind);
    let kind = shown.for_text(caption.is_some());
    let filename = (kind == MediaKind::Document).then(|| media::name_of(stored, "file"));
    let file = OutboundMedia { kind, url: media::url_for(ctx, client, stored.id), caption, filename };
    Ok(OutboundContent::Media(file))
}
