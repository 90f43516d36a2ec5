//! One event: an action of a customer, a report about our messages, or a message that the page wrote elsewhere.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    chat::readable_text,
    content::OutboundContent,
    inbound::{AdvertArrival, CallbackBody, Echo, InboundContent, InboundMessage, ProviderStatus, StatusUpdate},
};
use serde_json::{Value, json};

use super::{
    attachment::{self, CallbackAttachment},
    change, referral, report,
};
use crate::{
    messenger::ids::{self, ID_MAX_BYTES},
    unknown_content,
    whatsapp_cloud::callback::fields::{instant, owned, text, word},
};

/// Prefix of our correlation strings. An echo with one is our own message.
const OURS: &str = "pb1:";

pub(super) enum EventReading {
    /// Facts, each with a key that is unique among the facts of its page.
    Facts(Vec<(String, CallbackBody)>),
    Ignored(&'static str),
    Malformed(&'static str),
}

const MALFORMED: &str = "its customer, its id or its time is missing, or has another form";

pub(super) fn read(page: &str, entry: &Value, event: &Value) -> EventReading {
    if !event.is_object() {
        return EventReading::Malformed("it is no object");
    }
    let part = |name: &str| event.get(name).filter(|part| !part.is_null());
    let facts = if let Some(message) = part("message") {
        if message.get("is_deleted").and_then(Value::as_bool) == Some(true) {
            let told = at(entry, event).zip(mid(message));
            let fact = told.and_then(|(at, mid)| change::read_deletion(page, event, at, &mid));
            return fact.map_or(EventReading::Malformed(MALFORMED), |fact| EventReading::Facts(vec![fact]));
        }
        match message.get("is_echo").and_then(Value::as_bool) {
            Some(true) => echo(entry, event, message),
            _ => message_facts(entry, event, message),
        }
    } else if let Some(postback) = part("postback") {
        postback_fact(entry, event, postback)
    } else if let Some(edit) = part("message_edit") {
        let told = at(entry, event).zip(mid(edit));
        told.and_then(|(at, mid)| change::read_edit(page, event, at, edit, &mid)).map(|fact| vec![fact])
    } else if let Some(reaction) = part("reaction") {
        reaction_fact(entry, event, reaction)
    } else if let Some(delivery) = part("delivery") {
        psid(event, "sender").and_then(|customer| report::facts(customer, delivery, ProviderStatus::Delivered, entry))
    } else if let Some(read) = part("read") {
        psid(event, "sender").and_then(|customer| report::facts(customer, read, ProviderStatus::Read, entry))
    } else if part("referral").is_some() {
        came_by(entry, event).map(|fact| vec![fact])
    } else {
        let known = ["optin", "account_linking", "pass_thread_control", "take_thread_control"];
        return EventReading::Ignored(known.into_iter().find(|name| part(name).is_some()).unwrap_or("unknown"));
    };
    facts.map_or(EventReading::Malformed(MALFORMED), EventReading::Facts)
}

/// The customer of an event: its `sender`, or for an echo its `recipient`.
fn psid(event: &Value, side: &str) -> Option<Address> {
    Address::of_kind(AddressKind::Psid, &word(event.get(side)?, "id")?)
}

fn at(entry: &Value, event: &Value) -> Option<DateTime<Utc>> {
    instant(event).or_else(|| instant(&json!({ "timestamp": entry.get("time")? })))
}

fn mid(part: &Value) -> Option<Cow<'_, str>> {
    word(part, "mid").filter(|mid| mid.len() <= ID_MAX_BYTES)
}

fn quoted_id(message: &Value) -> Option<String> {
    message.get("reply_to").and_then(mid).map(Cow::into_owned)
}

/// The facts of a message or an action of a customer.
struct MessageFacts<'a> {
    entry: &'a Value,
    event: &'a Value,
    id: String,
    /// The id of the quoted message.
    quoted: Option<String>,
    content: InboundContent,
    /// The type in the stored JSON.
    kind: &'a str,
    raw: &'a Value,
}

