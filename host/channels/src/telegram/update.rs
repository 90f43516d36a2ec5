//! Reads updates of the Bot API. Only private chats are conversations; updates of groups and channels are counted.

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    change::{Author, ContentChange, MessageChange},
    content::{Location, MediaKind},
    ids::InboxId,
    inbound::{
        CallbackBody, CallbackItem, CallbackTarget, InboundContent, InboundMedia, InboundMessage, UnreadableKind,
    },
    inbox::InboxKind,
    referral::Referral,
};
use serde_json::Value;

use super::content::message_id;
use crate::{
    ignored_items::{ignored_item, unreadable_item},
    unknown_content,
    whatsapp_cloud::callback::fields::{list, number, owned, text},
};

/// Fields of a message that are not its content.
const FRAME: [&str; 26] = [
    "message_id",
    "message_thread_id",
    "from",
    "sender_chat",
    "sender_boost_count",
    "sender_business_bot",
    "date",
    "edit_date",
    "business_connection_id",
    "chat",
    "forward_origin",
    "is_topic_message",
    "is_automatic_forward",
    "reply_to_message",
    "external_reply",
    "quote",
    "reply_to_story",
    "via_bot",
    "has_protected_content",
    "is_from_offline",
    "media_group_id",
    "author_signature",
    "effect_id",
    "entities",
    "link_preview_options",
    "reply_markup",
];
/// Messages that Telegram makes about the chat. They are no words of the customer.
const SERVICE: [&str; 9] = [
    "pinned_message",
    "message_auto_delete_timer_changed",
    "chat_background_set",
    "write_access_allowed",
    "connected_website",
    "migrate_to_chat_id",
    "migrate_from_chat_id",
    "proximity_alert_triggered",
    "chat_set_message_auto_delete_time",
];
/// The command by which a customer opens a bot. A link may add a word.
const START: &str = "/start ";

#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) bot: &'a str,
    pub(super) inbox: InboxId,
    /// The time of taps, which have none.
    pub(super) now: DateTime<Utc>,
}

/// The id of a tap, which must be answered.
pub(super) fn tap_of(update: &Value) -> Option<&str> {
    text(update.get("callback_query")?, "id")
}

