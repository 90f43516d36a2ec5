use std::{path::Path, sync::Arc};

use plugin_host::chatbot::{
    Choice, ChoiceSource, Content, CustomEvent, Location, Media, Rating, RatingScore, Reaction,
};

use super::{content, step::StepInput};
use crate::{
    local_run::bot_message::{MEDIA, media_word},
    yaml::{self, YamlFault, YamlNode},
};

/// `folder` is that of the test file.
pub(super) fn customer(node: &YamlNode, folder: &Path) -> Result<StepInput, YamlFault> {
    if !matches!(node.value, yaml::YamlContent::Map(_)) {
        let content = Content::Text(node.text("customer")?);
        return Ok(StepInput::Content { content, quotes: None, file: None });
    }
    let known = [
        "text",
        "quotes",
        "tap",
        "button",
        "payload",
        "source",
        "location",
        "reaction",
        "contact",
        "unsupported",
        "caption",
        "image",
        "video",
        "audio",
        "voice",
        "document",
        "sticker",
        "file",
        "mime",
        "content",
        "content file",
    ];
    let fields = node.fields("customer", &known)?;
    let text = |name: &str| fields.get(name).map(|node| node.text(name)).transpose();
    if let Some(tapped) = text("tap")? {
        return Ok(StepInput::Tap(tapped));
    }
    let file: Option<Arc<[u8]>> = content::read(fields, folder)?.map(Arc::from);
    let content = if let Some(words) = text("text")? {
        Content::Text(words)
    } else if let Some(title) = text("button")? {
        let payload = text("payload")?.unwrap_or_else(|| title.clone());
        let source = fields.get("source").map_or(Ok(ChoiceSource::Template), choice_source)?;
        Content::Choice(Choice { source, text: title, payload })
    } else if let Some(place) = fields.get("location") {
        Content::Location(location(place)?)
    } else if let Some(emoji) = text("reaction")? {
        Content::Reaction(Reaction { emoji: Some(emoji), message_id: String::new() })
    } else if let Some(contact) = text("contact")? {
        Content::Contact(contact)
    } else if let Some(kind) = text("unsupported")? {
        Content::Other(kind)
    } else {
        let kind = MEDIA.into_iter().find(|kind| fields.get(media_word(*kind)).is_some());
        let kind =
            kind.ok_or_else(|| node.fault("`customer` says nothing: give a text, `tap`, `location`, `image`, .."))?;
        let url = text(media_word(kind))?.unwrap_or_default();
        let filename = url.rsplit_once('/').map(|(_, name)| name.to_owned()).filter(|name| !name.is_empty());
        let extension = url.rsplit_once('.').map(|(_, end)| end).filter(|end| end.len() <= 4 && !end.contains('/'));
        let extension = extension.map(str::to_owned);
        let (mime, caption) = (text("mime")?, text("caption")?);
        let size = file.as_ref().map(|bytes| u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        Content::Media(Media { url, mime, filename, size, extension, caption, kind })
    };
    if file.is_some() && !matches!(content, Content::Media(_)) {
        return Err(node.fault("only a file has `content`: give `image`, `document`, .. too"));
    }
    Ok(StepInput::Content { content, quotes: text("quotes")?, file })
}

fn choice_source(node: &YamlNode) -> Result<ChoiceSource, YamlFault> {
    match node.text("source")?.as_str() {
        "template" => Ok(ChoiceSource::Template),
        "interactive" => Ok(ChoiceSource::Interactive),
        "carousel" => Ok(ChoiceSource::Carousel),
        "other" => Ok(ChoiceSource::Other),
        _ => Err(node.fault("a source is template, interactive, carousel or other")),
    }
}

fn location(node: &YamlNode) -> Result<Location, YamlFault> {
    let fields = node.fields("location", &["latitude", "longitude", "name", "address"])?;
    let degrees = |name: &str| {
        let found = fields.get(name).and_then(|node| node.json().as_f64());
        found.ok_or_else(|| node.fault(format!("`location` takes a number as `{name}`")))
    };
    let text = |name: &str| fields.get(name).map(|node| node.text(name)).transpose();
    Ok(Location {
        latitude: degrees("latitude")?,
        longitude: degrees("longitude")?,
        name: text("name")?,
        address: text("address")?,
    })
}

pub(super) fn rating(node: &YamlNode) -> Result<Rating, YamlFault> {
    let score = |node: &YamlNode| match node.text("rating")?.to_ascii_lowercase().as_str() {
        "poor" => Ok(RatingScore::Poor),
        "average" => Ok(RatingScore::Average),
        "excellent" => Ok(RatingScore::Excellent),
        _ => Err(node.fault("a rating is poor, average or excellent")),
    };
    if !matches!(node.value, yaml::YamlContent::Map(_)) {
        return Ok(Rating { score: score(node)?, comment: None });
    }
    let fields = node.fields("rating", &["score", "comment"])?;
    let given = fields.get("score").ok_or_else(|| node.fault("`rating` needs a `score`"))?;
    let comment = fields.get("comment").map(|node| node.text("comment")).transpose()?;
    Ok(Rating { score: score(given)?, comment })
}

pub(super) fn custom(node: &YamlNode) -> Result<CustomEvent, YamlFault> {
    let fields = node.fields("event", &["name", "payload"])?;
    let name = fields.get("name").ok_or_else(|| node.fault("`event` needs a `name`"))?.text("name")?;
    let payload = fields.get("payload").map_or_else(|| "{}".to_owned(), |payload| payload.json().to_string());
    Ok(CustomEvent { name, payload })
}
