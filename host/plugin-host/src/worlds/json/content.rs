//! The contents of messages, shared by chatbots and routers.

use serde_json::{Map, Value};

use super::forms::{record, record_form, variant, words};
use super::{JsonObject, JsonRecord, ReadableJson};
use crate::chatbot::{
    Channel, Choice, Content, Customer, IncomingMessage, Location, Media, MediaKind, QuotedMessage, Reaction,
    TemplateReference,
};

words!(Channel { "whatsapp" => Whatsapp, "web" => Web, "facebook" => Facebook });
words!(MediaKind {
    "image" => Image, "video" => Video, "audio" => Audio, "voice" => Voice, "document" => Document,
    "sticker" => Sticker, "file" => File,
});
record!(Customer { phone, bsuid, username, name });
record!(Media { url, mime, extension, caption, kind });
record!(Location { latitude, longitude, name, address });
record!(Choice { text, payload });
record!(Reaction { emoji, message_id });
record!(QuotedMessage { id, text });
record!(TemplateReference { id, name });
variant!(Content {
    value { "text" => Text as "text", "contact" => Contact as "text", "unsupported" => Unsupported as "name" }
    record {
        "media" => Media, "location" => Location, "button" => Button, "interactive" => Interactive,
        "carousel" => Carousel, "reaction" => Reaction,
    }
});

/// `{"id", "content", "quoted"}`. A content that is text may be given as `"text": "hi"`.
impl JsonRecord for IncomingMessage {
    fn read_fields(object: &mut JsonObject<'_>, base: Option<&Self>) -> Option<Self> {
        let id = object.field("id", base.map(|base| &base.id));
        let (content, quoted) = read_words(object, base);
        Some(Self { id: id?, content: content?, quoted: quoted? })
    }

    fn write_fields(&self, into: &mut Map<String, Value>) {
        into.insert("id".into(), self.id.write());
        into.insert("content".into(), self.content.write());
        into.insert("quoted".into(), self.quoted.write());
    }
}
record_form!(IncomingMessage);

/// Reads the content of a message and the message that it quotes.
pub(super) fn read_words(
    object: &mut JsonObject<'_>,
    base: Option<&IncomingMessage>,
) -> (Option<Content>, Option<Option<QuotedMessage>>) {
    let content = match object.has("text") {
        true => object.field("text", None).map(Content::Text),
        false => object.field("content", base.map(|base| &base.content)),
    };
    (content, object.field("quoted", base.map(|base| &base.quoted)))
}