/// An update without a fact.
enum NoFact {
    /// Its kind and its name at Telegram.
    Ignored(&'static str, String),
    /// The reason. It names fields and no values.
    Malformed(&'static str),
}

type Read = Result<(String, CallbackBody), NoFact>;

impl Reader<'_> {
    pub(super) fn item(&self, update: &Value) -> CallbackItem {
        let target = CallbackTarget::Inbox(self.inbox);
        match self.read(update) {
            Ok((fact, body)) => CallbackItem { dedupe_key: format!("telegram:{}:{fact}", self.bot), target, body },
            Err(NoFact::Ignored(kind, name)) => ignored_item(target, InboxKind::Telegram, kind, &name),
            Err(NoFact::Malformed(reason)) => {
                unreadable_item(target, InboxKind::Telegram, UnreadableKind::Update, reason, update)
            }
        }
    }

    fn read(&self, update: &Value) -> Read {
        let named = |name: &str| update.get(name).filter(|value| value.is_object());
        if let Some(message) = named("message") {
            return self.message(message);
        }
        if let Some(message) = named("edited_message") {
            return self.edit(update, message);
        }
        if let Some(tap) = named("callback_query") {
            return self.tap(tap);
        }
        if let Some(reaction) = named("message_reaction") {
            return self.reaction(update, reaction);
        }
        let kind = update.as_object().and_then(|fields| fields.keys().find(|key| *key != "update_id").cloned());
        Err(NoFact::Ignored("update", kind.unwrap_or_default()))
    }

    fn message(&self, message: &Value) -> Read {
        let chat = chat_of(message)?;
        let Some((content, kind)) = content_of(message) else {
            return Err(NoFact::Ignored("message", service_of(message)));
        };
        let id = message_id(self.bot, &chat, whole(message, "message_id")?);
        let sent_at = moment(message, "date").ok_or(NoFact::Malformed("`date` is missing"))?;
        let quoted = message.pointer("/reply_to_message/message_id").and_then(Value::as_i64);
        let quoted = quoted.map(|number| message_id(self.bot, &chat, number));
        let from = message.get("from").unwrap_or(&Value::Null);
        let facts = MessageFacts { id, sent_at, chat: &chat, from, quoted, content, kind: &kind, raw: message };
        Ok(fact(InboundMessage { referral: start_of(message), ..facts.into_message()? }))
    }

    /// Two edits may have the same second, so the number of the update distinguishes them.
    fn edit(&self, update: &Value, message: &Value) -> Read {
        let chat = chat_of(message)?;
        let words = owned(message, "text").or_else(|| owned(message, "caption"));
        let has_file = content_of(message).is_some_and(|(content, _)| matches!(content, InboundContent::Media(_)));
        if words.is_none() && !has_file {
            // A live location moves by edits.
            return Err(NoFact::Ignored("edit", service_of(message)));
        }
        let provider_id = message_id(self.bot, &chat, whole(message, "message_id")?);
        let key = format!("edit:{provider_id}:{}", whole(update, "update_id")?);
        let change = MessageChange {
            provider_id,
            rest: Vec::new(),
            by: Author::Customer(vec![address_of(&chat)?]),
            at: moment(message, "edit_date").unwrap_or(self.now),
            change: ContentChange::Edited { text: words, raw: with_type(message, "text") },
        };
        Ok((key, CallbackBody::Change(Box::new(change))))
    }

    fn tap(&self, tap: &Value) -> Read {
        let (Some(id), Some(message)) = (owned(tap, "id"), tap.get("message")) else {
            return Err(NoFact::Ignored("tap", "without a message".to_owned()));
        };
        let Some(data) = owned(tap, "data") else { return Err(NoFact::Ignored("tap", "game".to_owned())) };
        let chat = chat_of(message)?;
        let sent = message_id(self.bot, &chat, whole(message, "message_id")?);
        let text = label_of(message, &data).unwrap_or_else(|| data.clone());
        let content = InboundContent::Interactive { text, payload: data };
        let from = tap.get("from").unwrap_or(&Value::Null);
        let facts = MessageFacts {
            id: format!("tap:{id}"),
            sent_at: self.now,
            chat: &chat,
            from,
            quoted: Some(sent),
            content,
            kind: "callback_query",
            raw: tap,
        };
        Ok(fact(facts.into_message()?))
    }

    /// The reactions of a customer to a message, of which the first counts.
    fn reaction(&self, update: &Value, reaction: &Value) -> Read {
        let chat = chat_of(reaction)?;
        let message_id = message_id(self.bot, &chat, whole(reaction, "message_id")?);
        let new = list(reaction, "new_reaction");
        let emoji = new.iter().find_map(|one| owned(one, "emoji"));
        if emoji.is_none() && !new.is_empty() {
            return Err(NoFact::Ignored("reaction", "custom emoji".to_owned()));
        }
        let content = InboundContent::Reaction { message_id, emoji };
        let id = format!("reaction:{}:{}", self.bot, whole(update, "update_id")?);
        let facts = MessageFacts {
            id,
            sent_at: moment(reaction, "date").unwrap_or(self.now),
            chat: &chat,
            from: reaction.get("user").unwrap_or(&Value::Null),
            quoted: None,
            content,
            kind: "message_reaction",
            raw: reaction,
        };
        Ok(fact(facts.into_message()?))
    }
}

/// The chat of a message or reaction, if it is a conversation with a customer.
fn chat_of(of: &Value) -> Result<String, NoFact> {
    let chat = of.get("chat").unwrap_or(&Value::Null);
    match text(chat, "type") {
        Some("private") => owned(chat, "id").ok_or(NoFact::Malformed("`chat.id` is missing")),
        Some(kind) => Err(NoFact::Ignored("chat type", kind.to_owned())),
        None => Err(NoFact::Malformed("`chat.type` is missing")),
    }
}

fn address_of(chat: &str) -> Result<Address, NoFact> {
    let address = Address::of_kind(AddressKind::Telegram, chat);
    address.ok_or(NoFact::Malformed("`chat.id` is no id of a private chat"))
}

fn whole(of: &Value, name: &'static str) -> Result<i64, NoFact> {
    let missing = match name {
        "update_id" => "`update_id` is missing",
        _ => "`message_id` is missing",
    };
    of.get(name).and_then(Value::as_i64).ok_or(NoFact::Malformed(missing))
}

/// The facts of a message, a tap or a reaction of a customer.
struct MessageFacts<'a> {
    id: String,
    sent_at: DateTime<Utc>,
    chat: &'a str,
    /// The user.
    from: &'a Value,
    /// The id of the quoted message.
    quoted: Option<String>,
    content: InboundContent,
    /// The type in the stored JSON.
    kind: &'a str,
    raw: &'a Value,
}

