//! Webhooks of a bridge: signed over the raw bytes with HMAC-SHA512 (`X-Webhook-Hmac`).

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind, LID_SERVER},
    content::{Location, MediaKind},
    file_name,
    inbound::{InboundContent, InboundMedia, InboundMessage, ProviderStatus, StatusUpdate},
    inbox::InboxKind,
};
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha512;

use super::{
    super::{BridgeCallback, CallbackRefused, DeviceEvent, REFUSED_BY_DEVICE},
    beside, stanza,
};
use crate::{
    provider_json, unmodelled,
    unreadable::{ignored, unreadable},
    whatsapp_cloud::callback::fields::{elements, instant, number, owned, text, word},
};

/// The events that are read.
const EVENTS: [&str; 6] =
    ["message", "message.any", "message.reaction", "message.ack", "message.edited", "message.revoked"];

/// Whether a header has the form of a signature: what has not need not be compared with anything.
pub fn is_signature(header: &str) -> bool {
    decoded(header).is_some()
}

fn decoded(header: &str) -> Option<[u8; 64]> {
    let mut digest = [0; 64];
    hex::decode_to_slice(header, &mut digest).ok()?;
    Some(digest)
}

/// Whether a webhook is signed with this secret.
pub(super) fn verify(callback: &BridgeCallback<'_>, secret: &str) -> Result<(), CallbackRefused> {
    let signature = callback.signature.and_then(decoded).ok_or(CallbackRefused::BadSignature)?;
    if secret.is_empty() {
        return Err(CallbackRefused::NotExpected);
    }
    let mut mac = Hmac::<Sha512>::new_from_slice(secret.as_bytes()).map_err(|_| CallbackRefused::NotExpected)?;
    mac.update(callback.body);
    mac.verify_slice(&signature).map_err(|_| CallbackRefused::BadSignature)
}

/// What a webhook tells. What is not modelled tells nothing; what cannot be read, and messages of groups, are told as that.
pub(super) fn told(body: &[u8]) -> Result<Vec<DeviceEvent>, CallbackRefused> {
    let unread = |reason: String| CallbackRefused::Unreadable(reason);
    let webhook = provider_json::read(body).map_err(|error| unread(error.to_string()))?;
    if !webhook.is_object() {
        return Err(unread("it is no object".to_owned()));
    }
    let event = text(&webhook, "event").unwrap_or_default();
    if !EVENTS.contains(&event) {
        return Ok(Vec::new());
    }
    match elements(&webhook, "payload") {
        [] => Ok(vec![cannot_read(&webhook)]),
        items => Ok(items.iter().map(|item| told_of(event, item, &webhook)).collect()),
    }
}

fn cannot_read(item: &Value) -> DeviceEvent {
    let reason = "its id, its customer or its time is missing, or has another form";
    DeviceEvent::Unreadable(unreadable(InboxKind::WhatsappLite, "event", reason, item))
}

fn left_out(kind: &str, name: &str) -> DeviceEvent {
    DeviceEvent::Ignored(ignored(InboxKind::WhatsappLite, kind, name))
}

/// What one item of a webhook tells.
fn told_of(event: &str, item: &Value, webhook: &Value) -> DeviceEvent {
    if event == "message.ack" {
        return match (receipt(item, webhook), item.get("ack")) {
            (Some(moved), _) => DeviceEvent::Moved(moved),
            (None, Some(ack)) if !is_known(item) => left_out("status value", &ack.to_string()),
            (None, _) => cannot_read(item),
        };
    }
    if beside::is_of_group(item) || (event == "message.revoked" && beside::is_revoked_of_group(item)) {
        let reason = "messages of groups are not supported";
        return DeviceEvent::Unreadable(unreadable(InboxKind::WhatsappLite, "group message", reason, item));
    }
    let told = match event {
        "message.edited" => beside::edited(item, webhook).map(|change| DeviceEvent::Changed(Box::new(change))),
        "message.revoked" => beside::revoked(item, webhook).map(|change| DeviceEvent::Changed(Box::new(change))),
        "message.reaction" => reaction(item).map(|message| DeviceEvent::Came(Box::new(message))),
        _ if is_ours(item) && beside::went_out_here(item) => Some(left_out("event", "sent by us")),
        _ if is_ours(item) => beside::echo(item).map(|echo| DeviceEvent::Echoed(Box::new(echo))),
        _ => message(item).map(|message| DeviceEvent::Came(Box::new(message))),
    };
    match told {
        Some(told) => told,
        None if is_left_out(item) => left_out("event", "not of a chat with a customer"),
        None => cannot_read(item),
    }
}

