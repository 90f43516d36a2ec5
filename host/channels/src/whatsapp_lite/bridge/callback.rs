//! Webhooks of a bridge: signed over the raw bytes with HMAC-SHA512 (`X-Webhook-Hmac`).

use chrono::{DateTime, Utc};
use domain::{
    content::{Location, MediaKind},
    file_name,
    inbound::{InboundContent, InboundMedia, InboundMessage, ProviderStatus, StatusUpdate},
};
use hmac::{Hmac, Mac};
use serde::Deserialize;
use serde_json::Value;
use sha2::Sha512;

use super::{
    super::{BridgeCallback, CallbackRefused, DeviceEvent, REFUSED_BY_DEVICE},
    stanza,
};

#[derive(Deserialize)]
struct Webhook {
    event: String,
    /// Milliseconds since 1970.
    #[serde(default)]
    timestamp: i64,
    #[serde(default)]
    payload: Value,
}

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

/// What a webhook tells. What is about groups, about our own messages, or not modelled, tells nothing.
pub(super) fn told(body: &[u8]) -> Result<Vec<DeviceEvent>, CallbackRefused> {
    let webhook: Webhook =
        serde_json::from_slice(body).map_err(|error| CallbackRefused::Unreadable(error.to_string()))?;
    let payload = &webhook.payload;
    let told = match webhook.event.as_str() {
        "message" => message(payload).map(|message| DeviceEvent::Came(Box::new(message))),
        "message.reaction" => reaction(payload).map(|message| DeviceEvent::Came(Box::new(message))),
        "message.ack" => receipt(payload, webhook.timestamp).map(DeviceEvent::Moved),
        _ => None,
    };
    Ok(told.into_iter().collect())
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// Seconds or milliseconds since 1970.
fn moment(value: &Value) -> Option<DateTime<Utc>> {
    let number = value.get("timestamp")?.as_i64()?;
    if number > 100_000_000_000 { DateTime::from_timestamp_millis(number) } else { DateTime::from_timestamp(number, 0) }
}

/// The phone number of a chat between two.
fn phone(chat: &str) -> Option<String> {
    let (user, server) = chat.split_once('@')?;
    let number = user.split(':').next()?;
    let plain = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.is_empty();
    (plain && matches!(server, "c.us" | "s.whatsapp.net")).then(|| number.to_owned())
}

/// Who wrote. WhatsApp may name a customer by an id of its own (`@lid`); then the engine says beside it which number that is.
fn sender(payload: &Value) -> Option<String> {
    let from = text(payload, "from")?;
    if !from.ends_with("@lid") {
        return phone(from);
    }
    const BESIDE: [&str; 3] = ["/_data/key/remoteJidAlt", "/_data/key/senderPn", "/_data/Info/SenderAlt"];
    let number = BESIDE.iter().find_map(|place| phone(payload.pointer(place)?.as_str()?));
    if number.is_none() {
        tracing::warn!("a bridge told of a message without the number of its customer; it is dropped");
    }
    number
}

fn message(payload: &Value) -> Option<InboundMessage> {
    written(payload, content(payload))
}

fn written(payload: &Value, content: InboundContent) -> Option<InboundMessage> {
    if payload.get("fromMe").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let from = sender(payload)?;
    let data = payload.get("_data");
    let name = data.and_then(|data| text(data, "notifyName").or_else(|| text(data, "pushName")));
    let quoted = payload.get("replyTo").and_then(|quoted| text(quoted, "id")).map(|id| stanza(id).to_owned());
    Some(InboundMessage {
        provider_id: stanza(text(payload, "id")?).to_owned(),
        from: Some(from),
        from_user_id: None,
        from_parent_user_id: None,
        from_address: None,
        profile_name: name.map(str::to_owned),
        username: None,
        sent_at: moment(payload)?,
        quoted_provider_id: quoted,
        content,
        raw: payload.clone(),
    })
}

fn content(payload: &Value) -> InboundContent {
    let body = text(payload, "body").map(str::to_owned);
    if let Some(media) = payload.get("media").and_then(|media| media_of(media, payload)) {
        return InboundContent::Media(InboundMedia { caption: body, ..media });
    }
    if let Some(place) = payload.get("location").and_then(location) {
        return InboundContent::Location(place);
    }
    InboundContent::Text { body: body.unwrap_or_default() }
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
        provider_media_id: stanza(text(payload, "id")?).to_owned(),
        url: Some(text(media, "url")?.to_owned()),
        mime_type: plain.to_owned(),
        sha256: None,
        caption: None,
        filename: file_name::given(text(media, "filename"), plain),
    })
}

fn location(place: &Value) -> Option<Location> {
    let degrees = |name: &str| {
        let value = place.get(name)?;
        value.as_f64().or_else(|| value.as_str()?.parse().ok())
    };
    Some(Location {
        latitude: degrees("latitude")?,
        longitude: degrees("longitude")?,
        name: text(place, "name").or_else(|| text(place, "description")).map(str::to_owned),
        address: text(place, "address").map(str::to_owned),
    })
}

/// An empty text takes the reaction back.
fn reaction(payload: &Value) -> Option<InboundMessage> {
    let reaction = payload.get("reaction")?;
    let message_id = stanza(text(reaction, "messageId")?).to_owned();
    written(payload, InboundContent::Reaction { message_id, emoji: text(reaction, "text").map(str::to_owned) })
}

fn receipt(payload: &Value, told_at: i64) -> Option<StatusUpdate> {
    let status = match payload.get("ack")?.as_i64()? {
        -1 => ProviderStatus::Failed,
        1 => ProviderStatus::Sent,
        2 => ProviderStatus::Delivered,
        3 => ProviderStatus::Read,
        4 => ProviderStatus::Played,
        _ => return None,
    };
    let failure = domain::inbound::ProviderFailure {
        code: REFUSED_BY_DEVICE,
        text: "the device could not send the message".to_owned(),
    };
    Some(StatusUpdate {
        provider_id: stanza(text(payload, "id")?).to_owned(),
        opaque: None,
        status,
        at: moment(payload).or_else(|| DateTime::from_timestamp_millis(told_at))?,
        recipient: None,
        recipient_user_id: None,
        error: (status == ProviderStatus::Failed).then_some(failure),
    })
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
        told.into_iter().next().map(|event| match event {
            DeviceEvent::Came(message) => *message,
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
    fn groups_broadcasts_and_our_own_messages_tell_nothing() {
        for from in ["1203630@g.us", "status@broadcast", "123@lid"] {
            assert_eq!(message(from_customer(json!({"from": from, "body": "x"}))), None, "{from}");
        }
        assert_eq!(message(from_customer(json!({"fromMe": true, "body": "x"}))), None);
    }

    #[test]
    fn a_customer_whom_whatsapp_names_by_an_id_is_known_by_the_number_beside_it() {
        let beside =
            json!({"from": "123@lid", "body": "x", "_data": {"key": {"remoteJidAlt": "27820000009@s.whatsapp.net"}}});
        assert_eq!(message(from_customer(beside)).unwrap().from.as_deref(), Some("27820000009"));
    }

    #[test]
    fn receipts_are_read_and_what_is_pending_is_none() {
        let receipt = |ack: i64| {
            let payload = json!({"id": "true_27820000001@c.us_3EB01", "ack": ack, "fromMe": true});
            let body = json!({"event": "message.ack", "timestamp": 1_760_000_000_000_i64, "payload": payload});
            signed(&body, SECRET).unwrap().into_iter().next().map(|event| match event {
                DeviceEvent::Moved(status) => (status.provider_id, status.status),
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
}