impl MessageFacts<'_> {
    fn into_message(self) -> Result<InboundMessage, NoFact> {
        let name = |name| text(self.from, name);
        let names: Vec<&str> = ["first_name", "last_name"].into_iter().filter_map(name).collect();
        Ok(InboundMessage {
            provider_id: self.id,
            from: None,
            from_user_id: None,
            from_parent_user_id: None,
            from_address: Some(address_of(self.chat)?),
            profile_name: Some(names.join(" ").trim().to_owned()).filter(|name| !name.is_empty()),
            username: owned(self.from, "username"),
            sent_at: self.sent_at,
            quoted_provider_id: self.quoted,
            content: self.content,
            raw: with_type(self.raw, self.kind),
            referral: None,
        })
    }
}

fn fact(message: InboundMessage) -> (String, CallbackBody) {
    (format!("message:{}", message.provider_id), CallbackBody::Message(Box::new(message)))
}

fn moment(of: &Value, name: &str) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(of.get(name)?.as_i64()?, 0)
}

fn with_type(value: &Value, kind: &str) -> Value {
    let mut raw = value.clone();
    if let Some(fields) = raw.as_object_mut() {
        fields.insert("type".to_owned(), kind.into());
    }
    raw
}

/// The word that a link gave to the bot: `https://t.me/bot?start=word`.
fn start_of(message: &Value) -> Option<Box<Referral>> {
    let word = text(message, "text")?.strip_prefix(START)?.trim();
    let reference = (!word.is_empty() && !word.contains(' ')).then(|| word.to_owned())?;
    let source_type = Some("LINK".to_owned());
    Referral { source_type, reference: Some(reference), ..Referral::default() }.if_any()
}

fn label_of(message: &Value, data: &str) -> Option<String> {
    let rows = list(message.get("reply_markup")?, "inline_keyboard");
    let mut buttons = rows.iter().filter_map(Value::as_array).flatten();
    owned(buttons.find(|button| text(button, "callback_data") == Some(data))?, "text")
}

/// The name of a message that is no content.
fn service_of(message: &Value) -> String {
    kind_of(message).unwrap_or("empty").to_owned()
}

fn kind_of(message: &Value) -> Option<&str> {
    let fields = message.as_object()?;
    fields.keys().map(String::as_str).find(|name| !FRAME.contains(name))
}

/// The content of a message and Telegram's name of its kind; `None` if it is no content.
fn content_of(message: &Value) -> Option<(InboundContent, String)> {
    let has = |name: &'static str| message.get(name).filter(|value| !value.is_null()).map(|value| (name, value));
    if let Some(body) = owned(message, "text") {
        return Some((InboundContent::Text { body }, "text".to_owned()));
    }
    // An animation is a document too, and a venue is a location too.
    let files = ["photo", "animation", "video", "video_note", "audio", "voice", "sticker", "document"];
    if let Some((kind, file)) = files.into_iter().find_map(has) {
        let content = match file_of(kind, file, owned(message, "caption")) {
            Some(file) => InboundContent::Media(file),
            None => unknown_content::from_json(kind, file, None),
        };
        return Some((content, kind.to_owned()));
    }
    if let Some((kind, place)) = has("venue").or_else(|| has("location")) {
        let content = place_of(kind, place).unwrap_or_else(|| unknown_content::from_json(kind, place, None));
        return Some((content, kind.to_owned()));
    }
    if let Some((kind, contact)) = has("contact") {
        let name = ["first_name", "last_name"].into_iter().filter_map(|name| text(contact, name));
        let name = name.collect::<Vec<_>>().join(" ");
        let number = owned(contact, "phone_number").unwrap_or_default();
        let lines: Vec<&str> = [name.as_str(), number.as_str()].into_iter().filter(|line| !line.is_empty()).collect();
        return Some((InboundContent::Contact { formatted: lines.join("\n") }, kind.to_owned()));
    }
    let kind = kind_of(message)?;
    if SERVICE.contains(&kind) {
        return None;
    }
    Some((unknown_content::from_json(kind, message.get(kind)?, None), kind.to_owned()))
}

