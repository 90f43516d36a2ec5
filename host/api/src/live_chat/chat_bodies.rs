//! A chat in JSON (SPEC 2.6).

use chat::desk::{ChatView, ShownAgent, ctn};
use domain::ids::UserId;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::time;

/// A chat of a customer. Fields without a value are left out.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChatParticipantResponse {
    /// The live-chat participant: the `chatParticipantId` of webhooks.
    id: Uuid,
    /// Digits with the country code; left out when the number is withheld.
    #[serde(skip_serializing_if = "Option::is_none")]
    phone_number: Option<String>,
    /// The customer's business-scoped user id, there also without a phone number; on Messenger and the web what stands for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<String>,
    /// The user id that it belongs to, where the provider names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_user_id: Option<String>,
    /// Display-only.
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// When the last message was written.
    #[schema(format = DateTime)]
    last_message_time: String,
    /// The agent who has the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    assigned_to: Option<ChatAgent>,
    /// The agent who had it before.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_assigned_agent: Option<ChatAgent>,
    /// It is over, until somebody writes or an agent opens it.
    conversation_closed: bool,
    /// No agent answered in time.
    missed_conversation: bool,
    /// It began outside business hours, and no agent has answered.
    after_hours_conversation: bool,
    /// The customer has been asked for a rating and has not given one.
    send_rating_widget: bool,
    /// A chatbot answers.
    chat_bot_conversation: bool,
    /// Where the chat takes place: `WHATSAPP`, `WEB`, `FACEBOOK` or `SMS`.
    channel: String,
    /// What the customer wrote to: the business number, the page, the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    whats_app_number: Option<String>,
    /// The team that it waits for or belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    team_id: Option<Uuid>,
    /// The name of that team.
    #[serde(skip_serializing_if = "Option::is_none")]
    team_name: Option<String>,
    /// Why it waits for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    queued_reason: Option<String>,
    /// Messages that no agent has seen.
    unread_count: i32,
    /// What chatbots noted about the contact.
    tags: Vec<String>,
    /// The customer tracking number (CTN), which `/messages/tracking` takes.
    customer_tracking_number: String,
    /// The ticket of this episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    ticket_id: Option<Uuid>,
    /// When the first message was written.
    #[schema(format = DateTime)]
    created_time: String,
}

/// An agent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct ChatAgent {
    /// The user.
    id: Uuid,
    /// Display name.
    name: String,
    /// E-mail.
    email: String,
}

impl ChatAgent {
    fn of((id, shown): (UserId, ShownAgent)) -> Self {
        Self { id: id.0, name: shown.name, email: shown.email }
    }
}

/// The only place where a chat becomes what callers see of it.
impl From<ChatView> for ChatParticipantResponse {
    fn from(view: ChatView) -> Self {
        let ChatView { chat, customer, agent, last_agent, inbox_address } = view;
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
            last_message_time: time(chat.last_message_at),
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
            created_time: time(chat.created_at),
        }
    }
}
