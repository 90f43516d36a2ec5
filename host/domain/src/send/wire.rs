//! The JSON of a send request (SPEC 2.3). All fields are optional, so that each missing one gets its own message. The
//! snake_case names of SPEC 9 are accepted on all endpoints.

use serde::{Deserialize, Serialize};

use crate::{
    body,
    content::{ConversationEffect, MediaKind},
};

/// Body of `POST /whatsapp-api-service/v2/messages`.
#[derive(Debug, Clone, Deserialize)]
pub struct UnifiedSend {
    pub channel: Option<String>,
    #[serde(default, deserialize_with = "body::object")]
    pub payload: Option<SendPayload>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendPayload {
    pub sender: Option<String>,
    /// `NOTIFICATION` or `CHAT`. On the conversation endpoint also `CONVERSATION`.
    #[serde(alias = "message_type")]
    pub message_type: Option<String>,
    #[serde(alias = "template_name")]
    pub template_name: Option<String>,
    #[serde(alias = "template_id")]
    pub template_id: Option<String>,
    #[serde(default, deserialize_with = "body::objects")]
    pub messages: Option<Vec<WireMessage>>,
    #[serde(default, deserialize_with = "body::object")]
    pub fallback: Option<WireFallback>,
    /// Only for SMS: forces UTF-16.
    pub unicode: Option<bool>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireMessage {
    #[serde(default, deserialize_with = "body::objects")]
    pub recipients: Option<Vec<WireRecipient>>,
    /// Another name of `recipients`.
    #[serde(default, alias = "recipient_numbers", deserialize_with = "body::objects")]
    pub recipient_numbers: Option<Vec<WireRecipient>>,
    #[serde(default, deserialize_with = "body::few_objects")]
    pub components: Option<Vec<RequestComponent>>,
    #[serde(alias = "message_text")]
    pub message_text: Option<String>,
    #[serde(default, deserialize_with = "body::object")]
    pub media: Option<WireMedia>,
    #[serde(alias = "conversation_id")]
    pub conversation_id: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireRecipient {
    pub to: Option<String>,
    #[serde(alias = "customer_user_id")]
    pub customer_user_id: Option<String>,
    #[serde(alias = "ct_id")]
    pub ct_id: Option<String>,
    /// A system tracking id of the client's choice.
    #[serde(alias = "gst_id")]
    pub gst_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WireMedia {
    pub url: Option<String>,
    pub caption: Option<String>,
    /// A kind of file or a media type. If it is absent, the link or its server decides.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub filename: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireFallback {
    #[serde(alias = "send_fallback")]
    pub send_fallback: Option<bool>,
    pub text: Option<String>,
    pub unicode: Option<bool>,
}

/// One template component of a request. All kinds share one flat type, so that a fault can name the exact field.
/// `format`, `url` and `filename` belong to a `header`, and `cards` to a `carousel`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestComponent {
    #[serde(rename = "type", deserialize_with = "body::word")]
    pub kind: ComponentKind,
    /// For `body` and `button`: the values in order. Also accepted for a text `header` with a placeholder.
    #[serde(default, deserialize_with = "body::few_texts", skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Vec<String>>,
    #[serde(default, deserialize_with = "body::optional_word", skip_serializing_if = "Option::is_none")]
    pub format: Option<HeaderFormat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// For `button`: the effects of the quick replies, in order.
    #[serde(
        default,
        alias = "conversation_parameters",
        deserialize_with = "body::few_objects",
        skip_serializing_if = "Option::is_none"
    )]
    pub conversation_parameters: Option<Vec<ConversationParameter>>,
    #[serde(default, deserialize_with = "body::few_objects", skip_serializing_if = "Option::is_none")]
    pub cards: Option<Vec<RequestCard>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentKind {
    Body,
    Header,
    Button,
    Carousel,
}

impl ComponentKind {
    pub const ALL: [Self; 4] = [Self::Body, Self::Header, Self::Button, Self::Carousel];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Header => "header",
            Self::Button => "button",
            Self::Carousel => "carousel",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum HeaderFormat {
    Document,
    Image,
    Video,
}

impl HeaderFormat {
    pub const ALL: [Self; 3] = [Self::Document, Self::Image, Self::Video];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Document => "DOCUMENT",
            Self::Image => "IMAGE",
            Self::Video => "VIDEO",
        }
    }

    pub fn media_kind(self) -> MediaKind {
        match self {
            Self::Document => MediaKind::Document,
            Self::Image => MediaKind::Image,
            Self::Video => MediaKind::Video,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationParameter {
    /// The customer's tap returns this value.
    pub payload: String,
    #[serde(
        default,
        alias = "conversation_state",
        deserialize_with = "body::optional_word",
        skip_serializing_if = "Option::is_none"
    )]
    pub conversation_state: Option<ConversationEffect>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestCard {
    #[serde(default, deserialize_with = "body::few_objects", skip_serializing_if = "Option::is_none")]
    pub components: Option<Vec<RequestComponent>>,
}
