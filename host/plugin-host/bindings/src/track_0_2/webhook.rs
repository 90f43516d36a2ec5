//! The events of webhooks of track 0.2, which are also those of track 0.1.

use wasmtime::component::{ComponentType, Lower};

use crate::{
    exports::patchbay::plugin::shaper::{
        Agent, ChatbotEvent, ChatbotSettings, Direction, IncomingMessageEvent, OtherEvent, PartnerEvent,
        SessionStatusEvent, StatusEvent, Team, WebhookEvent,
    },
    patchbay::plugin::types::{Channel, Metadata},
};

/// Name of the metadata with a channel that the event has no field for.
const CHANNEL: &str = "channel";
/// Name of the metadata with the JSON text of an event without a case.
const PAYLOAD: &str = "payload";

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(record)]
pub struct OlderIncomingMessage {
    #[component(name = "profile-name")]
    pub profile_name: Option<String>,
    #[component(name = "sender")]
    pub sender: Option<String>,
    #[component(name = "sender-user-id")]
    pub sender_user_id: Option<String>,
    #[component(name = "username")]
    pub username: Option<String>,
    #[component(name = "receiver")]
    pub receiver: String,
    #[component(name = "text")]
    pub text: Option<String>,
    #[component(name = "button-text")]
    pub button_text: Option<String>,
    #[component(name = "button-payload")]
    pub button_payload: Option<String>,
    #[component(name = "latitude")]
    pub latitude: Option<String>,
    #[component(name = "longitude")]
    pub longitude: Option<String>,
    #[component(name = "label")]
    pub label: Option<String>,
    #[component(name = "address")]
    pub address: Option<String>,
    #[component(name = "media-url")]
    pub media_url: Option<String>,
    #[component(name = "caption")]
    pub caption: Option<String>,
    #[component(name = "file-extension")]
    pub file_extension: Option<String>,
    #[component(name = "message-type")]
    pub message_type: Option<String>,
    #[component(name = "message-content-type")]
    pub message_content_type: String,
    #[component(name = "gst-id")]
    pub gst_id: Option<String>,
    #[component(name = "ct-id")]
    pub ct_id: Option<String>,
    #[component(name = "conversation-id")]
    pub conversation_id: Option<String>,
    #[component(name = "participant-id")]
    pub participant_id: Option<String>,
    #[component(name = "sent-time")]
    pub sent_time: Option<String>,
    #[component(name = "status")]
    pub status: Option<String>,
    #[component(name = "cost")]
    pub cost: Option<String>,
    #[component(name = "template-id")]
    pub template_id: Option<String>,
    #[component(name = "template-name")]
    pub template_name: Option<String>,
    #[component(name = "body-parameters")]
    pub body_parameters: Option<Metadata>,
    #[component(name = "tqrmt-id")]
    pub tqrmt_id: Option<String>,
    #[component(name = "conversation-status-code")]
    pub conversation_status_code: Option<String>,
    #[component(name = "conversation-status-message")]
    pub conversation_status_message: Option<String>,
    #[component(name = "request-id")]
    pub request_id: Option<String>,
    #[component(name = "error-code")]
    pub error_code: Option<String>,
    #[component(name = "error-code-string")]
    pub error_code_string: Option<String>,
    #[component(name = "metadata")]
    pub metadata: Metadata,
}

