//! Validates the content of each message type (PROVIDERS A.2) and makes the text that a person reads.

use serde_json::Value;

use super::{
    errors::GraphError,
    fields::Node,
    interactive,
    message_content::{Content, check_medium},
};
use crate::media::Media;

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

/// The type of a message. Absent means text.
pub(crate) fn kind_of(message: &Value) -> Result<&str, GraphError> {
    let kind = match message.get("type") {
        None => "text",
        Some(kind) => kind.as_str().unwrap_or_default(),
    };
    if TYPES.contains(&kind) {
        return Ok(kind);
    }
    let known = TYPES.map(str::to_uppercase).join(", ");
    Err(GraphError::parameter(format!("Param type must be one of {{{known}}} - got \"{kind}\".")))
}

/// Validates a message of any type but `template`.
pub(crate) fn validate(kind: &str, message: &Value, media: &Media) -> Result<Content, GraphError> {
    let message = Node::new(message);
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
            Ok(Content::of_text(caption.unwrap_or_default()))
        }
    }
}

fn text(message: Node<'_>) -> Result<Content, GraphError> {
    let text = message.object("", "text")?;
    let body = text.get("body").and_then(Value::as_str);
    if body.is_some_and(|body| body.chars().count() > 4096) {
        return Err(GraphError::parameter("Param text['body'] must be at most 4096 characters long."));
    }
    text.required_text("text", "body", 4096).map(Content::of_text)
}

fn location(message: Node<'_>) -> Result<Content, GraphError> {
    let location = message.object("", "location")?;
    for (field, bound) in [("latitude", 90.0), ("longitude", 180.0)] {
        let path = format!("location.{field}");
        let degrees = match location.get(field) {
            None => return Err(GraphError::missing(&path)),
            Some(Value::String(text)) => text.parse().ok(),
            Some(value) => value.as_f64(),
        };
        if !degrees.is_some_and(|degrees: f64| degrees.abs() <= bound) {
            return Err(GraphError::invalid(&path, "must be a number of degrees"));
        }
    }
    let name = location.text("location", "name", 1000)?.unwrap_or_default();
    let address = location.text("location", "address", 1000)?.unwrap_or_default();
    Ok(Content::of_text([name, address].join("\n").trim()))
}

fn contacts(message: Node<'_>) -> Result<Content, GraphError> {
    let mut names = Vec::new();
    for contact in message.array("", "contacts")? {
        let name = Node::new(contact).object("contacts", "name")?;
        names.push(name.required_text("contacts.name", "formatted_name", 1000)?);
        let parts = ["first_name", "last_name", "middle_name", "suffix", "prefix"];
        if !parts.iter().any(|part| name.get(part).is_some()) {
            return Err(GraphError::missing("contacts.name.first_name"));
        }
    }
    Ok(Content::of_text(names.join("\n")))
}

fn reaction(message: Node<'_>) -> Result<Content, GraphError> {
    let reaction = message.object("", "reaction")?;
    reaction.required_text("reaction", "message_id", 500)?;
    match reaction.get("emoji") {
        None => Err(GraphError::missing("reaction.emoji")),
        Some(Value::String(emoji)) => Ok(Content::of_text(emoji)),
        Some(_) => Err(GraphError::invalid("reaction.emoji", "must be a string")),
    }
}