impl MessageFacts<'_> {
    fn into_message(self) -> Option<InboundMessage> {
        let mut raw = self.raw.clone();
        if let Some(fields) = raw.as_object_mut() {
            fields.insert("type".to_owned(), self.kind.into());
        }
        Some(InboundMessage {
            provider_id: self.id,
            from: None,
            from_user_id: None,
            from_parent_user_id: None,
            from_address: Some(psid(self.event, "sender")?),
            profile_name: None,
            username: None,
            sent_at: at(self.entry, self.event)?,
            quoted_provider_id: self.quoted,
            content: self.content,
            raw,
            referral: referral::of_event(self.event),
        })
    }
}

fn fact(message: InboundMessage) -> (String, CallbackBody) {
    (format!("message:{}", message.provider_id), CallbackBody::Message(Box::new(message)))
}

fn message_facts(entry: &Value, event: &Value, message: &Value) -> Option<Vec<(String, CallbackBody)>> {
    let id = mid(message)?.into_owned();
    let said = owned(message, "text");
    if let Some(payload) = message.get("quick_reply").and_then(|reply| owned(reply, "payload")) {
        let content = InboundContent::Interactive { text: said.unwrap_or_else(|| payload.clone()), payload };
        let quoted = quoted_id(message);
        let facts = MessageFacts { entry, event, id, quoted, content, kind: "quick_reply", raw: event };
        return Some(vec![fact(facts.into_message()?)]);
    }
    let mut contents = Vec::new();
    for (raw, one) in attachment::read_all(message) {
        match one {
            CallbackAttachment::File(file) => contents.push((InboundContent::Media(file), file_kind(raw), raw)),
            CallbackAttachment::Place(place) => contents.push((InboundContent::Location(place), "location", raw)),
            // The preview of a link whose address is in the text.
            CallbackAttachment::Link(_) if said.is_some() => {}
            CallbackAttachment::Unknown(_) if said.is_some() && text(raw, "type") == Some("fallback") => {}
            CallbackAttachment::Link(link) => contents.push((InboundContent::Text { body: link }, "text", raw)),
            CallbackAttachment::Unknown(content) => {
                contents.push((content, text(raw, "type").unwrap_or("unsupported"), raw))
            }
        }
    }
    // With one file, the text is its caption.
    let mut said = said;
    if let ([(InboundContent::Media(file), ..)], Some(caption)) = (contents.as_mut_slice(), said.as_ref()) {
        file.caption = Some(caption.clone());
        said = None;
    }
    if let Some(body) = said {
        contents.insert(0, (InboundContent::Text { body }, "text", event));
    }
    if contents.is_empty() {
        // Content that Meta does not pass on, such as a new kind of sticker.
        contents.push((unknown_content::content("unsupported", None, None), "unsupported", event));
    }
    let mut facts = Vec::with_capacity(contents.len());
    for (position, (content, kind, raw)) in contents.into_iter().enumerate() {
        let raw = if position == 0 { event } else { raw };
        let (id, quoted) = (ids::at_place(&id, position), quoted_id(message));
        let mut one = MessageFacts { entry, event, id, quoted, content, kind, raw }.into_message()?;
        if let InboundContent::Media(file) = &mut one.content {
            file.provider_media_id = one.provider_id.clone();
        }
        facts.push(fact(one));
    }
    Some(facts)
}

fn file_kind(raw: &Value) -> &'static str {
    match text(raw, "type") {
        Some("image") => "image",
        Some("video") => "video",
        Some("audio") => "audio",
        _ => "file",
    }
}

/// A tap on a button that is not a quick reply, such as that of the persistent menu.
fn postback_fact(entry: &Value, event: &Value, postback: &Value) -> Option<Vec<(String, CallbackBody)>> {
    let title = owned(postback, "title").or_else(|| owned(postback, "payload"))?;
    let payload = owned(postback, "payload").unwrap_or_else(|| title.clone());
    let id = match mid(postback) {
        Some(id) => id.into_owned(),
        None => made_id("postback", entry, event, &payload)?,
    };
    let content = InboundContent::Button { text: title, payload };
    let facts = MessageFacts { entry, event, id, quoted: None, content, kind: "postback", raw: event };
    Some(vec![fact(facts.into_message()?)])
}