/// Whether the number itself wrote a message.
pub(super) fn is_ours(payload: &Value) -> bool {
    payload.get("fromMe").and_then(Value::as_bool) == Some(true)
}

/// Whether a message is a reaction of our own, or of a chat that is none between two people whose numbers are known.
fn is_left_out(payload: &Value) -> bool {
    let from = text(payload, "from").unwrap_or_default();
    let is_of_a_number = phone(from).is_some() || !from.contains('@');
    is_ours(payload) || !is_of_a_number
}

/// The phone number of a chat between two.
pub(super) fn phone(chat: &str) -> Option<String> {
    let (user, server) = chat.split_once('@')?;
    let number = user.split(':').next()?;
    let plain = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.is_empty();
    (plain && matches!(server, "c.us" | "s.whatsapp.net")).then(|| number.to_owned())
}

/// An id of WhatsApp's own (`@lid`) by which it may name a customer.
pub(super) fn hidden_id(chat: &str) -> Option<Address> {
    let (user, _) = chat.split_once(LID_SERVER)?;
    // A device of the customer is no customer of its own.
    let user = user.split(':').next()?;
    Address::of_kind(AddressKind::Lid, &format!("{user}{LID_SERVER}"))
}

/// The number that wrote. WhatsApp may name a customer by an id of its own; then the engine says beside it which number that is, if
/// it knows.
pub(super) fn sender(payload: &Value) -> Option<String> {
    let from = text(payload, "from")?;
    if !from.ends_with("@lid") {
        return phone(from);
    }
    const BESIDE: [&str; 3] = ["/_data/key/remoteJidAlt", "/_data/key/senderPn", "/_data/Info/SenderAlt"];
    BESIDE.iter().find_map(|place| phone(payload.pointer(place)?.as_str()?))
}

fn message(payload: &Value) -> Option<InboundMessage> {
    written(payload, content(payload))
}

fn written(payload: &Value, content: InboundContent) -> Option<InboundMessage> {
    if is_ours(payload) {
        return None;
    }
    let (from, hidden) = (sender(payload), text(payload, "from").and_then(hidden_id));
    if from.is_none() && hidden.is_none() {
        return None;
    }
    let data = payload.get("_data");
    let name = data.and_then(|data| text(data, "notifyName").or_else(|| text(data, "pushName")));
    let quoted = payload.get("replyTo").and_then(id);
    Some(InboundMessage {
        provider_id: id(payload)?,
        from,
        from_user_id: None,
        from_parent_user_id: None,
        from_address: hidden,
        profile_name: name.map(str::to_owned),
        username: None,
        sent_at: instant(payload)?,
        quoted_provider_id: quoted,
        content,
        raw: payload.clone(),
        referral: None,
    })
}

pub(super) fn content(payload: &Value) -> InboundContent {
    let body = owned(payload, "body");
    if let Some(media) = payload.get("media").and_then(|media| media_of(media, payload)) {
        return InboundContent::Media(InboundMedia { caption: body, ..media });
    }
    if let Some(place) = payload.get("location").and_then(location) {
        return InboundContent::Location(place);
    }
    if let Some(body) = body {
        return InboundContent::Text { body };
    }
    cards(payload).unwrap_or_else(|| unmodelled_of(payload))
}

/// The id of a message within its chat.
fn id(item: &Value) -> Option<String> {
    const MAX_BYTES: usize = 512;
    word(item, "id").map(|id| stanza(&id).to_owned()).filter(|id| !id.is_empty() && id.len() <= MAX_BYTES)
}

/// Contact cards: name and numbers of each, one card a line.
fn cards(payload: &Value) -> Option<InboundContent> {
    let line = |card: &Value| {
        let fields = card.as_str().unwrap_or_default().lines().filter_map(|line| line.split_once(':'));
        let of = |wanted: &str, name: &str| {
            let name = name.split(';').next().unwrap_or_default();
            name.rsplit('.').next().unwrap_or(name).eq_ignore_ascii_case(wanted)
        };
        let values = |wanted: &str| {
            let found = fields.clone().filter(|(name, _)| of(wanted, name)).map(|(_, value)| value.trim());
            found.collect::<Vec<_>>().join(", ")
        };
        [values("FN"), values("TEL")].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
    };
    let lines: Vec<String> = elements(payload, "vCards").iter().map(line).filter(|line| !line.is_empty()).collect();
    (!lines.is_empty()).then(|| InboundContent::Contact { formatted: lines.join("\n") })
}

