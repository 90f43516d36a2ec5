//! The JSON of live events (`docs/live-events.md`), with the names of SPEC 2.6 and 2.7. Null fields are left out.

use std::borrow::Cow;

use base::{Context, media};
use chrono::{DateTime, Utc};
use domain::iso_time::iso_time;
use domain::{
    channel::Channel,
    chat::{Direction, Rating},
    delivery::DeliveryState,
    event::TicketStatus,
    ids::{ChatMessageId, ClientId, NoteId, ParticipantId, UserId},
    lite::bare_id,
    live_events::LiveKind,
    referral::Referral,
};
use serde::{Serialize, Serializer};
use storage::{
    chat::{chat_viewers::ChatViewer, history::PastMessage, notes::ChatNote},
    live_events::{events::NumberedEvent, shown_facts::ShownChat},
};

use super::page_facts::PageFacts;

#[derive(Serialize)]
struct Body<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    sequence: i64,
    #[serde(serialize_with = "millis")]
    time: DateTime<Utc>,
    /// True in a sandbox, absent elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    test: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    chat: Option<Chat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ticket: Option<Ticket<'a>>,
    /// In `chat.changed` and `chat.closed`: the previous owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'static str>,
    /// In `chat.changed`: the new owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reopened: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rating: Option<Rating>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<Note<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    viewers: Option<Vec<Viewer<'a>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Note<'a> {
    id: NoteId,
    participant_id: ParticipantId,
    text: &'a str,
    author: Agent<'a>,
    mentions: Vec<Agent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    whisper_to: Option<Agent<'a>>,
    #[serde(serialize_with = "millis")]
    created_time: DateTime<Utc>,
}

#[derive(Serialize)]
struct Viewer<'a> {
    #[serde(flatten)]
    user: Agent<'a>,
    writing: bool,
}

#[derive(Serialize)]
struct Agent<'a> {
    id: UserId,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Chat<'a> {
    id: ParticipantId,
    channel: &'static str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    inbox: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone_number: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_user_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(serialize_with = "millis")]
    last_message_time: DateTime<Utc>,
    unread_count: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    assigned_to: Option<Agent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_assigned_agent: Option<Agent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    team_name: Option<&'a str>,
    conversation_closed: bool,
    missed_conversation: bool,
    after_hours_conversation: bool,
    send_rating_widget: bool,
    chat_bot_conversation: bool,
    tags: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    id: ChatMessageId,
    participant_id: ParticipantId,
    sequence_number: i64,
    direction: Direction,
    content_type: &'static str,
    channel: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_extension: Option<&'a str>,
    #[serde(serialize_with = "millis")]
    created_time: DateTime<Utc>,
    user_originated: bool,
    message_owner: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_hours: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latitude: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    longitude: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    button_payload: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reaction_to: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ct_id: Option<&'a str>,
    gst_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code_string: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    whats_app_message_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    facebook_message_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    played_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temp_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_external_message_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_message_id: Option<ChatMessageId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edited: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    referral: Option<&'a Referral>,
}

impl Message<'_> {
    /// The message as it was at a step, although it may have a later state by now.
    fn at(self, step: DeliveryState) -> Self {
        let has_played = step == DeliveryState::Played;
        let (error_code, error_code_string) =
            if step.is_failed() { (self.error_code, self.error_code_string) } else { (None, None) };
        Self {
            status: Some(step.as_str()),
            error_code,
            error_code_string,
            played: self.played.map(|_| has_played),
            played_time: self.played_time.filter(|_| has_played),
            ..self
        }
    }
}

/// A time in the form of the live-chat answers, because programs compare the two.
fn millis<S: Serializer>(at: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&iso_time(*at))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ticket<'a> {
    ticket_number: String,
    participant_id: ParticipantId,
    status: TicketStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_status: Option<TicketStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<UserId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_name: Option<&'a str>,
}

pub(super) fn text(ctx: &Context, client: ClientId, known: &PageFacts, one: &NumberedEvent) -> String {
    let shown = known.chats.get(&one.event.chat);
    let what = &one.event.what;
    let written = what.message().and_then(|message| known.messages.get(&message));
    let mut body = Body {
        kind: what.name(),
        sequence: one.sequence,
        time: one.at,
        test: shown.is_some_and(|shown| shown.is_test),
        chat: shown.map(|shown| chat(known, shown)),
        message: written.map(|written| message(ctx, client, known, shown, written)),
        ticket: None,
        from: None,
        to: None,
        reason: None,
        reopened: None,
        rating: None,
        status: None,
        note: None,
        viewers: None,
    };
    match what {
        LiveKind::MessageReceived { .. }
        | LiveKind::MessageSent { .. }
        | LiveKind::MessageEdited { .. }
        | LiveKind::MessageDeleted { .. }
        | LiveKind::ChatMissed
        | LiveKind::ChatAfterHours
        | LiveKind::ChatUpdated
        | LiveKind::CustomerTypes => {}
        LiveKind::MessageStatus { status, .. } => {
            body.status = Some(status.as_str());
            body.message = body.message.map(|message| message.at(*status));
        }
        LiveKind::ChatOpened { again } => body.reopened = Some(*again),
        LiveKind::ChatChanged { from, to, reason } => {
            body.from = Some(from.as_str());
            body.to = Some(to.as_str());
            body.reason = reason.as_deref();
        }
        LiveKind::ChatClosed { from, .. } => body.from = Some(from.as_str()),
        LiveKind::NoteWritten { note, .. } => body.note = known.notes.get(note).map(|note| self::note(known, note)),
        LiveKind::ViewersChanged => {
            let viewers = known.viewers.get(&one.event.chat).into_iter().flatten();
            let viewer = |viewer: &ChatViewer| Viewer { user: agent(known, viewer.user), writing: viewer.writes };
            body.viewers = Some(viewers.map(viewer).collect());
        }
        LiveKind::ChatRated { rating, .. } => body.rating = Some(*rating),
        LiveKind::TicketChanged { number, from, to, agent } => {
            body.ticket = Some(Ticket {
                ticket_number: number.to_string(),
                participant_id: one.event.chat,
                status: *to,
                previous_status: *from,
                agent_id: *agent,
                agent_name: agent.and_then(|agent| known.users.get(&agent)).map(|agent| agent.name.as_str()),
            });
        }
    }
    serde_json::to_string(&body).unwrap_or_default()
}

