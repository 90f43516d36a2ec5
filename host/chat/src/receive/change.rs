//! Edits and deletions by the author of a message. The chat shows the new text, the old text is kept, and readers get
//! an event (PROVIDERS A.8, B).

use base::{Context, Result};
use chrono::{DateTime, Utc};
use domain::iso_time::iso_time;
use domain::{
    change::{Author, ChangeKind, ContentChange, MessageChange},
    chat::{self, ChatContent, CustomEvent, ParticipantEvent, ParticipantState},
    event::{Event, MessageChanged},
    ids::{ClientId, InboxId, ParticipantEventId},
};
use events::{NewEvent, record};
use serde_json::json;
use storage::{
    PgConnection, Queue,
    chat::{
        participant_events,
        participants::{self, Participant},
        versions::{self, ChangeableMessage, DatedContent, MessageVersion},
    },
    people::{customers, inbox_customers},
};
use uuid::Uuid;

use crate::conversation::{event_facts, readable_text};

/// Applies a change inside the caller's transaction. `None` if its message is not known. A change by another author and
/// a repetition have no effect. The latest of several edits counts, in any order of arrival, and a deleted message
/// stays deleted. Returns the lanes to wake after the commit.
pub async fn change(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    change: &MessageChange,
) -> Result<Option<Vec<(Queue, Uuid)>>> {
    let Some(first) = versions::by_provider_id(db, client, &change.provider_id).await? else { return Ok(None) };
    let change = InboxChange { inbox, change };
    let mut wakes = change_one(ctx, db, client, change, first).await?;
    for provider_id in &change.change.rest {
        if let Some(other) = versions::by_provider_id(db, client, provider_id).await? {
            wakes.extend(change_one(ctx, db, client, change, other).await?);
        }
    }
    Ok(Some(wakes))
}

/// A change that arrived at an inbox.
#[derive(Clone, Copy)]
struct InboxChange<'a> {
    inbox: InboxId,
    change: &'a MessageChange,
}

async fn change_one(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    InboxChange { inbox, change }: InboxChange<'_>,
    message: ChangeableMessage,
) -> Result<Vec<(Queue, Uuid)>> {
    let Some(chat) = participants::lock(db, client, message.participant).await? else { return Ok(Vec::new()) };
    if chat.inbox != inbox || !is_author(db, client, &chat, &message, &change.by).await? {
        tracing::warn!(client.id = %client, chat.id = %chat.id, "refused a change of a message by another author");
        count("refused");
        return Ok(Vec::new());
    }
    let at = ctx.clock.at(change.at).min(ctx.now());
    let Some(now) = apply(db, client, &message, &change.change, at).await? else {
        count("outdated");
        return Ok(Vec::new());
    };
    let kind = change.change.kind();
    count(match kind {
        ChangeKind::Edited => "edited",
        ChangeKind::Deleted => "deleted",
    });
    let mut wakes = match changed_event(db, client, &chat, &now, kind).await? {
        Some(event) => record(ctx, db, client, &[event]).await?,
        None => Vec::new(),
    };
    if matches!(change.by, Author::Customer(_)) && chat.state == ParticipantState::Bot {
        let event = tell_bot(ctx, kind, &now, at);
        participant_events::append(db, client, chat.id, &[event], ctx.now()).await?;
        wakes.push((Queue::Participant, chat.id.0));
    }
    Ok(wakes)
}

fn count(taken: &'static str) {
    metrics::counter!("patchbay_message_changes_total", "taken" => taken).increment(1);
}

async fn is_author(
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    message: &ChangeableMessage,
    author: &Author,
) -> Result<bool> {
    if message.wording.content.direction() != chat::direction_of(author) {
        return Ok(false);
    }
    match author {
        Author::Business => Ok(true),
        Author::Customer(addresses) => {
            let addresses: Vec<_> = addresses.iter().collect();
            let known = inbox_customers::facts(db, client, chat.inbox, &addresses).await?;
            Ok(known.values().any(|known| known.customer == chat.customer))
        }
    }
}