/// What is neither words nor a file nor a place: by the engine's name of its type.
fn unmodelled_of(payload: &Value) -> InboundContent {
    let data = payload.get("_data").unwrap_or(&Value::Null);
    let has_file = payload.get("hasMedia").and_then(Value::as_bool) == Some(true);
    let named = text(data, "type").or_else(|| text(payload, "type")).filter(|kind| !matches!(*kind, "chat" | "text"));
    let kind = named.unwrap_or(if has_file { "file" } else { "unsupported" });
    let words = owned(data, "pollName").or_else(|| unmodelled::words(payload.get(kind)?));
    unmodelled::content(kind, words.map(|words| format!("{kind}: {words}")), None)
}

fn media_of(media: &Value, payload: &Value) -> Option<InboundMedia> {
    let mime = text(media, "mimetype").unwrap_or("application/octet-stream");
    let plain = mime.split(';').next().unwrap_or(mime);
    let media_kind = match plain.split('/').next() {
        Some("image") if plain == "image/webp" => MediaKind::Sticker,
        Some("image") => MediaKind::Image,
        Some("video") => MediaKind::Video,
        Some("audio") if plain == "audio/ogg" => MediaKind::Voice,
        Some("audio") => MediaKind::Audio,
        _ => MediaKind::Document,
    };
    Some(InboundMedia {
        media_kind,
        provider_media_id: id(payload)?,
        url: Some(text(media, "url")?.to_owned()),
        mime_type: plain.to_owned(),
        sha256: None,
        caption: None,
        filename: file_name::given(text(media, "filename"), plain),
    })
}

fn location(place: &Value) -> Option<Location> {
    Some(Location {
        latitude: number(place, "latitude")?,
        longitude: number(place, "longitude")?,
        name: text(place, "name").or_else(|| text(place, "description")).map(str::to_owned),
        address: text(place, "address").map(str::to_owned),
    })
}

/// An empty text takes the reaction back.
fn reaction(payload: &Value) -> Option<InboundMessage> {
    let reaction = payload.get("reaction")?;
    let message_id = word(reaction, "messageId").map(|id| stanza(&id).to_owned())?;
    written(payload, InboundContent::Reaction { message_id, emoji: text(reaction, "text").map(str::to_owned) })
}

/// How far a message has come.
fn reached(receipt: &Value) -> Option<ProviderStatus> {
    match word(receipt, "ack")?.parse::<i64>().ok()? {
        -1 => Some(ProviderStatus::Failed),
        1 => Some(ProviderStatus::Sent),
        2 => Some(ProviderStatus::Delivered),
        3 => Some(ProviderStatus::Read),
        4 => Some(ProviderStatus::Played),
        _ => None,
    }
}

fn is_known(receipt: &Value) -> bool {
    reached(receipt).is_some()
}

/// What became of a message of ours; the webhook says when, where the receipt does not.
fn receipt(payload: &Value, webhook: &Value) -> Option<StatusUpdate> {
    let status = reached(payload)?;
    let failure = domain::inbound::ProviderFailure {
        code: REFUSED_BY_DEVICE,
        text: "the device could not send the message".to_owned(),
    };
    Some(StatusUpdate {
        provider_id: id(payload)?,
        opaque: None,
        status,
        at: instant(payload).or_else(|| told_at(webhook))?,
        recipient: None,
        recipient_user_id: None,
        error: (status == ProviderStatus::Failed).then_some(failure),
    })
}

