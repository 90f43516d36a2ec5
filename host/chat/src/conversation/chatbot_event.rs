//! What the events of a chat show (SPEC 6.5), and the event of a bot that answered.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    chat::{MessageContentType, ParticipantState},
    content::OutboundContent,
    ids::{ChatMessageId, ClientId, UserId},
};
use plugin_host::webhook_shaper::{Agent, ChatbotEvent, ChatbotSettings, Direction, Team};
use storage::{
    PgConnection,
    chat::participants::{self, Participant},
    people::customers::Customer,
};
use uuid::Uuid;

use super::words;
use base::Result;

/// What every event of a chat shows.
pub(crate) struct ChatSide<'a> {
    participant: &'a Participant,
    customer: &'a Customer,
    business_number: &'a str,
    client_ref: Option<String>,
    agents: HashMap<UserId, String>,
}

impl<'a> ChatSide<'a> {
    /// Reads the names that events show.
    pub(crate) async fn load(
        db: &mut PgConnection,
        client: ClientId,
        participant: &'a Participant,
        customer: &'a Customer,
        business_number: &'a str,
    ) -> Result<Self> {
        let client_ref = storage::tenancy::clients::get(db, client).await?.map(|client| client.client_ref);
        let ids: Vec<UserId> =
            [participant.assigned_agent, participant.last_assigned_agent].into_iter().flatten().collect();
        let agents = if ids.is_empty() { HashMap::new() } else { participants::agent_names(db, client, &ids).await? };
        Ok(Self { participant, customer, business_number, client_ref, agents })
    }

    fn agent(&self, id: Option<UserId>) -> Option<Agent> {
        let id = id?;
        Some(Agent { id: id.to_string(), name: self.agents.get(&id).cloned() })
    }

    /// An event without a message.
    pub(crate) fn event(&self, id: Uuid, direction: Direction, at: DateTime<Utc>) -> ChatbotEvent {
        let flags = self.participant.state.flags();
        let (customer, business) = (self.customer.phone.clone(), Some(self.business_number.to_owned()));
        let (sender_msisdn, receiver_msisdn) = match direction {
            Direction::Incoming => (customer, business),
            Direction::Outgoing => (business, customer),
        };
        ChatbotEvent {
            event_id: id.to_string(),
            direction,
            timestamp_ms: u64::try_from(at.timestamp_millis()).unwrap_or(0),
            chat_participant_id: self.participant.id.to_string(),
            conversation_status: Some(flags.conversation_status.to_owned()),
            conversation_closed: flags.conversation_closed,
            conversation_missed: self.participant.missed,
            chat_bot_conversation: flags.chat_bot_conversation,
            client_ref: self.client_ref.clone(),
            sender_msisdn,
            receiver_msisdn,
            customer_user_id: self.customer.bsuid.clone(),
            username: self.customer.username.clone(),
            message_id: None,
            ct_id: None,
            message_type: None,
            message_text: None,
            media_url: None,
            template_id: None,
            template_name: None,
            quoted_message_id: None,
            quoted_text: None,
            assigned_agent: self.agent(self.participant.assigned_agent),
            last_assigned_agent: self.agent(self.participant.last_assigned_agent),
            team: self.participant.team.as_ref().map(|team| Team { id: team.clone(), name: Some(team.clone()) }),
            routed_to_another_team: None,
            // The configuration that applies is found when the event is stored.
            settings: ChatbotSettings {
                payload_version: "v1".to_owned(),
                include_outgoing: false,
                stop_on_agent_assignment: false,
            },
            metadata: Vec::new(),
        }
    }
}

/// A bot's answer that has been put into the chat.
pub(crate) struct Outgoing<'a> {
    /// Its place in the chat.
    pub(crate) message: ChatMessageId,
    /// What it says.
    pub(crate) content: &'a OutboundContent,
    /// The message that it quotes.
    pub(crate) quoted: Option<ChatMessageId>,
    /// Where the chat stands with this answer.
    pub(crate) state: ParticipantState,
    /// When it was written.
    pub(crate) at: DateTime<Utc>,
}

/// The bot answered.
pub(crate) fn outgoing(id: Uuid, side: &ChatSide<'_>, answer: &Outgoing<'_>) -> ChatbotEvent {
    let flags = answer.state.flags();
    let template = match answer.content {
        OutboundContent::Template(template) => Some(template),
        _ => None,
    };
    let media_url = match answer.content {
        OutboundContent::Media(file) => Some(file.url.clone()),
        _ => None,
    };
    ChatbotEvent {
        conversation_status: Some(flags.conversation_status.to_owned()),
        conversation_closed: flags.conversation_closed,
        chat_bot_conversation: flags.chat_bot_conversation,
        message_id: Some(answer.message.to_string()),
        message_type: Some(outgoing_type(answer.content).as_str().to_owned()),
        message_text: words::of_outbound(answer.content),
        media_url,
        template_id: template.map(|template| template.id.clone()),
        template_name: template.map(|template| template.name.clone()),
        quoted_message_id: answer.quoted.map(|quoted| quoted.to_string()),
        ..side.event(id, Direction::Outgoing, answer.at)
    }
}

/// The words for what a bot sends are those for what customers send.
fn outgoing_type(content: &OutboundContent) -> MessageContentType {
    match content {
        OutboundContent::Text { .. } | OutboundContent::Template(_) => MessageContentType::Text,
        OutboundContent::Media(_) => MessageContentType::Media,
        OutboundContent::Buttons(_) | OutboundContent::List(_) => MessageContentType::Interactive,
        OutboundContent::Location(_) => MessageContentType::Location,
    }
}
