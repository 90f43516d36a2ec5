//! A chat in JSON (SPEC 2.6).

use api_core::closed_set::ChannelName;
use chat::desk::{ChatView, LastMessage, ShownAgent, ctn};
use domain::iso_time::iso_time;
use domain::{chat::preview, ids::UserId};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::closed_sets::{ContentTypeName, DirectionName};

/// A chat of a customer. Fields without a value are left out.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChatParticipantResponse {
    /// The live-chat participant: the `chatParticipantId` of webhooks.
    id: Uuid,
    /// Digits with the country code. Absent if the number is withheld.
    #[serde(skip_serializing_if = "Option::is_none")]
    phone_number: Option<String>,
    /// The customer's business-scoped user id, even without a phone number. On Messenger and web chat the id of the
    /// customer there.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<String>,
    /// The parent user id, if the provider names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_user_id: Option<String>,
    /// User name, for display only.
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Time of the last message.
    #[schema(format = DateTime)]
    last_message_time: String,
    /// The last message. Reactions are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_message: Option<ChatPreview>,
    /// The agent who has the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    assigned_to: Option<ChatAgent>,
    /// The agent who had it before.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_assigned_agent: Option<ChatAgent>,
    /// `true`: the chat is closed, until the customer writes or an agent opens it.
    conversation_closed: bool,
    /// `true`: no agent answered in time.
    missed_conversation: bool,
    /// `true`: it began outside business hours, and no agent has answered.
    after_hours_conversation: bool,
    /// `true`: the customer was asked for a rating and has not given one.
    send_rating_widget: bool,
    /// `true`: a chatbot answers.
    chat_bot_conversation: bool,
    /// The channel.
    #[schema(value_type = ChannelName)]
    channel: String,
    /// The inbox: the business number, the page or the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    whats_app_number: Option<String>,
    /// The team of the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    team_id: Option<Uuid>,
    /// The name of that team.
    #[serde(skip_serializing_if = "Option::is_none")]
    team_name: Option<String>,
    /// The reason why it waits for an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    queued_reason: Option<String>,
    /// Number of messages that no agent has seen.
    unread_count: i32,
    /// Tags of this chat, set by chatbots. They stay if it is closed. Those of the contact are set by users.
    tags: Vec<String>,
    /// The customer tracking number (CTN), for `/messages/tracking`.
    customer_tracking_number: String,
    /// The ticket of this episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    ticket_id: Option<Uuid>,
    /// Time of the first message.
    #[schema(format = DateTime)]
    created_time: String,
    /// Since when the customer waits for the first answer of an agent: if a chatbot had the chat between two hand-overs, since
    /// the later one. Absent if the customer does not wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    waiting_since: Option<String>,
}

/// A message in a list of chats.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChatPreview {
    /// Id of the message.
    id: Uuid,
    /// Position in the chat.
    sequence_number: i64,
    /// From or to the customer.
    #[schema(value_type = DirectionName)]
    direction: String,
    /// The kind of content.
    #[schema(value_type = ContentTypeName)]
    content_type: String,
    /// The beginning of the text in one line, at most 160 characters. Absent if there is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// `true`: its author deleted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<bool>,
    /// Time of the message.
    #[schema(format = DateTime)]
    created_time: String,
}

impl From<LastMessage> for ChatPreview {
    fn from(last: LastMessage) -> Self {
        Self {
            id: last.id.0,
            sequence_number: last.sequence,
            direction: last.direction.as_str().to_owned(),
            content_type: last.content_type.as_str().to_owned(),
            text: last.text.as_deref().map(preview).filter(|text| !text.is_empty()),
            deleted: last.is_deleted.then_some(true),
            created_time: iso_time(last.created_at),
        }
    }
}

/// An agent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct ChatAgent {
    /// Id of the user.
    id: Uuid,
    /// Display name.
    name: String,
    /// E-mail address.
    email: String,
}

impl ChatAgent {
    fn of((id, shown): (UserId, ShownAgent)) -> Self {
        Self { id: id.0, name: shown.name, email: shown.email }
    }
}

/// The only place where a chat becomes JSON.
impl From<ChatView> for ChatParticipantResponse {
    fn from(view: ChatView) -> Self {
        let ChatView { chat, customer, agent, last_agent, inbox_address, last_message, waiting_since } = view;
        let flags = chat.state.flags();
        let (mut phone_number, mut user_id, mut parent_user_id, mut username, mut name) =
            (None, None, None, None, None);
        if let Some(customer) = customer {
            (phone_number, user_id, parent_user_id) = (customer.phone, customer.user_id, customer.parent_user_id);
            (username, name) = (customer.username, customer.name);
        }
        let (team_id, team_name) = chat.team.map(|team| (team.id.0, team.name)).unzip();
        Self {
            id: chat.id.0,
            phone_number,
            user_id,
            parent_user_id,
            username,
            name,
            last_message_time: iso_time(chat.last_message_at),
            last_message: last_message.map(ChatPreview::from),
            assigned_to: agent.map(ChatAgent::of),
            last_assigned_agent: last_agent.map(ChatAgent::of),
            conversation_closed: flags.conversation_closed,
            missed_conversation: chat.missed,
            after_hours_conversation: chat.after_hours,
            send_rating_widget: chat.send_rating,
            chat_bot_conversation: flags.chat_bot_conversation,
            channel: chat.channel.as_str().to_owned(),
            whats_app_number: inbox_address,
            team_id,
            team_name,
            queued_reason: chat.queued_reason,
            unread_count: chat.unread,
            tags: chat.tags,
            customer_tracking_number: ctn(chat.id),
            ticket_id: chat.ticket.map(|ticket| ticket.0),
            created_time: iso_time(chat.created_at),
            waiting_since: waiting_since.map(iso_time),
        }
    }
}