/// When a webhook was sent: milliseconds since 1970.
pub(super) fn told_at(webhook: &Value) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(word(webhook, "timestamp")?.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SECRET: &str = "secret";

    fn signed(body: &Value, secret: &str) -> Result<Vec<DeviceEvent>, CallbackRefused> {
        let body = body.to_string();
        let mut mac = Hmac::<Sha512>::new_from_slice(SECRET.as_bytes()).unwrap();
        mac.update(body.as_bytes());
        let signature = hex::encode(mac.finalize().into_bytes());
        verify(&BridgeCallback { body: body.as_bytes(), signature: Some(&signature) }, secret)?;
        told(body.as_bytes())
    }

    fn message(payload: Value) -> Option<InboundMessage> {
        let told = signed(&json!({"event": "message", "timestamp": 1, "payload": payload}), SECRET).unwrap();
        told.into_iter().next().and_then(|event| match event {
            DeviceEvent::Came(message) => Some(*message),
            DeviceEvent::Ignored(_) => None,
            other => panic!("{other:?}"),
        })
    }

    fn from_customer(more: Value) -> Value {
        let mut payload =
            json!({"id": "false_27820000001@c.us_AAAA", "timestamp": 1_760_000_000, "from": "27820000001@c.us"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    }

    #[test]
    fn what_another_secret_signed_is_refused_and_so_is_what_nobody_signed() {
        let body = json!({"event": "message", "payload": {}});
        assert_eq!(signed(&body, "another"), Err(CallbackRefused::BadSignature));
        assert_eq!(signed(&body, ""), Err(CallbackRefused::NotExpected));
        let unsigned = BridgeCallback { body: b"{}", signature: None };
        assert_eq!(verify(&unsigned, SECRET), Err(CallbackRefused::BadSignature));
    }

    #[test]
    fn a_signature_is_128_digits() {
        assert!(is_signature(&"0aB9".repeat(32)));
        for other in ["", "00", &"0".repeat(127), &"0".repeat(129), &"0".repeat(130), &"z".repeat(128)] {
            assert!(!is_signature(other), "{other:?}");
        }
    }

    #[test]
    fn a_text_a_file_a_place_and_a_quote_are_read() {
        let text =
            message(from_customer(json!({"body": "hi", "replyTo": {"id": "true_27820000001@c.us_BBBB"}}))).unwrap();
        assert_eq!((text.provider_id.as_str(), text.from.as_deref()), ("AAAA", Some("27820000001")));
        assert_eq!(text.quoted_provider_id.as_deref(), Some("BBBB"));
        assert_eq!(text.content, InboundContent::Text { body: "hi".to_owned() });
        let media = json!({"url": "http://bridge/api/files/a.oga", "mimetype": "audio/ogg; codecs=opus"});
        let file = message(from_customer(json!({"hasMedia": true, "media": media}))).unwrap();
        assert!(matches!(file.content, InboundContent::Media(file) if file.media_kind == MediaKind::Voice));
        let place = message(from_customer(json!({"location": {"latitude": "-26.1", "longitude": 28.0}}))).unwrap();
        assert!(matches!(place.content, InboundContent::Location(place) if place.latitude == -26.1));
    }

    #[test]
    fn broadcasts_and_ids_that_name_nobody_tell_nothing() {
        for from in ["status@broadcast", "abc@lid", "@lid"] {
            assert_eq!(message(from_customer(json!({"id": "AAAA", "from": from, "body": "x"}))), None, "{from}");
        }
    }

    fn told_of(event: &str, payload: Value) -> Vec<DeviceEvent> {
        signed(&json!({"event": event, "timestamp": 1_760_000_001_000_i64, "payload": payload}), SECRET).unwrap()
    }

    #[test]
    fn what_the_business_writes_on_its_phone_is_an_echo_and_what_the_bridge_sent_is_not() {
        let ours = json!({"id": "true_27820000001@c.us_3EB0", "timestamp": 1_760_000_000, "from": "27110000000@c.us",
            "to": "27820000001@c.us", "fromMe": true, "body": "hello", "source": "app"});
        for event in ["message", "message.any"] {
            let told = told_of(event, ours.clone());
            let [DeviceEvent::Echoed(echo)] = told.as_slice() else { panic!("{told:?}") };
            assert_eq!((echo.provider_id.as_str(), echo.to.value()), ("3EB0", "27820000001"));
            assert_eq!(echo.content, domain::content::OutboundContent::Text { body: "hello".to_owned() });
        }
        // An engine that names the chat as the sender, too.
        let mut of_chat = ours.clone();
        of_chat["from"] = json!("27820000001@c.us");
        of_chat["to"] = Value::Null;
        of_chat["id"] = json!("3EB0");
        assert!(matches!(told_of("message.any", of_chat).as_slice(), [DeviceEvent::Echoed(_)]));
        let mut api = ours;
        api["source"] = json!("api");
        assert!(matches!(told_of("message.any", api).as_slice(), [DeviceEvent::Ignored(_)]));
    }

    #[test]
    fn messages_in_groups_are_told_apart_whoever_wrote_them() {
        let of_group = |from_me: bool| {
            json!({"id": format!("{from_me}_1203630@g.us_3EB0_27820000001@c.us"), "timestamp": 1_760_000_000,
                "from": "1203630@g.us", "fromMe": from_me, "body": "hi all"})
        };
        for (event, payload) in [
            ("message", of_group(false)),
            ("message.any", of_group(true)),
            ("message.reaction", of_group(false)),
            ("message.revoked", json!({"after": of_group(false), "before": null})),
        ] {
            let told = told_of(event, payload);
            let [DeviceEvent::Unreadable(kept)] = told.as_slice() else { panic!("{event}: {told:?}") };
            assert_eq!(kept.kind, "group message");
        }
    }

    #[test]
    fn edits_and_deletions_name_their_message_and_their_author() {
        let edit = json!({"id": "false_27820000001@c.us_BBBB", "editedMessageId": "AAAA", "from": "27820000001@c.us",
            "timestamp": 1_760_000_000, "body": "hello"});
        let told = told_of("message.edited", edit);
        let [DeviceEvent::Changed(change)] = told.as_slice() else { panic!("{told:?}") };
        let zo = domain::address::Address::of_kind(domain::address::AddressKind::Phone, "27820000001").unwrap();
        assert_eq!((change.provider_id.as_str(), &change.by), ("AAAA", &domain::change::Author::Customer(vec![zo])));
        assert_eq!(change.at.timestamp_millis(), 1_760_000_001_000, "when it was told");
        let part = json!({"id": "true_27820000001@c.us_CCCC", "fromMe": true, "from": "27820000001@c.us",
            "timestamp": 1_760_000_000});
        for payload in [json!({"revokedMessageId": "CCCC", "after": part, "before": null}), json!({"before": part})] {
            let told = told_of("message.revoked", payload);
            let [DeviceEvent::Changed(change)] = told.as_slice() else { panic!("{told:?}") };
            assert_eq!((change.provider_id.as_str(), &change.by), ("CCCC", &domain::change::Author::Business));
            assert_eq!(change.change, domain::change::Change::Deleted);
        }
        let nothing = told_of("message.revoked", json!({"before": null, "after": null}));
        assert!(matches!(nothing.as_slice(), [DeviceEvent::Unreadable(_)]));
    }

    #[test]
    fn a_customer_whom_whatsapp_names_by_an_id_is_known_by_the_number_beside_it() {
        let beside =
            json!({"from": "123@lid", "body": "x", "_data": {"key": {"remoteJidAlt": "27820000009@s.whatsapp.net"}}});
        let both = message(from_customer(beside)).unwrap();
        assert_eq!(both.from.as_deref(), Some("27820000009"));
        assert_eq!(both.from_address.unwrap().value(), "123@lid", "so that a chat of before is joined");
    }

    #[test]
    fn a_customer_of_whom_whatsapp_names_an_id_only_wrote_all_the_same() {
        for from in ["123@lid", "123:7@lid"] {
            let hidden =
                message(from_customer(json!({"from": from, "id": "false_123@lid_AAAA", "body": "x"}))).unwrap();
            assert_eq!((hidden.from, hidden.provider_id.as_str()), (None, "AAAA"));
            assert_eq!(hidden.from_address, Address::of_kind(AddressKind::Lid, "123@lid"));
        }
    }

    #[test]
    fn receipts_are_read_and_what_is_pending_is_none() {
        let receipt = |ack: i64| {
            let payload = json!({"id": "true_27820000001@c.us_3EB01", "ack": ack, "fromMe": true});
            let body = json!({"event": "message.ack", "timestamp": 1_760_000_000_000_i64, "payload": payload});
            signed(&body, SECRET).unwrap().into_iter().next().and_then(|event| match event {
                DeviceEvent::Moved(status) => Some((status.provider_id, status.status)),
                DeviceEvent::Ignored(_) => None,
                other => panic!("{other:?}"),
            })
        };
        let of = |status| Some(("3EB01".to_owned(), status));
        assert_eq!(receipt(-1), of(ProviderStatus::Failed));
        assert_eq!(receipt(0), None);
        assert_eq!(receipt(1), of(ProviderStatus::Sent));
        assert_eq!(receipt(2), of(ProviderStatus::Delivered));
        assert_eq!(receipt(3), of(ProviderStatus::Read));
        assert_eq!(receipt(4), of(ProviderStatus::Played));
    }
    #[test]
    fn a_message_that_the_device_could_not_send_has_our_code() {
        let payload = json!({"id": "true_27820000001@c.us_3EB01", "ack": -1, "fromMe": true});
        let told = signed(&json!({"event": "message.ack", "timestamp": 1, "payload": payload}), SECRET).unwrap();
        let [DeviceEvent::Moved(status)] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!(status.error.as_ref().map(|failure| failure.code), Some(REFUSED_BY_DEVICE));
    }

    #[test]
    fn one_broken_character_loses_nothing_of_a_webhook() {
        let told = |body: &[u8]| told(body).unwrap();
        let of = |text: &str| {
            format!(
                r#"{{"event":"message","timestamp":1,"payload":{{"id":"false_27820000001@c.us_A","timestamp":"1760000000","from":"27820000001@c.us","body":"{text}","_data":{{"notifyName":"Zo\ud83d"}}}}}}"#
            )
        };
        for (written, expected) in [("a\\ud83d", "a\u{fffd}"), ("a\\u0000b", "a\u{fffd}b"), ("a\nb", "a\nb")] {
            let events = told(of(written).as_bytes());
            let [DeviceEvent::Came(message)] = events.as_slice() else { panic!("{events:?}") };
            assert_eq!(message.content, InboundContent::Text { body: expected.to_owned() }, "{written}");
            assert_eq!(message.profile_name.as_deref(), Some("Zo\u{fffd}"));
        }
    }

    #[test]
    fn an_item_that_cannot_be_read_is_kept_and_its_neighbours_are_taken() {
        let good = from_customer(json!({"body": "hi"}));
        let odd = [
            json!(7),
            json!({}),
            from_customer(json!({"id": null, "body": "x"})),
            from_customer(json!({"timestamp": "soon", "body": "x"})),
            from_customer(json!({"from": 7, "body": "x"})),
        ];
        let mut payload = vec![good.clone()];
        payload.extend(odd.iter().cloned());
        payload.push(good);
        let told = signed(&json!({"event": "message", "payload": payload}), SECRET).unwrap();
        assert!(matches!((told.first(), told.last()), (Some(DeviceEvent::Came(_)), Some(DeviceEvent::Came(_)))));
        let kept = |event: &DeviceEvent| match event {
            DeviceEvent::Unreadable(item) => Some(item.content.clone()),
            _ => None,
        };
        assert_eq!(told.iter().filter_map(kept).collect::<Vec<_>>(), odd.map(|item| item.to_string()));
        let without = signed(&json!({"event": "message"}), SECRET).unwrap();
        assert!(matches!(without.as_slice(), [DeviceEvent::Unreadable(_)]), "{without:?}");
    }

    #[test]
    fn what_is_not_modelled_is_words_and_never_empty() {
        let card = "BEGIN:VCARD\nFN:Ann\nitem1.TEL;waid=1:+27 82\nTEL:083\nEND:VCARD";
        let contact = message(from_customer(json!({"body": "", "vCards": [card]}))).unwrap();
        assert_eq!(contact.content, InboundContent::Contact { formatted: "Ann: +27 82, 083".to_owned() });
        for (more, expected) in [
            (json!({}), "unsupported message"),
            (json!({"hasMedia": true, "media": null}), "unsupported message (file)"),
            (json!({"_data": {"type": "poll_creation", "pollName": "Lunch?"}}), "poll_creation: Lunch?"),
            (json!({"_data": {"type": "order"}}), "unsupported message (order)"),
        ] {
            let InboundContent::Unmodelled(other) = message(from_customer(more.clone())).unwrap().content else {
                panic!("{more}")
            };
            assert_eq!(other.text, expected);
        }
    }

    #[test]
    fn a_receipt_of_another_kind_is_left_out_and_one_without_an_id_is_kept() {
        let told = |payload: Value| {
            signed(&json!({"event": "message.ack", "timestamp": 1, "payload": payload}), SECRET).unwrap()
        };
        for ack in [json!(0), json!(9), json!("error"), json!(null)] {
            let told = told(json!({"id": "true_1@c.us_3EB0", "ack": ack}));
            assert!(matches!(told.as_slice(), [DeviceEvent::Ignored(_)]), "{told:?}");
        }
        assert!(matches!(told(json!({"id": "true_1@c.us_3EB0", "ack": "2"})).as_slice(), [DeviceEvent::Moved(_)]));
        for payload in [json!({"ack": 2}), json!({"id": "true_1@c.us_3EB0"})] {
            let told = told(payload);
            assert!(matches!(told.as_slice(), [DeviceEvent::Unreadable(_)]), "{told:?}");
        }
    }
}
