//! World `webhook-shaper`: the types of the interface. [`crate::json::Object`] writes bodies.

pub use crate::bindings::chatbot::patchbay::plugin::types::{Channel, Error, Metadata};
pub use crate::bindings::webhook_shaper::exports::patchbay::plugin::shaper::{
    Agent, Body, ChatbotEvent, ChatbotSettings, Direction, Guest as WebhookShaper, IncomingMessageEvent, OtherEvent,
    PartnerEvent, SessionStatusEvent, StatusEvent, Team, WebhookEvent,
};

impl Body {
    /// This JSON text.
    pub fn json(text: impl Into<String>) -> Self {
        Self::Json(text.into())
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Json(text)
    }
}
