//! The JSON of a send request (SPEC 2.3), as it comes: nothing is required yet, so that every missing field gets its own
//! message. Unknown fields are ignored. The snake_case alternates of the conversation endpoint (SPEC 9) are read everywhere.
//! How many messages and recipients there are has been counted before (`body::extent`).

use serde::Deserialize;

use crate::{
    body,
    content::{ConversationEffect, MediaKind},
};

/// Body of `POST /whatsapp-api-service/v2/messages`.
#[derive(Debug, Clone, Deserialize)]
pub struct UnifiedSend {
    /// `WHATSAPP` or `SMS`.
    pub channel: Option<String>,
    /// The body of the WhatsApp endpoint.
    #[serde(default, deserialize_with = "body::object")]
    pub payload: Option<SendPayload>,
}

/// Body of `POST /whatsapp-api-service/v2/channels/whatsapp`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendPayload {
    /// Business number.
    pub sender: Option<String>,
    /// `NOTIFICATION` or `CHAT`; `CONVERSATION` on the conversation endpoint.
    #[serde(alias = "message_type")]
    pub message_type: Option<String>,
    /// Name of the template.
    #[serde(alias = "template_name")]
    pub template_name: Option<String>,
    /// Its id.
    #[serde(alias = "template_id")]
    pub template_id: Option<String>,
    /// At least one.
    #[serde(default, deserialize_with = "body::objects")]
    pub messages: Option<Vec<WireMessage>>,
    /// SMS fallback.
    #[serde(default, deserialize_with = "body::object")]
    pub fallback: Option<WireFallback>,
    /// Of an SMS: force UTF-16.
    pub unicode: Option<bool>,
}

/// One element of `messages`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireMessage {
    /// The recipients.
    #[serde(default, deserialize_with = "body::objects")]
    pub recipients: Option<Vec<WireRecipient>>,
    /// The other name of `recipients`.
    #[serde(default, alias = "recipient_numbers", deserialize_with = "body::objects")]
    pub recipient_numbers: Option<Vec<WireRecipient>>,
    /// Template components.
    #[serde(default, deserialize_with = "body::few_objects")]
    pub components: Option<Vec<RequestComponent>>,
    /// Text of a `CHAT` or `CONVERSATION` message.
    #[serde(alias = "message_text")]
    pub message_text: Option<String>,
    /// Attachment of a `CHAT` message.
    #[serde(default, deserialize_with = "body::object")]
    pub media: Option<WireMedia>,
    /// Long-lived conversation.
    #[serde(alias = "conversation_id")]
    pub conversation_id: Option<String>,
}

/// One recipient entry (SPEC 2.2).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireRecipient {
    /// Phone number.
    pub to: Option<String>,
    /// BSUID.
    #[serde(alias = "customer_user_id")]
    pub customer_user_id: Option<String>,
    /// Client tracking id.
    #[serde(alias = "ct_id")]
    pub ct_id: Option<String>,
    /// System tracking id that the client brings along.
    #[serde(alias = "gst_id")]
    pub gst_id: Option<String>,
}

/// Attachment of a `CHAT` message.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WireMedia {
    /// Publicly accessible address.
    pub url: Option<String>,
    /// Text below it.
    pub caption: Option<String>,
    /// The type: a kind of file or a media type. If it is absent, the link tells it, or its server.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Name of a document.
    pub filename: Option<String>,
}

/// The `fallback` object (SPEC 2.4).
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireFallback {
    /// Turns it on.
    #[serde(alias = "send_fallback")]
    pub send_fallback: Option<bool>,
    /// Text of the SMS.
    pub text: Option<String>,
    /// Force UTF-16.
    pub unicode: Option<bool>,
}

/// One template component of a request. One flat type, so that a fault names the very field.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestComponent {
    /// The part that it fills.
    #[serde(rename = "type", deserialize_with = "body::word")]
    pub kind: ComponentKind,
    /// `body` and `button`: in order. Also accepted on `header`, for a text header with a placeholder.
    #[serde(default, deserialize_with = "body::few_texts")]
    pub parameters: Option<Vec<String>>,
    /// `header`: the kind of file.
    #[serde(default, deserialize_with = "body::optional_word")]
    pub format: Option<HeaderFormat>,
    /// `header`: publicly accessible address.
    pub url: Option<String>,
    /// `header`: name of a document.
    pub filename: Option<String>,
    /// `button`: the effects of the quick replies, in order.
    #[serde(default, alias = "conversation_parameters", deserialize_with = "body::few_objects")]
    pub conversation_parameters: Option<Vec<ConversationParameter>>,
    /// `carousel`: one entry per card.
    #[serde(default, deserialize_with = "body::few_objects")]
    pub cards: Option<Vec<RequestCard>>,
}

/// `type` of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentKind {
    /// Fills the body's placeholders.
    Body,
    /// Gives the header's file.
    Header,
    /// Fills the buttons.
    Button,
    /// Fills the cards.
    Carousel,
}

impl ComponentKind {
    /// Its `type`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Header => "header",
            Self::Button => "button",
            Self::Carousel => "carousel",
        }
    }
}

/// `format` of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum HeaderFormat {
    /// Any file.
    Document,
    /// A picture.
    Image,
    /// A film.
    Video,
}

impl HeaderFormat {
    /// The kind of file that it asks for.
    pub fn media_kind(self) -> MediaKind {
        match self {
            Self::Document => MediaKind::Document,
            Self::Image => MediaKind::Image,
            Self::Video => MediaKind::Video,
        }
    }
}

/// The effect of a tap on a quick reply.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationParameter {
    /// Sent back on a tap.
    pub payload: String,
    /// Keeps the conversation open, or closes it.
    #[serde(default, alias = "conversation_state", deserialize_with = "body::optional_word")]
    pub conversation_state: Option<ConversationEffect>,
}

/// One card of a `carousel` component.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RequestCard {
    /// Header, body and button components.
    #[serde(default, deserialize_with = "body::few_objects")]
    pub components: Option<Vec<RequestComponent>>,
}
