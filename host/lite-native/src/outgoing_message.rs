//! Messages on their way out, as the library encodes them.

use domain::content::{Location, MediaKind, Reaction};
use whatsapp_rust::{
    Jid,
    buffa::MessageField,
    proto_helpers::{MessageBuilderExt, MessageExt, build_reaction_message},
    waproto::whatsapp as wa,
};

/// A file that WhatsApp has taken, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DeviceUpload {
    pub(super) url: String,
    pub(super) direct_path: String,
    pub(super) media_key: [u8; 32],
    pub(super) file_sha256: [u8; 32],
    pub(super) file_enc_sha256: [u8; 32],
    pub(super) file_length: u64,
    pub(super) media_key_timestamp: i64,
    pub(super) streaming_sidecar: Option<Vec<u8>>,
    pub(super) mime: String,
}

pub(super) fn text(words: &str) -> wa::Message {
    wa::Message::text(words)
}

pub(super) fn location(place: &Location) -> wa::Message {
    let place = wa::message::LocationMessage {
        degrees_latitude: Some(place.latitude),
        degrees_longitude: Some(place.longitude),
        name: place.name.clone(),
        address: place.address.clone(),
        ..Default::default()
    };
    wa::Message { location_message: MessageField::some(place), ..Default::default() }
}

/// A reaction to a message of the customer; an empty one takes it back.
pub(super) fn reaction(chat: &Jid, reaction: &Reaction, at_millis: i64) -> wa::Message {
    let key = wa::MessageKey {
        remote_jid: Some(chat.to_string()),
        from_me: Some(false),
        id: Some(reaction.message_id.clone()),
        ..Default::default()
    };
    build_reaction_message(key, reaction.emoji.as_deref().unwrap_or_default(), at_millis)
}

macro_rules! file {
    ($message:ident, $file:expr, { $($field:ident: $value:expr),* $(,)? }) => {
        MessageField::some(wa::message::$message {
            url: Some($file.url),
            direct_path: Some($file.direct_path),
            media_key: Some($file.media_key.to_vec()),
            file_sha256: Some($file.file_sha256.to_vec()),
            file_enc_sha256: Some($file.file_enc_sha256.to_vec()),
            file_length: Some($file.file_length),
            media_key_timestamp: Some($file.media_key_timestamp),
            mimetype: Some($file.mime),
            $($field: $value,)*
            ..Default::default()
        })
    };
}

pub(super) fn media(kind: MediaKind, file: DeviceUpload, caption: Option<&str>, filename: Option<&str>) -> wa::Message {
    let caption = caption.map(str::to_owned);
    let sidecar = file.streaming_sidecar.clone();
    match kind {
        MediaKind::Image => {
            wa::Message { image_message: file!(ImageMessage, file, { caption: caption }), ..Default::default() }
        }
        MediaKind::Video => wa::Message {
            video_message: file!(VideoMessage, file, { caption: caption, streaming_sidecar: sidecar }),
            ..Default::default()
        },
        MediaKind::Audio | MediaKind::Voice => {
            let ptt = Some(kind == MediaKind::Voice);
            wa::Message {
                audio_message: file!(AudioMessage, file, { ptt: ptt, streaming_sidecar: sidecar }),
                ..Default::default()
            }
        }
        MediaKind::Document => {
            let file_name = Some(filename.unwrap_or("document").to_owned());
            wa::Message {
                document_message: file!(DocumentMessage, file, { caption: caption, file_name: file_name }),
                ..Default::default()
            }
        }
        MediaKind::Sticker => wa::Message { sticker_message: file!(StickerMessage, file, {}), ..Default::default() },
    }
}

/// An answer to a message of `writer`. Phones show the text of the quoted message by its id.
pub(super) fn quoting(mut message: wa::Message, quoted: &str, writer: &Jid) -> wa::Message {
    let context = wa::ContextInfo {
        stanza_id: Some(quoted.to_owned()),
        participant: Some(writer.to_string()),
        quoted_message: MessageField::some(wa::Message::text("")),
        ..Default::default()
    };
    if let Some(words) = message.conversation.take() {
        return wa::Message::text_with_context(words, context);
    }
    message.set_context_info(context);
    message
}

