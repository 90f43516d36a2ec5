use serde_json::Value;

use super::{errors::SimulatedGraphError, fields::FieldNode};
use crate::{mailbox::Button, media::MediaLibrary};

#[derive(Debug, Default)]
pub(crate) struct PhoneContent {
    pub(crate) text: String,
    pub(crate) buttons: Vec<Button>,
    /// Texts of the cards of a carousel.
    pub(crate) cards: Vec<String>,
}

impl PhoneContent {
    pub(crate) fn of_text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// A media object needs an http(s) link or the id of an uploaded file of a suitable type.
pub(crate) fn check_medium(
    path: &str,
    medium: FieldNode<'_>,
    kind: &str,
    media: &MediaLibrary,
) -> Result<(), SimulatedGraphError> {
    let id = medium.get("id").map(|id| match id {
        Value::String(id) => id.clone(),
        other => other.to_string(),
    });
    match (id, medium.text(path, "link", 2048)?) {
        (Some(id), None) => {
            let stored = media.get(&id).ok_or_else(|| {
                SimulatedGraphError::invalid(&format!("{path}.id"), &format!("media {id} does not exist"))
            })?;
            if kind != "document" && family(&stored.mime_type) != kind {
                return Err(SimulatedGraphError::invalid(
                    &format!("{path}.id"),
                    &format!("media {id} is {}, not {kind}", stored.mime_type),
                ));
            }
            Ok(())
        }
        (None, Some(link)) if link.starts_with("https://") || link.starts_with("http://") => Ok(()),
        (None, Some(_)) => {
            Err(SimulatedGraphError::invalid(&format!("{path}.link"), "must be a valid http or https URL"))
        }
        (None, None) => Err(SimulatedGraphError::missing(&format!("{path}.id or {path}.link"))),
        (Some(_), Some(_)) => {
            Err(SimulatedGraphError::parameter(format!("Only one of {path}['id'] and {path}['link'] may be given.")))
        }
    }
}

pub(super) fn family(mime_type: &str) -> &str {
    match mime_type {
        "image/webp" => "sticker",
        _ => mime_type.split('/').next().unwrap_or_default(),
    }
}
