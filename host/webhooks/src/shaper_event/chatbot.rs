//! The events of the chatbot webhook (SPEC 6.5): a customer's message, an answer, an assignment.

use chrono::{DateTime, Utc};
use domain::{
    address::AddressKind,
    chat::{MessageContentType, readable_text},
    content::OutboundContent,
    event::{
        self, AnsweredMessage, AssignmentEffects, EventChat, EventCustomer, MessageCame, MessageChanged, MessageSaid,
    },
    inbound::InboundContent,
    lite::bare_id,
};
use events::{ChatbotReport, EventContext};
use plugin_host::webhook_shaper::{Agent, ChatbotEvent, ChatbotSettings, Direction, Team};

use plugin_host::unix_millis;

pub(super) fn message_event(
    came: &MessageCame,
    report: ChatbotReport,
    business: &str,
    at: DateTime<Utc>,
) -> ChatbotEvent {
    // A tap may come before the provider id of its message is known. A reaction quotes nothing.
    let is_reaction = matches!(came.content, InboundContent::Reaction { .. });
    let quoted = came.answers.as_ref().filter(|_| came.quoted_provider_id.is_some() || !is_reaction);
    ChatbotEvent {
        message_id: Some(came.message.to_string()),
        ct_id: came.answers.as_ref().and_then(|answered| answered.ct_id.clone()),
        message_type: Some(MessageContentType::of_inbound(&came.content, came.carousel).as_str().to_owned()),
        message_text: readable_text::of_inbound(&came.content),
        media_url: came.media_url.clone(),
        template_id: came.last_template.as_ref().map(|template| template.id.clone()),
        template_name: came.last_template.as_ref().map(|template| template.name.clone()),
        quoted_message_id: quoted
            .map(AnsweredMessage::id)
            .or_else(|| came.quoted_provider_id.as_deref().map(|id| bare_id(id).to_owned())),
        quoted_text: quoted.and_then(|answered| answered.text.clone()),
        metadata: came.referral.as_ref().map(|referral| referral.metadata().collect()).unwrap_or_default(),
        ..event_of_chat(&came.chat, &came.customer, report, Direction::Incoming, business, at)
    }
}

pub(super) fn change_event(
    changed: &MessageChanged,
    report: ChatbotReport,
    business: &str,
    at: DateTime<Utc>,
) -> ChatbotEvent {
    ChatbotEvent {
        message_id: Some(changed.message.to_string()),
        message_type: Some(changed.kind.as_str().to_owned()),
        message_text: changed.text.clone(),
        ..event_of_chat(&changed.chat, &changed.customer, report, Direction::Incoming, business, at)
    }
}

/// An answer of the bot or an agent. Templates and quotes are reported for replies of customers only.
pub(super) fn reply_event(
    said: &MessageSaid,
    report: ChatbotReport,
    business: &str,
    at: DateTime<Utc>,
) -> ChatbotEvent {
    let media_url = match &said.content {
        OutboundContent::Media(file) => Some(file.url.clone()),
        _ => None,
    };
    ChatbotEvent {
        message_id: Some(said.message.to_string()),
        ct_id: said.ct_id.clone(),
        message_type: Some(type_of_reply(&said.content).as_str().to_owned()),
        message_text: readable_text::of_outbound(&said.content),
        media_url,
        ..event_of_chat(&said.chat, &said.customer, report, Direction::Outgoing, business, at)
    }
}

pub(super) fn assignment_event(
    scene: &EventContext,
    assigned: AssignmentEffects,
    report: ChatbotReport,
    business: &str,
    at: DateTime<Utc>,
) -> ChatbotEvent {
    ChatbotEvent {
        routed_to_another_team: Some(assigned.to_another_team),
        ..event_of_chat(&scene.chat, &scene.customer, report, Direction::Outgoing, business, at)
    }
}

/// Messages of a bot use the type names of customers' messages.
fn type_of_reply(content: &OutboundContent) -> MessageContentType {
    match content {
        OutboundContent::Text { .. } | OutboundContent::Template(_) | OutboundContent::Sms(_) => {
            MessageContentType::Text
        }
        OutboundContent::Media(_) => MessageContentType::Media,
        OutboundContent::Buttons(_) | OutboundContent::List(_) => MessageContentType::Interactive,
        OutboundContent::Location(_) => MessageContentType::Location,
        OutboundContent::Reaction(_) => MessageContentType::Reaction,
    }
}

/// The fields that all events of a chat have. `business`: the address of the inbox. The caller sets the fields of the
/// message.
fn event_of_chat(
    chat: &EventChat,
    customer: &EventCustomer,
    report: ChatbotReport,
    direction: Direction,
    business: &str,
    at: DateTime<Utc>,
) -> ChatbotEvent {
    let flags = chat.state.flags();
    let shown = |kind| customer.address(kind).map(str::to_owned);
    let (phone, business) = (shown(AddressKind::Phone), Some(business.to_owned()));
    let (sender_msisdn, receiver_msisdn) = match direction {
        Direction::Incoming => (phone, business),
        Direction::Outgoing => (business, phone),
    };
    ChatbotEvent {
        event_id: report.event_id.to_string(),
        direction,
        timestamp_ms: unix_millis(at),
        chat_participant_id: chat.participant.to_string(),
        channel: None,
        conversation_status: Some(flags.conversation_status.to_owned()),
        conversation_closed: flags.conversation_closed,
        conversation_missed: chat.missed,
        chat_bot_conversation: flags.chat_bot_conversation,
        client_ref: chat.client_ref.clone(),
        sender_msisdn,
        receiver_msisdn,
        customer_user_id: customer.user_id().map(str::to_owned),
        username: customer.username.clone(),
        message_id: None,
        ct_id: None,
        message_type: None,
        message_text: None,
        media_url: None,
        template_id: None,
        template_name: None,
        quoted_message_id: None,
        quoted_text: None,
        assigned_agent: agent(chat.agent.as_ref()),
        last_assigned_agent: agent(chat.last_agent.as_ref()),
        team: chat.team.as_ref().map(|team| Team {
            id: chat.team_id.map_or_else(|| team.clone(), |id| id.to_string()),
            name: Some(team.clone()),
        }),
        routed_to_another_team: None,
        settings: ChatbotSettings {
            payload_version: report.payload_version.as_str().to_owned(),
            include_outgoing: report.include_outgoing,
            stop_on_agent_assignment: report.stop_on_agent_assignment,
        },
        metadata: Vec::new(),
    }
}

fn agent(agent: Option<&event::EventAgent>) -> Option<Agent> {
    let agent = agent?;
    Some(Agent { id: agent.id.to_string(), name: agent.name.clone() })
}