/// The type of a file whose server does not name one.
pub(super) fn usual_mime(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image/jpeg",
        MediaKind::Video => "video/mp4",
        MediaKind::Audio => "audio/mpeg",
        // The only sound that phones show as a voice note.
        MediaKind::Voice => "audio/ogg; codecs=opus",
        MediaKind::Document => "application/octet-stream",
        MediaKind::Sticker => "image/webp",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn customer() -> Jid {
        Jid::pn("27820000001")
    }

    fn uploaded() -> DeviceUpload {
        DeviceUpload {
            url: "https://mmg.whatsapp.net/v/1.enc".to_owned(),
            direct_path: "/v/1.enc".to_owned(),
            media_key: [1; 32],
            file_sha256: [2; 32],
            file_enc_sha256: [3; 32],
            file_length: 4096,
            media_key_timestamp: 1_790_000_000,
            streaming_sidecar: Some(vec![4]),
            mime: "image/png".to_owned(),
        }
    }

    #[test]
    fn text_is_sent_unchanged() {
        assert_eq!(text("Hello").conversation.as_deref(), Some("Hello"));
    }

    #[test]
    fn an_answer_names_the_message_and_its_author() {
        let answer = quoting(text("Yes"), "3A01", &customer());
        assert_eq!(answer.conversation, None);
        let extended = answer.extended_text_message.as_option().unwrap();
        let context = extended.context_info.as_option().unwrap();
        assert_eq!(extended.text.as_deref(), Some("Yes"));
        assert_eq!(context.stanza_id.as_deref(), Some("3A01"));
        assert_eq!(context.participant.as_deref(), Some("27820000001@s.whatsapp.net"));
    }

    #[test]
    fn an_answer_to_an_own_message_names_the_own_device() {
        let answer = quoting(text("As I said"), "3EB0", &Jid::pn("27831000001"));
        let extended = answer.extended_text_message.as_option().unwrap();
        let context = extended.context_info.as_option().unwrap();
        assert_eq!(context.participant.as_deref(), Some("27831000001@s.whatsapp.net"));
    }

    #[test]
    fn a_picture_can_be_an_answer_too() {
        let answer = quoting(media(MediaKind::Image, uploaded(), Some("Here"), None), "3A01", &customer());
        let image = answer.image_message.as_option().unwrap();
        assert_eq!(image.caption.as_deref(), Some("Here"));
        assert_eq!(image.context_info.as_option().unwrap().stanza_id.as_deref(), Some("3A01"));
    }

    #[test]
    fn a_file_carries_its_keys() {
        let message = media(MediaKind::Image, uploaded(), None, None);
        let image = message.image_message.as_option().unwrap();
        assert_eq!((image.direct_path.as_deref(), image.mimetype.as_deref()), (Some("/v/1.enc"), Some("image/png")));
        assert_eq!((image.file_length, image.media_key_timestamp), (Some(4096), Some(1_790_000_000)));
        assert_eq!(image.media_key.as_deref(), Some(&[1; 32][..]));
        assert_eq!(image.file_sha256.as_deref(), Some(&[2; 32][..]));
        assert_eq!(image.file_enc_sha256.as_deref(), Some(&[3; 32][..]));
        assert_eq!(image.caption, None);
    }

    #[test]
    fn every_kind_of_file_is_shown_as_such() {
        let sent = |kind| media(kind, uploaded(), None, Some("offer.pdf"));
        assert!(sent(MediaKind::Video).video_message.is_set());
        assert!(sent(MediaKind::Sticker).sticker_message.is_set());
        assert_eq!(sent(MediaKind::Voice).audio_message.as_option().unwrap().ptt, Some(true));
        assert_eq!(sent(MediaKind::Audio).audio_message.as_option().unwrap().ptt, Some(false));
        let document = sent(MediaKind::Document);
        assert_eq!(document.document_message.as_option().unwrap().file_name.as_deref(), Some("offer.pdf"));
    }

    #[test]
    fn a_location_keeps_name_and_address() {
        let place = Location { latitude: 1.5, longitude: -2.5, name: Some("Here".to_owned()), address: None };
        let message = location(&place);
        let sent = message.location_message.as_option().unwrap();
        assert_eq!((sent.degrees_latitude, sent.degrees_longitude), (Some(1.5), Some(-2.5)));
        assert_eq!((sent.name.as_deref(), sent.address.as_deref()), (Some("Here"), None));
    }

    #[test]
    fn a_reaction_names_the_message_of_the_customer_and_an_empty_one_takes_it_back() {
        for (emoji, sent) in [(Some("👍".to_owned()), "👍"), (None, "")] {
            let message = reaction(&customer(), &Reaction { message_id: "3A01".to_owned(), emoji }, 5);
            let reaction = message.reaction_message.as_option().unwrap();
            let key = reaction.key.as_option().unwrap();
            assert_eq!((key.id.as_deref(), key.from_me), (Some("3A01"), Some(false)));
            assert_eq!(key.remote_jid.as_deref(), Some("27820000001@s.whatsapp.net"));
            assert_eq!((reaction.text.as_deref(), reaction.sender_timestamp_ms), (Some(sent), Some(5)));
        }
    }
}