fn agent(known: &PageFacts, id: UserId) -> Agent<'_> {
    Agent { id, name: known.users.get(&id).map(|user| user.name.as_str()) }
}

fn note<'a>(known: &'a PageFacts, note: &'a ChatNote) -> Note<'a> {
    Note {
        id: note.id,
        participant_id: note.participant,
        text: &note.text,
        author: agent(known, note.author),
        mentions: note.mentions.iter().map(|user| agent(known, *user)).collect(),
        whisper_to: note.whisper_to.map(|user| agent(known, user)),
        created_time: note.created_at,
    }
}

fn chat<'a>(known: &'a PageFacts, shown: &'a ShownChat) -> Chat<'a> {
    let agent = |id: UserId| agent(known, id);
    let flags = shown.state.flags();
    let customer = shown.customer.as_ref();
    Chat {
        id: shown.id,
        channel: shown.channel.as_str(),
        state: shown.state.as_str(),
        inbox: shown.inbox_address.as_deref(),
        phone_number: customer.and_then(|known| known.phone.as_deref()),
        user_id: customer.and_then(|known| known.user_id.as_deref()),
        parent_user_id: customer.and_then(|known| known.parent_user_id.as_deref()),
        username: customer.and_then(|known| known.username.as_deref()),
        name: customer.and_then(|known| known.name.as_deref()),
        last_message_time: shown.last_message_at,
        unread_count: shown.unread,
        assigned_to: shown.agent.map(agent),
        last_assigned_agent: shown.last_agent.map(agent),
        team_name: shown.team.as_ref().map(|(_, name)| name.as_str()),
        conversation_closed: flags.conversation_closed,
        missed_conversation: shown.missed,
        after_hours_conversation: shown.after_hours,
        send_rating_widget: shown.send_rating,
        chat_bot_conversation: flags.chat_bot_conversation,
        tags: &shown.tags,
    }
}

fn message<'a>(
    ctx: &Context,
    client: ClientId,
    known: &'a PageFacts,
    shown: Option<&'a ShownChat>,
    written: &'a PastMessage,
) -> Message<'a> {
    let direction = written.content.direction();
    let said = written.content.details();
    let customer = shown.and_then(|chat| chat.customer.as_ref()).and_then(|customer| customer.reached_at());
    let business = shown.and_then(|chat| chat.inbox_address.as_deref());
    let (sender, receiver) = match direction {
        Direction::Incoming => (customer, business),
        Direction::Outgoing => (business, customer),
    };
    let failure = written.failed().and_then(|failed| known.failures.get(&failed));
    let provider_id = |of: Channel| written.provider_id.as_deref().filter(|_| written.channel == of).map(bare_id);
    let our_file = |(id, _): &(_, String)| media::url_for(ctx, client, *id);
    let quoted = written.quoted.as_ref();
    Message {
        id: written.id,
        participant_id: written.participant,
        sequence_number: written.sequence,
        direction,
        content_type: written.content_type.as_str(),
        channel: written.channel.as_str(),
        text: written.body.as_deref(),
        media_url: written.file.as_ref().map(our_file).or_else(|| said.media_url.map(str::to_owned)),
        file_extension: written.extension(),
        created_time: written.created_at,
        user_originated: direction == Direction::Incoming || written.agent.is_some(),
        message_owner: &written.owner,
        after_hours: written.after_hours.then_some(true),
        sender,
        receiver,
        latitude: said.place.map(|place| place.latitude),
        longitude: said.place.map(|place| place.longitude),
        button_payload: said.payload,
        reaction_to: said.reaction_to.map(bare_id),
        ct_id: written.ct_id.as_deref(),
        gst_id: &written.gst_id,
        status: written.state.map(|state| state.as_str()),
        error_code: failure
            .map(|failure| Cow::Borrowed(failure.code.as_str()))
            .or_else(|| said.error.map(|error| Cow::Owned(error.code.to_string()))),
        error_code_string: failure
            .and_then(|failure| failure.text.as_deref())
            .or_else(|| said.error.map(|error| error.text.as_str())),
        whats_app_message_id: provider_id(Channel::Whatsapp),
        facebook_message_id: provider_id(Channel::Facebook),
        played: written.played(),
        played_time: written.played_at.map(iso_time),
        temp_id: written.temp_id.as_deref(),
        quoted_external_message_id: written.quoted_provider_id.as_deref().map(bare_id),
        quoted_message_id: quoted.map(|(id, _)| *id),
        quoted_text: quoted.and_then(|(_, text)| text.as_deref()),
        edited: written.edited_at.map(|_| true),
        edited_time: written.edited_at.map(iso_time),
        deleted: written.deleted_at.map(|_| true),
        deleted_time: written.deleted_at.map(iso_time),
        referral: written.content.referral(),
    }
}