impl From<&IncomingMessageEvent> for OlderIncomingMessage {
    fn from(event: &IncomingMessageEvent) -> Self {
        Self {
            profile_name: event.profile_name.clone(),
            sender: event.sender.clone(),
            sender_user_id: event.sender_user_id.clone(),
            username: event.username.clone(),
            receiver: event.receiver.clone(),
            text: event.text.clone(),
            button_text: event.button_text.clone(),
            button_payload: event.button_payload.clone(),
            latitude: event.latitude.clone(),
            longitude: event.longitude.clone(),
            label: event.label.clone(),
            address: event.address.clone(),
            media_url: event.media_url.clone(),
            caption: event.caption.clone(),
            file_extension: event.file_extension.clone(),
            message_type: event.message_type.clone(),
            message_content_type: event.message_content_type.clone(),
            gst_id: event.gst_id.clone(),
            ct_id: event.ct_id.clone(),
            conversation_id: event.conversation_id.clone(),
            participant_id: event.conversation_participant_id.clone(),
            sent_time: event.sent_time.clone(),
            status: event.status.clone(),
            cost: event.cost.clone(),
            template_id: event.template_id.clone(),
            template_name: event.template_name.clone(),
            body_parameters: event.body_parameters.clone(),
            tqrmt_id: event.tqrmt_id.clone(),
            conversation_status_code: event.conversation_status_code.clone(),
            conversation_status_message: event.conversation_status_message.clone(),
            request_id: event.request_id.clone(),
            error_code: event.error_code.clone(),
            error_code_string: event.error_code_string.clone(),
            metadata: with_channel(&event.metadata, event.channel),
        }
    }
}

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(record)]
pub struct OlderStatus {
    #[component(name = "sender")]
    pub sender: String,
    #[component(name = "receiver")]
    pub receiver: Option<String>,
    #[component(name = "recipient-user-id")]
    pub recipient_user_id: Option<String>,
    #[component(name = "gst-id")]
    pub gst_id: String,
    #[component(name = "ct-id")]
    pub ct_id: Option<String>,
    #[component(name = "conversation-ct-id")]
    pub conversation_ct_id: Option<String>,
    #[component(name = "channel")]
    pub channel: Option<String>,
    #[component(name = "status")]
    pub status: String,
    #[component(name = "send-time")]
    pub send_time: Option<String>,
    #[component(name = "delivery-time")]
    pub delivery_time: Option<String>,
    #[component(name = "read-time")]
    pub read_time: Option<String>,
    #[component(name = "played-time")]
    pub played_time: Option<String>,
    #[component(name = "error-code")]
    pub error_code: Option<String>,
    #[component(name = "error-code-string")]
    pub error_code_string: Option<String>,
    #[component(name = "conversation-id")]
    pub conversation_id: Option<String>,
    #[component(name = "participant-id")]
    pub participant_id: Option<String>,
    #[component(name = "cost")]
    pub cost: Option<String>,
    #[component(name = "request-id")]
    pub request_id: Option<String>,
    #[component(name = "tqrmt-id")]
    pub tqrmt_id: Option<String>,
    #[component(name = "metadata")]
    pub metadata: Metadata,
}

impl From<&StatusEvent> for OlderStatus {
    fn from(event: &StatusEvent) -> Self {
        Self {
            sender: event.sender.clone(),
            receiver: event.receiver.clone(),
            recipient_user_id: event.recipient_user_id.clone(),
            gst_id: event.gst_id.clone(),
            ct_id: event.ct_id.clone(),
            conversation_ct_id: event.conversation_ct_id.clone(),
            channel: event.channel.clone(),
            status: event.status.clone(),
            send_time: event.send_time.clone(),
            delivery_time: event.delivery_time.clone(),
            read_time: event.read_time.clone(),
            played_time: event.played_time.clone(),
            error_code: event.error_code.clone(),
            error_code_string: event.error_code_string.clone(),
            conversation_id: event.conversation_id.clone(),
            participant_id: event.conversation_participant_id.clone(),
            cost: event.cost.clone(),
            request_id: event.request_id.clone(),
            tqrmt_id: event.tqrmt_id.clone(),
            metadata: event.metadata.clone(),
        }
    }
}

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(record)]
pub struct OlderChatbotEvent {
    #[component(name = "event-id")]
    pub event_id: String,
    #[component(name = "direction")]
    pub direction: Direction,
    #[component(name = "timestamp-ms")]
    pub timestamp_ms: u64,
    #[component(name = "chat-participant-id")]
    pub chat_participant_id: String,
    #[component(name = "conversation-status")]
    pub conversation_status: Option<String>,
    #[component(name = "conversation-closed")]
    pub conversation_closed: bool,
    #[component(name = "conversation-missed")]
    pub conversation_missed: bool,
    #[component(name = "chat-bot-conversation")]
    pub chat_bot_conversation: bool,
    #[component(name = "client-ref")]
    pub client_ref: Option<String>,
    #[component(name = "sender-msisdn")]
    pub sender_msisdn: Option<String>,
    #[component(name = "receiver-msisdn")]
    pub receiver_msisdn: Option<String>,
    #[component(name = "customer-user-id")]
    pub customer_user_id: Option<String>,
    #[component(name = "username")]
    pub username: Option<String>,
    #[component(name = "message-id")]
    pub message_id: Option<String>,
    #[component(name = "ct-id")]
    pub ct_id: Option<String>,
    #[component(name = "message-type")]
    pub message_type: Option<String>,
    #[component(name = "message-text")]
    pub message_text: Option<String>,
    #[component(name = "media-url")]
    pub media_url: Option<String>,
    #[component(name = "template-id")]
    pub template_id: Option<String>,
    #[component(name = "template-name")]
    pub template_name: Option<String>,
    #[component(name = "quoted-message-id")]
    pub quoted_message_id: Option<String>,
    #[component(name = "quoted-text")]
    pub quoted_text: Option<String>,
    #[component(name = "assigned-agent")]
    pub assigned_agent: Option<Agent>,
    #[component(name = "last-assigned-agent")]
    pub last_assigned_agent: Option<Agent>,
    #[component(name = "team")]
    pub team: Option<Team>,
    #[component(name = "routed-to-another-team")]
    pub routed_to_another_team: Option<bool>,
    #[component(name = "settings")]
    pub settings: ChatbotSettings,
    #[component(name = "metadata")]
    pub metadata: Metadata,
}

