//! Validates the content of each message type (PROVIDERS A.2) and makes the text that a person reads.

use serde_json::Value;

use super::{
    errors::SimulatedGraphError,
    fields::FieldNode,
    interactive,
    message_content::{PhoneContent, check_medium},
};
use crate::media::MediaLibrary;

const TYPES: [&str; 11] = [
    "text",
    "image",
    "audio",
    "video",
    "document",
    "sticker",
    "location",
    "contacts",
    "interactive",
    "reaction",
    "template",
];

pub(crate) fn kind_of(message: &Value) -> Result<&str, SimulatedGraphError> {
    let kind = match message.get("type") {
        None => "text",
        Some(kind) => kind.as_str().unwrap_or_default(),
    };
    if TYPES.contains(&kind) {
        return Ok(kind);
    }
    let known = TYPES.map(str::to_uppercase).join(", ");
    Err(SimulatedGraphError::parameter(format!("Param type must be one of {{{known}}} - got \"{kind}\".")))
}

pub(crate) fn validate(kind: &str, message: &Value, media: &MediaLibrary) -> Result<PhoneContent, SimulatedGraphError> {
    let message = FieldNode::new(message);
    match kind {
        "text" => text(message),
        "location" => location(message),
        "contacts" => contacts(message),
        "reaction" => reaction(message),
        "interactive" => interactive::validate(message.object("", "interactive")?, media),
        _ => {
            let medium = message.object("", kind)?;
            check_medium(kind, medium, kind, media)?;
            let caption = match kind {
                "audio" | "sticker" => None,
                _ => medium.text(kind, "caption", 1024)?,
            };
            medium.text(kind, "filename", 240)?;
            Ok(PhoneContent::of_text(caption.unwrap_or_default()))
        }
    }
}

fn text(message: FieldNode<'_>) -> Result<PhoneContent, SimulatedGraphError> {
    let text = message.object("", "text")?;
    let body = text.get("body").and_then(Value::as_str);
    if body.is_some_and(|body| body.chars().count() > 4096) {
        return Err(SimulatedGraphError::parameter("Param text['body'] must be at most 4096 characters long."));
    }
    text.required_text("text", "body", 4096).map(PhoneContent::of_text)
}

fn location(message: FieldNode<'_>) -> Result<PhoneContent, SimulatedGraphError> {
    let location = message.object("", "location")?;
    for (field, bound) in [("latitude", 90.0), ("longitude", 180.0)] {
        let path = format!("location.{field}");
        let degrees = match location.get(field) {
            None => return Err(SimulatedGraphError::missing(&path)),
            Some(Value::String(text)) => text.parse().ok(),
            Some(value) => value.as_f64(),
        };
        if !degrees.is_some_and(|degrees: f64| degrees.abs() <= bound) {
            return Err(SimulatedGraphError::invalid(&path, "must be a number of degrees"));
        }
    }
    let name = location.text("location", "name", 1000)?.unwrap_or_default();
    let address = location.text("location", "address", 1000)?.unwrap_or_default();
    Ok(PhoneContent::of_text([name, address].join("\n").trim()))
}

fn contacts(message: FieldNode<'_>) -> Result<PhoneContent, SimulatedGraphError> {
    let mut names = Vec::new();
    for contact in message.array("", "contacts")? {
        let name = FieldNode::new(contact).object("contacts", "name")?;
        names.push(name.required_text("contacts.name", "formatted_name", 1000)?);
        let parts = ["first_name", "last_name", "middle_name", "suffix", "prefix"];
        if !parts.iter().any(|part| name.get(part).is_some()) {
            return Err(SimulatedGraphError::missing("contacts.name.first_name"));
        }
    }
    Ok(PhoneContent::of_text(names.join("\n")))
}

fn reaction(message: FieldNode<'_>) -> Result<PhoneContent, SimulatedGraphError> {
    let reaction = message.object("", "reaction")?;
    reaction.required_text("reaction", "message_id", 500)?;
    match reaction.get("emoji") {
        None => Err(SimulatedGraphError::missing("reaction.emoji")),
        Some(Value::String(emoji)) => Ok(PhoneContent::of_text(emoji)),
        Some(_) => Err(SimulatedGraphError::invalid("reaction.emoji", "must be a string")),
    }
}