/// Stores the new text and keeps the old one. `None` if the text does not change.
async fn apply(
    db: &mut PgConnection,
    client: ClientId,
    message: &ChangeableMessage,
    change: &ContentChange,
    at: DateTime<Utc>,
) -> Result<Option<ChangeableMessage>> {
    let since = message.since();
    let is_late = message.deleted_at.is_some() || message.edited_at.is_some_and(|edited| at < edited);
    match change {
        ContentChange::Deleted if message.deleted_at.is_some() => return Ok(None),
        ContentChange::Edited { .. }
            if message.edited_at == Some(at) && after(message, change).body == message.wording.body =>
        {
            return Ok(None);
        }
        ContentChange::Edited { .. } if is_late => {
            // This edit is older than the current text. It is kept as a version.
            let late = MessageVersion { wording: after(message, change), written_at: at, replaced_at: since.max(at) };
            versions::keep(db, client, message.id, &late).await?;
            return Ok(None);
        }
        ContentChange::Edited { .. } | ContentChange::Deleted => {}
    }
    let was = MessageVersion { wording: message.wording.clone(), written_at: since, replaced_at: at.max(since) };
    versions::keep(db, client, message.id, &was).await?;
    let mut now = ChangeableMessage { wording: after(message, change), ..message.clone() };
    match change {
        ContentChange::Edited { .. } => now.edited_at = Some(at),
        ContentChange::Deleted => now.deleted_at = Some(at),
    }
    versions::replace(db, client, &now).await?;
    Ok(Some(now))
}

fn after(message: &ChangeableMessage, change: &ContentChange) -> DatedContent {
    let was = &message.wording;
    let content = chat::apply_change(change, &was.content);
    let content_type = match &content {
        ChatContent::Incoming(received) => chat::ContentType::of_inbound(&received.content, false),
        ChatContent::Outgoing(sent) => chat::ContentType::of_outbound(sent),
    };
    match change {
        ContentChange::Deleted => DatedContent { content_type, body: None, content, media: None },
        ContentChange::Edited { .. } => {
            let body = match &content {
                ChatContent::Incoming(received) => readable_text::of_inbound(&received.content),
                ChatContent::Outgoing(sent) => readable_text::of_outbound(sent),
            };
            DatedContent { content_type, body, content, media: was.media }
        }
    }
}

/// `now`: the message with the change. `None`: the customer was removed.
async fn changed_event(
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    now: &ChangeableMessage,
    kind: ChangeKind,
) -> Result<Option<NewEvent>> {
    let Some(customer) = customers::find(db, client, chat.customer).await? else { return Ok(None) };
    let changed = MessageChanged {
        message: now.id,
        direction: now.wording.content.direction(),
        kind,
        text: now.wording.body.clone(),
        chat: event_facts::chat(db, client, chat).await?,
        customer: event_facts::customer(&customer),
    };
    Ok(Some(NewEvent {
        inbox: Some(chat.inbox),
        order_key: event_facts::order_key(chat.inbox, &customer),
        at: now.since(),
        event: Event::MessageChanged(Box::new(changed)),
    }))
}

/// The event for the chatbot. The interface has no case for changes, so this is a custom event (`wit/`).
fn tell_bot(
    ctx: &Context,
    kind: ChangeKind,
    now: &ChangeableMessage,
    at: DateTime<Utc>,
) -> participant_events::NewParticipantEvent {
    let at = iso_time(at);
    let payload = match kind {
        ChangeKind::Edited => json!({
            "kind": kind.as_str(), "messageId": now.id, "text": now.wording.body, "editedTime": at,
        }),
        ChangeKind::Deleted => json!({ "kind": kind.as_str(), "messageId": now.id, "deletedTime": at }),
    };
    let event = CustomEvent { name: kind.custom_event().to_owned(), payload: payload.to_string() };
    participant_events::NewParticipantEvent {
        id: ctx.mint::<ParticipantEventId>(),
        event: ParticipantEvent::Custom(event),
    }
}