fn place_of(kind: &str, place: &Value) -> Option<InboundContent> {
    let at = if kind == "venue" { place.get("location")? } else { place };
    let (latitude, longitude) = (number(at, "latitude")?, number(at, "longitude")?);
    Some(InboundContent::Location(Location {
        latitude,
        longitude,
        name: owned(place, "title"),
        address: owned(place, "address"),
    }))
}

/// A file of a customer. Of the sizes of a picture, the largest is meant.
fn file_of(kind: &str, file: &Value, caption: Option<String>) -> Option<InboundMedia> {
    let largest = |sizes: &'_ [Value]| -> Option<Value> {
        let area = |size: &Value| {
            let side = |name: &str| size.get(name).and_then(Value::as_u64).unwrap_or(0);
            side("width").saturating_mul(side("height"))
        };
        sizes.iter().max_by_key(|size| area(size)).cloned()
    };
    let file = match file {
        Value::Array(sizes) => largest(sizes)?,
        one => one.clone(),
    };
    let flag = |name: &str| file.get(name) == Some(&Value::Bool(true));
    let (media_kind, usual) = match kind {
        "photo" => (MediaKind::Image, "image/jpeg"),
        "animation" | "video" | "video_note" => (MediaKind::Video, "video/mp4"),
        "audio" => (MediaKind::Audio, "audio/mpeg"),
        "voice" => (MediaKind::Voice, "audio/ogg"),
        "sticker" if flag("is_video") => (MediaKind::Sticker, "video/webm"),
        "sticker" if flag("is_animated") => (MediaKind::Sticker, "application/x-tgsticker"),
        "sticker" => (MediaKind::Sticker, "image/webp"),
        _ => (MediaKind::Document, "application/octet-stream"),
    };
    Some(InboundMedia {
        media_kind,
        provider_media_id: owned(&file, "file_id")?,
        url: None,
        mime_type: owned(&file, "mime_type").unwrap_or_else(|| usual.to_owned()),
        sha256: None,
        caption,
        filename: owned(&file, "file_name").filter(|_| media_kind == MediaKind::Document),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(update: &Value) -> CallbackBody {
        Reader { bot: "99", inbox: InboxId(uuid::Uuid::nil()), now: DateTime::UNIX_EPOCH }.item(update).body
    }

    fn message(content: Value) -> Value {
        let mut message = json!({ "message_id": 7, "date": 1_790_000_000, "chat": { "id": 5, "type": "private" },
            "from": { "id": 5, "first_name": "Zo", "last_name": "Mbeki", "username": "zo" } });
        message.as_object_mut().unwrap().extend(content.as_object().unwrap().clone());
        json!({ "update_id": 1, "message": message })
    }

    fn content(of: Value) -> InboundContent {
        match body(&message(of)) {
            CallbackBody::Message(message) => message.content,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_text_has_its_sender_and_quotes_by_bot_chat_and_number() {
        let CallbackBody::Message(said) =
            body(&message(json!({ "text": "/start spring", "reply_to_message": { "message_id": 3 } })))
        else {
            panic!("no message")
        };
        assert_eq!((said.provider_id.as_str(), said.quoted_provider_id.as_deref()), ("99:5:7", Some("99:5:3")));
        assert_eq!((said.profile_name.as_deref(), said.username.as_deref()), (Some("Zo Mbeki"), Some("zo")));
        assert_eq!(said.from_address.as_ref().map(Address::value), Some("5"));
        assert_eq!(said.referral.unwrap().reference.as_deref(), Some("spring"));
    }

    #[test]
    fn a_file_has_its_kind_and_of_a_picture_the_largest_size() {
        let photo = json!([{ "file_id": "s", "width": 90, "height": 90 }, { "file_id": "l", "width": 800, "height": 600 },
            { "file_id": "m", "width": 320, "height": 320 }]);
        for (of, kind, id, mime_type) in [
            (json!({ "photo": photo, "caption": "x" }), MediaKind::Image, "l", "image/jpeg"),
            (
                json!({ "animation": { "file_id": "a" }, "document": { "file_id": "a" } }),
                MediaKind::Video,
                "a",
                "video/mp4",
            ),
            (json!({ "voice": { "file_id": "v", "mime_type": "audio/ogg" } }), MediaKind::Voice, "v", "audio/ogg"),
            (json!({ "sticker": { "file_id": "k", "is_video": true } }), MediaKind::Sticker, "k", "video/webm"),
            (
                json!({ "document": { "file_id": "d", "file_name": "a.pdf", "mime_type": "application/pdf" } }),
                MediaKind::Document,
                "d",
                "application/pdf",
            ),
        ] {
            let InboundContent::Media(file) = content(of.clone()) else { panic!("{of}") };
            let found = (file.media_kind, file.provider_media_id.as_str(), file.mime_type.as_str());
            assert_eq!(found, (kind, id, mime_type), "{of}");
        }
    }

    #[test]
    fn unknown_content_is_described_and_service_messages_are_counted() {
        let InboundContent::Unmodelled(poll) = content(json!({ "poll": { "question": "Tea?" } })) else { panic!() };
        assert!(poll.text.contains("Tea?"), "{}", poll.text);
        for ignored in [
            message(json!({ "pinned_message": {} })),
            json!({ "update_id": 1, "my_chat_member": {} }),
            json!({ "update_id": 1, "message": { "message_id": 1, "chat": { "id": -5, "type": "group" }, "text": "x" } }),
        ] {
            assert!(matches!(body(&ignored), CallbackBody::Ignored(_)), "{ignored}");
        }
    }

    #[test]
    fn an_update_without_its_identifiers_is_unreadable() {
        for wrong in [
            json!({ "update_id": 1, "message": { "text": "x" } }),
            json!({ "update_id": 1, "message": { "chat": { "id": 5, "type": "private" }, "text": "x" } }),
        ] {
            assert!(matches!(body(&wrong), CallbackBody::Unreadable(_)), "{wrong}");
        }
    }

    #[test]
    fn a_tap_has_the_label_of_its_button_and_quotes_its_message() {
        let keyboard = json!({ "inline_keyboard": [[{ "text": "No", "callback_data": "pb:2" }]] });
        let of = json!({ "message_id": 3, "chat": { "id": 5, "type": "private" }, "reply_markup": keyboard });
        let update = json!({ "update_id": 1,
            "callback_query": { "id": "t", "from": { "id": 5 }, "message": of, "data": "pb:2" } });
        assert_eq!(tap_of(&update), Some("t"));
        let CallbackBody::Message(tap) = body(&update) else { panic!("no tap") };
        let choice = InboundContent::Interactive { text: "No".to_owned(), payload: "pb:2".to_owned() };
        assert_eq!((tap.content, tap.quoted_provider_id.as_deref()), (choice, Some("99:5:3")));
    }

    #[test]
    fn two_edits_of_one_second_are_two_facts() {
        let edit = |update: i64| {
            let message = json!({ "message_id": 7, "edit_date": 1_790_000_001, "text": "x",
                "chat": { "id": 5, "type": "private" } });
            Reader { bot: "99", inbox: InboxId(uuid::Uuid::nil()), now: DateTime::UNIX_EPOCH }
                .item(&json!({ "update_id": update, "edited_message": message }))
                .dedupe_key
        };
        assert_eq!(edit(1), edit(1));
        assert_ne!(edit(1), edit(2));
    }
}
