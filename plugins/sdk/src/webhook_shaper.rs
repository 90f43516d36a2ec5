//! World `webhook-shaper`: the types of the interface. [`crate::json::Object`] writes bodies.

pub use crate::bindings::chatbot::patchbay::plugin::types::{Error, Metadata};
pub use crate::bindings::webhook_shaper::exports::patchbay::plugin::shaper::{
    Agent, ChatbotEvent, ChatbotSettings, Direction, Guest as WebhookShaper, IncomingMessageEvent, PartnerEvent,
    SessionStatusEvent, StatusEvent, Team, WebhookEvent,
};
