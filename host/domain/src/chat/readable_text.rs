use super::automatic_text;
use crate::{
    content::{Location, OutboundContent},
    inbound::InboundContent,
};

pub fn of_inbound(content: &InboundContent) -> Option<String> {
    let text = match content {
        InboundContent::Text { body } => body.clone(),
        InboundContent::Media(file) => file.caption.clone()?,
        InboundContent::Location(place) => place_text(place),
        InboundContent::Button { text, .. } | InboundContent::Interactive { text, .. } => text.clone(),
        InboundContent::Reaction { emoji, .. } => emoji.clone().unwrap_or_default(),
        InboundContent::Contact { formatted } => formatted.clone(),
        InboundContent::Unmodelled(other) => other.text.clone(),
    };
    Some(text)
}

pub fn of_outbound(content: &OutboundContent) -> Option<String> {
    match content {
        OutboundContent::Media(file) => file.caption.clone(),
        OutboundContent::Location(place) => Some(place_text(place)),
        OutboundContent::Text { .. }
        | OutboundContent::Sms(_)
        | OutboundContent::Reaction(_)
        | OutboundContent::Template(_)
        | OutboundContent::Buttons(_)
        | OutboundContent::List(_) => Some(automatic_text(content)),
    }
}

fn place_text(place: &Location) -> String {
    let named: Vec<&str> = [&place.name, &place.address].into_iter().flatten().map(String::as_str).collect();
    if named.is_empty() { format!("{}, {}", place.latitude, place.longitude) } else { named.join(", ") }
}
