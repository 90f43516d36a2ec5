//! The event of the chatbot webhook (SPEC 6.5) for a customer who wrote.

use domain::chat::MessageContentType;
use plugin_host::webhook_shaper::{ChatbotEvent, Direction};
use uuid::Uuid;

use super::{Arrival, answers::Target};
use crate::conversation::{chatbot_event::ChatSide, words};

/// The customer wrote.
pub(super) fn incoming(id: Uuid, side: &ChatSide<'_>, arrival: &Arrival<'_>) -> ChatbotEvent {
    let answered = &arrival.answered;
    let quotes = arrival.message.quoted_provider_id.is_some();
    let quoted = answered.target.as_ref().filter(|_| quotes);
    ChatbotEvent {
        message_id: Some(arrival.id.to_string()),
        ct_id: answered.target.as_ref().and_then(|target| target.quoted.ct_id.clone()),
        message_type: Some(MessageContentType::of_inbound(&answered.content, answered.carousel).as_str().to_owned()),
        message_text: words::of_inbound(&answered.content),
        media_url: arrival.media_url.clone(),
        template_id: arrival.last_template.as_ref().map(|template| template.id.clone()),
        template_name: arrival.last_template.as_ref().map(|template| template.name.clone()),
        quoted_message_id: quoted.map(Target::id).or_else(|| arrival.message.quoted_provider_id.clone()),
        quoted_text: quoted.and_then(Target::text),
        ..side.event(id, Direction::Incoming, arrival.written_at)
    }
}