impl From<&ChatbotEvent> for OlderChatbotEvent {
    fn from(event: &ChatbotEvent) -> Self {
        Self {
            event_id: event.event_id.clone(),
            direction: event.direction,
            timestamp_ms: event.timestamp_ms,
            chat_participant_id: event.chat_participant_id.clone(),
            conversation_status: event.conversation_status.clone(),
            conversation_closed: event.conversation_closed,
            conversation_missed: event.conversation_missed,
            chat_bot_conversation: event.chat_bot_conversation,
            client_ref: event.client_ref.clone(),
            sender_msisdn: event.sender_msisdn.clone(),
            receiver_msisdn: event.receiver_msisdn.clone(),
            customer_user_id: event.customer_user_id.clone(),
            username: event.username.clone(),
            message_id: event.message_id.clone(),
            ct_id: event.ct_id.clone(),
            message_type: event.message_type.clone(),
            message_text: event.message_text.clone(),
            media_url: event.media_url.clone(),
            template_id: event.template_id.clone(),
            template_name: event.template_name.clone(),
            quoted_message_id: event.quoted_message_id.clone(),
            quoted_text: event.quoted_text.clone(),
            assigned_agent: event.assigned_agent.clone(),
            last_assigned_agent: event.last_assigned_agent.clone(),
            team: event.team.clone(),
            routed_to_another_team: event.routed_to_another_team,
            settings: event.settings.clone(),
            metadata: with_channel(&event.metadata, event.channel),
        }
    }
}

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(variant)]
pub enum OlderWebhookEvent {
    #[component(name = "incoming")]
    Incoming(OlderIncomingMessage),
    #[component(name = "status")]
    Status(OlderStatus),
    #[component(name = "session-status")]
    SessionStatus(SessionStatusEvent),
    #[component(name = "partner")]
    Partner(PartnerEvent),
    #[component(name = "chatbot")]
    Chatbot(OlderChatbotEvent),
}

impl From<&WebhookEvent> for OlderWebhookEvent {
    fn from(event: &WebhookEvent) -> Self {
        match event {
            WebhookEvent::Incoming(event) => Self::Incoming(OlderIncomingMessage::from(event)),
            WebhookEvent::Status(event) => Self::Status(OlderStatus::from(event)),
            WebhookEvent::SessionStatus(event) => Self::SessionStatus(event.clone()),
            WebhookEvent::Partner(event) => Self::Partner(event.clone()),
            WebhookEvent::Chatbot(event) => Self::Chatbot(OlderChatbotEvent::from(event)),
            WebhookEvent::Other(event) => Self::Partner(nearest(event)),
        }
    }
}

/// An event without a case becomes a partner event, whose type is an open text.
fn nearest(event: &OtherEvent) -> PartnerEvent {
    let payload = (PAYLOAD.to_owned(), event.payload.clone());
    PartnerEvent {
        event_type: event.name.clone(),
        whatsapp_number: None,
        timestamp_ms: event.timestamp_ms,
        quality_rating: None,
        messaging_limit_tier: None,
        channel_status: None,
        template_name: None,
        template_status: None,
        rejected_reason: None,
        previous_quality_score: None,
        new_quality_score: None,
        template_language: None,
        template_element: None,
        wa_id: None,
        category: None,
        preference_value: None,
        old_number: None,
        new_number: None,
        metadata: event.metadata.iter().cloned().chain([payload]).collect(),
    }
}

/// The metadata with the channel, if it is SMS. This track names no other channel.
fn with_channel(metadata: &Metadata, channel: Option<Channel>) -> Metadata {
    let name = channel.filter(|channel| *channel == Channel::Sms).map(|_| (CHANNEL.to_owned(), "SMS".to_owned()));
    metadata.iter().cloned().chain(name).collect()
}
