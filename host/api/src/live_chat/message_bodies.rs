//! A message of a chat in JSON (SPEC 2.7).

use chat::desk::MessageView;
use domain::{
    chat::{ChatContent, Direction},
    content::{Location, OutboundContent},
    delivery::DeliveryState,
    inbound::InboundContent,
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::time;

/// A message of a chat. Fields without a value are left out.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageResponse {
    /// Of the message.
    id: Uuid,
    /// The chat.
    participant_id: Uuid,
    /// Its place in the chat.
    sequence_number: i64,
    /// `INCOMING` or `OUTGOING`.
    direction: String,
    /// `TEXT`, `IMAGE`, `DOCUMENT`, `VIDEO`, `AUDIO`, `VOICE`, `FILE`, `LOCATION`, `BUTTON`, `CAROUSEL`, `RATING` or `MEDIA`.
    content_type: String,
    /// `WHATSAPP`, `WEB`, `FACEBOOK` or `SMS`.
    channel: String,
    /// What people read; of a file what stands below it, of a reaction the emoji.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// When it was written.
    #[schema(format = DateTime)]
    created_time: String,
    /// A person wrote it: the customer or an agent, and not a chatbot.
    user_originated: bool,
    /// Who wrote it: `CUSTOMER`, `BOT`, or the agent's name.
    message_owner: String,
    /// What it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<String>,
    /// What it went to.
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<String>,
    /// The client's tracking id.
    #[serde(skip_serializing_if = "Option::is_none")]
    ct_id: Option<String>,
    /// The system's tracking id, which `/messages/tracking` takes.
    gst_id: String,
    /// Where the file that came with it is, for a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_url: Option<String>,
    /// Extension of that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_extension: Option<String>,
    /// Of a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    latitude: Option<f64>,
    /// Of a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    longitude: Option<f64>,
    /// Of a tapped button: what it stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    button_payload: Option<String>,
    /// Of a reaction: WhatsApp's or Messenger's id of the message that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    reaction_to: Option<String>,
    /// WhatsApp's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    whats_app_message_id: Option<String>,
    /// Messenger's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    facebook_message_id: Option<String>,
    /// How far it has come, of an outgoing one: `QUEUED`, `ACCEPTED`, `SENT`, `DELIVERED`, `READ`, `PLAYED` or `FAILED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    /// Of one that `FAILED`: why. `/messaging-service/WhatsApp/failure-codes` says what can be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code_string: Option<String>,
    /// Of a voice note that was sent: the customer has listened to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<bool>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    played_time: Option<String>,
    /// The name that its sender gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    temp_id: Option<String>,
    /// The provider's id of the message that it quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_external_message_id: Option<String>,
    /// That message, when it is of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_message_id: Option<Uuid>,
    /// What people read of that message.
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_text: Option<String>,
}

impl From<MessageView> for MessageResponse {
    fn from(view: MessageView) -> Self {
        let MessageView { message, media_url, customer, business, failure } = view;
        let direction = message.content.direction();
        let (sender, receiver) = match direction {
            Direction::Incoming => (customer, business),
            Direction::Outgoing => (business, customer),
        };
        let said = Said::of(&message.content);
        let is_whatsapp = message.channel == domain::channel::Channel::Whatsapp;
        let provider_id = message.provider_id;
        let (quoted_message_id, quoted_text) = message.quoted.map(|(id, text)| (id.0, text)).unzip();
        let (error_code, error_code_string) = failure.map(|failure| (failure.code, failure.text)).unzip();
        let played =
            said.is_voice.then_some(message.played_at.is_some() || message.state == Some(DeliveryState::Played));
        Self {
            id: message.id.0,
            participant_id: message.participant.0,
            sequence_number: message.sequence,
            direction: direction.as_str().to_owned(),
            content_type: message.content_type.as_str().to_owned(),
            channel: message.channel.as_str().to_owned(),
            text: message.body,
            created_time: time(message.created_at),
            user_originated: direction == Direction::Incoming || message.agent.is_some(),
            message_owner: message.owner,
            sender,
            receiver,
            ct_id: message.ct_id,
            gst_id: message.gst_id,
            media_url: media_url.or(said.media_url),
            file_extension: message.file.map(|(_, extension)| extension).filter(|extension| !extension.is_empty()),
            latitude: said.place.as_ref().map(|place| place.latitude),
            longitude: said.place.as_ref().map(|place| place.longitude),
            button_payload: said.payload,
            reaction_to: said.reaction_to,
            whats_app_message_id: provider_id.clone().filter(|_| is_whatsapp),
            facebook_message_id: provider_id.filter(|_| message.channel == domain::channel::Channel::Facebook),
            status: message.state.map(|state| state.as_str().to_owned()),
            error_code,
            error_code_string: error_code_string.flatten(),
            played,
            played_time: message.played_at.map(time),
            temp_id: message.temp_id,
            quoted_external_message_id: message.quoted_provider_id,
            quoted_message_id,
            quoted_text: quoted_text.flatten(),
        }
    }
}

/// What a message says beside its text.
#[derive(Default)]
struct Said {
    media_url: Option<String>,
    place: Option<Location>,
    payload: Option<String>,
    reaction_to: Option<String>,
    is_voice: bool,
}

impl Said {
    fn of(content: &ChatContent) -> Self {
        match content {
            ChatContent::Incoming(received) => match &received.content {
                InboundContent::Location(place) => Self { place: Some(place.clone()), ..Self::default() },
                InboundContent::Button { payload, .. } | InboundContent::Interactive { payload, .. } => {
                    Self { payload: Some(payload.clone()), ..Self::default() }
                }
                InboundContent::Reaction { message_id, .. } => {
                    Self { reaction_to: Some(message_id.clone()), ..Self::default() }
                }
                InboundContent::Text { .. } | InboundContent::Media(_) | InboundContent::Contact { .. } => {
                    Self::default()
                }
            },
            ChatContent::Outgoing(content) => match content.as_ref() {
                OutboundContent::Location(place) => Self { place: Some(place.clone()), ..Self::default() },
                OutboundContent::Reaction(reaction) => {
                    Self { reaction_to: Some(reaction.message_id.clone()), ..Self::default() }
                }
                OutboundContent::Media(file) => Self {
                    media_url: Some(file.url.clone()),
                    is_voice: file.kind == domain::content::MediaKind::Voice,
                    ..Self::default()
                },
                OutboundContent::Text { .. }
                | OutboundContent::Template(_)
                | OutboundContent::Buttons(_)
                | OutboundContent::List(_)
                | OutboundContent::Sms(_) => Self::default(),
            },
        }
    }
}