fn reaction_fact(entry: &Value, event: &Value, reaction: &Value) -> Option<Vec<(String, CallbackBody)>> {
    let reacted_to = mid(reaction)?.into_owned();
    let emoji = match text(reaction, "action").unwrap_or("react") {
        "react" => Some(owned(reaction, "emoji").unwrap_or_else(|| emoji_named(text(reaction, "reaction")).to_owned())),
        "unreact" => None,
        _ => return None,
    };
    let id = made_id("reaction", entry, event, &format!("{reacted_to}:{}", emoji.as_deref().unwrap_or_default()))?;
    let content = InboundContent::Reaction { message_id: reacted_to, emoji };
    let facts = MessageFacts { entry, event, id, quoted: None, content, kind: "reaction", raw: event };
    Some(vec![fact(facts.into_message()?)])
}

/// The emoji of a reaction that has only a name.
fn emoji_named(name: Option<&str>) -> &'static str {
    match name {
        Some("love") => "❤",
        Some("smile") => "😆",
        Some("wow") => "😮",
        Some("sad") => "😢",
        Some("angry") => "😠",
        Some("dislike") => "👎",
        _ => "👍",
    }
}

/// An id for an event without an id of Meta's: the same for each repetition.
fn made_id(kind: &str, entry: &Value, event: &Value, what: &str) -> Option<String> {
    let customer = psid(event, "sender")?;
    let moment = at(entry, event)?.timestamp_millis();
    Some(ids::event_id(kind, customer.value(), moment, what))
}

fn came_by(entry: &Value, event: &Value) -> Option<(String, CallbackBody)> {
    let (from, at) = (psid(event, "sender")?, at(entry, event)?);
    let referral = *referral::of_event(event)?;
    let fact = format!("referral:{}:{}", from.value(), at.timestamp_millis());
    Some((fact, CallbackBody::Referral(Box::new(AdvertArrival { from, at, referral }))))
}

/// A message that the page sent: ours, which was then sent, or one that was written elsewhere.
fn echo(entry: &Value, event: &Value, message: &Value) -> Option<Vec<(String, CallbackBody)>> {
    let (id, to, sent_at) = (mid(message)?.into_owned(), psid(event, "recipient")?, at(entry, event)?);
    if let Some(opaque) = owned(message, "metadata").filter(|metadata| metadata.starts_with(OURS)) {
        let status = StatusUpdate {
            provider_id: id.clone(),
            opaque: Some(opaque),
            status: ProviderStatus::Sent,
            at: sent_at,
            recipient: None,
            recipient_user_id: None,
            error: None,
        };
        return Some(vec![(format!("status:{id}:sent"), CallbackBody::Status(status))]);
    }
    let mut contents: Vec<OutboundContent> = Vec::new();
    let said = owned(message, "text");
    for (raw, one) in attachment::read_all(message) {
        match one {
            CallbackAttachment::File(file) => contents.extend(attachment::as_sent(&file)),
            CallbackAttachment::Place(place) => contents.push(OutboundContent::Location(place)),
            CallbackAttachment::Link(link) if said.is_none() => contents.push(OutboundContent::Text { body: link }),
            CallbackAttachment::Link(_) => {}
            CallbackAttachment::Unknown(_) if said.is_some() && text(raw, "type") == Some("fallback") => {}
            CallbackAttachment::Unknown(content) => contents.extend(in_words(&content)),
        }
    }
    if let Some(body) = said {
        contents.insert(0, OutboundContent::Text { body });
    }
    if contents.is_empty() {
        contents.extend(in_words(&unknown_content::content("unsupported", None, None)));
    }
    let quoted = quoted_id(message);
    let facts = contents.into_iter().enumerate().map(|(position, content)| {
        let provider_id = ids::at_place(&id, position);
        let fact = format!("echo:{provider_id}");
        let quoted_provider_id = quoted.clone();
        let (also_to, file) = (None, None);
        let echo = Echo { provider_id, to: to.clone(), also_to, sent_at, quoted_provider_id, content, file };
        (fact, CallbackBody::Echo(Box::new(echo)))
    });
    Some(facts.collect())
}

fn in_words(content: &InboundContent) -> Option<OutboundContent> {
    readable_text::of_inbound(content).map(|body| OutboundContent::Text { body })
}
