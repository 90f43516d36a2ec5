use chrono::DateTime;
use whatsapp_rust::{buffa::MessageField, proto_helpers::MessageBuilderExt, types::message::MessageSource};

use super::*;

fn info(sender: Jid) -> MessageInfo {
    MessageInfo {
        source: MessageSource { chat: sender.clone(), sender, ..MessageSource::default() },
        id: "3A01".to_owned(),
        push_name: "Thandi".to_owned(),
        timestamp: DateTime::from_timestamp(1_790_000_000, 0).unwrap(),
        ..MessageInfo::default()
    }
}

fn customer() -> MessageInfo {
    info(Jid::pn("27820000001"))
}

fn read(message: &wa::Message) -> Option<InboundMessage> {
    super::message(&customer(), message, Some("27820000001".to_owned()))
}

fn content_of(message: &wa::Message) -> InboundContent {
    read(message).unwrap().content
}

fn text(body: &str) -> InboundContent {
    InboundContent::Text { body: body.to_owned() }
}

#[test]
fn a_text_has_its_author_and_time() {
    let message = read(&wa::Message::text("Hello")).unwrap();
    assert_eq!(message.content, text("Hello"));
    assert_eq!((message.provider_id.as_str(), message.from.as_deref()), ("3A01", Some("27820000001")));
    assert_eq!(message.profile_name.as_deref(), Some("Thandi"));
    assert_eq!(message.sent_at.timestamp(), 1_790_000_000);
    assert_eq!(message.quoted_provider_id, None);
}

#[test]
fn an_answer_names_the_message_that_it_quotes() {
    let context = wa::ContextInfo { stanza_id: Some("3EB0AA".to_owned()), ..Default::default() };
    let message = read(&wa::Message::text_with_context("Yes", context)).unwrap();
    assert_eq!((message.content, message.quoted_provider_id.as_deref()), (text("Yes"), Some("3EB0AA")));
}

#[test]
fn a_disappearing_text_is_a_text() {
    let inner = wa::message::FutureProofMessage { message: MessageField::some(wa::Message::text("Soon gone")) };
    let message = wa::Message { ephemeral_message: MessageField::some(inner), ..Default::default() };
    assert_eq!(content_of(&message), text("Soon gone"));
}

fn image() -> wa::message::ImageMessage {
    wa::message::ImageMessage {
        direct_path: Some("/v/t62/1.enc".to_owned()),
        media_key: Some(vec![1; 32]),
        file_sha256: Some(vec![2; 32]),
        file_enc_sha256: Some(vec![3; 32]),
        file_length: Some(4096),
        mimetype: Some("image/jpeg".to_owned()),
        caption: Some("The door".to_owned()),
        ..Default::default()
    }
}

#[test]
fn a_picture_has_its_address_and_its_keys() {
    let message = wa::Message { image_message: MessageField::some(image()), ..Default::default() };
    let InboundContent::Media(file) = content_of(&message) else { panic!("no file") };
    assert_eq!((file.media_kind, file.mime_type.as_str()), (MediaKind::Image, "image/jpeg"));
    assert_eq!(file.caption.as_deref(), Some("The door"));
    assert_eq!(file.sha256, Some(STANDARD.encode([2; 32])));
    assert!(file.url.unwrap().starts_with("whatsapp-file:"));
}

#[test]
fn a_picture_that_cannot_be_opened_has_no_address() {
    let closed = wa::message::ImageMessage { media_key: None, ..image() };
    let message = wa::Message { image_message: MessageField::some(closed), ..Default::default() };
    let InboundContent::Media(file) = content_of(&message) else { panic!("no file") };
    assert_eq!(file.url, None);
}

#[test]
fn voice_notes_and_other_audio_are_distinguished() {
    for (ptt, kind) in [(Some(true), MediaKind::Voice), (Some(false), MediaKind::Audio), (None, MediaKind::Audio)] {
        let audio = wa::message::AudioMessage { ptt, ..Default::default() };
        let message = wa::Message { audio_message: MessageField::some(audio), ..Default::default() };
        let InboundContent::Media(file) = content_of(&message) else { panic!("no file") };
        assert_eq!(file.media_kind, kind);
    }
}

#[test]
fn a_document_keeps_its_name() {
    let document = wa::message::DocumentMessage { file_name: Some("offer.pdf".to_owned()), ..Default::default() };
    let message = wa::Message { document_message: MessageField::some(document), ..Default::default() };
    let InboundContent::Media(file) = content_of(&message) else { panic!("no file") };
    assert_eq!((file.media_kind, file.filename.as_deref()), (MediaKind::Document, Some("offer.pdf")));
}

#[test]
fn locations_have_their_names() {
    let place = wa::message::LocationMessage {
        degrees_latitude: Some(-33.9),
        degrees_longitude: Some(18.4),
        name: Some("Office".to_owned()),
        address: Some("1 Long Street".to_owned()),
        ..Default::default()
    };
    let message = wa::Message { location_message: MessageField::some(place), ..Default::default() };
    let InboundContent::Location(place) = content_of(&message) else { panic!("no place") };
    assert_eq!((place.latitude, place.longitude), (-33.9, 18.4));
    assert_eq!((place.name.as_deref(), place.address.as_deref()), (Some("Office"), Some("1 Long Street")));
}

fn reaction(emoji: &str) -> InboundContent {
    let reaction = wa::message::ReactionMessage {
        key: MessageField::some(wa::MessageKey { id: Some("3EB0AA".to_owned()), ..Default::default() }),
        text: Some(emoji.to_owned()),
        ..Default::default()
    };
    content_of(&wa::Message { reaction_message: MessageField::some(reaction), ..Default::default() })
}

#[test]
fn a_reaction_is_added_and_removed() {
    let message_id = "3EB0AA".to_owned();
    let emoji = Some("👍".to_owned());
    assert_eq!(reaction("👍"), InboundContent::Reaction { message_id: message_id.clone(), emoji });
    assert_eq!(reaction(""), InboundContent::Reaction { message_id, emoji: None });
}

#[test]
fn taps_on_buttons_and_rows_of_others_carry_what_was_chosen() {
    let button = wa::message::TemplateButtonReplyMessage {
        selected_id: Some("p1".to_owned()),
        selected_display_text: Some("Track".to_owned()),
        ..Default::default()
    };
    let message = wa::Message { template_button_reply_message: MessageField::some(button), ..Default::default() };
    let tapped = InboundContent::Button { text: "Track".to_owned(), payload: "p1".to_owned() };
    assert_eq!(content_of(&message), tapped);
}

#[test]
fn cards_are_names_and_numbers() {
    let card = |name: &str, vcard: &str| wa::message::ContactMessage {
        display_name: Some(name.to_owned()),
        vcard: Some(vcard.to_owned()),
        ..Default::default()
    };
    let array = wa::message::ContactsArrayMessage {
        contacts: vec![
            card(
                "Sipho",
                "BEGIN:VCARD\nVERSION:3.0\nitem1.TEL;waid=27830000001:+27 83 000 0001\nTEL:0215550100\nEND:VCARD",
            ),
            card("Nobody", ""),
        ],
        ..Default::default()
    };
    let message = wa::Message { contacts_array_message: MessageField::some(array), ..Default::default() };
    let formatted = "Sipho: +27 83 000 0001, 0215550100\nNobody".to_owned();
    assert_eq!(content_of(&message), InboundContent::Contact { formatted });
}

#[test]
fn a_poll_has_a_text_and_messages_for_devices_are_none() {
    let shown = |asked: Option<&str>| {
        let poll = wa::message::PollCreationMessage { name: asked.map(str::to_owned), ..Default::default() };
        let poll = wa::Message { poll_creation_message_v3: MessageField::some(poll), ..Default::default() };
        match content_of(&poll) {
            InboundContent::Unmodelled(other) => other.text,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(shown(Some("Lunch?")), "poll: Lunch?");
    assert_eq!(shown(None), "unsupported message (poll)");
    let protocol = wa::Message { protocol_message: MessageField::some(Default::default()), ..Default::default() };
    assert_eq!(read(&protocol), None);
    assert_eq!(read(&wa::Message::default()), None);
}

#[test]
fn messages_of_other_businesses_have_a_text_that_names_their_kind() {
    let list = wa::Message { list_message: MessageField::some(Default::default()), ..Default::default() };
    let pack = wa::Message { sticker_pack_message: MessageField::some(Default::default()), ..Default::default() };
    for (message, expected) in [(list, "unsupported message (list)"), (pack, "unsupported message (sticker pack)")] {
        let InboundContent::Unmodelled(other) = content_of(&message) else { panic!("{expected}") };
        assert_eq!(other.text, expected);
    }
}

#[test]
fn only_direct_messages_of_customers_to_the_business_count() {
    assert!(is_from_a_customer(&customer()));
    assert!(is_from_a_customer(&info(Jid::lid("100000012345678"))));
    let mut own = customer();
    own.source.is_from_me = true;
    let mut group = customer();
    group.source.is_group = true;
    let mut status = customer();
    status.source.chat = "status@broadcast".parse().unwrap();
    for other in [own, group, status] {
        assert!(!is_from_a_customer(&other));
    }
}

#[test]
fn a_given_number_takes_precedence_over_a_hidden_id() {
    let mut hidden = info(Jid::lid("100000012345678"));
    assert_eq!(phone_of(&hidden), None);
    let id = Address::of_kind(AddressKind::Lid, "100000012345678@lid");
    assert!(id.is_some());
    assert_eq!(hidden_id_of(&hidden), id);
    hidden.source.sender_alt = Some(Jid::pn("27820000001"));
    assert_eq!(phone_of(&hidden).as_deref(), Some("27820000001"));
    assert_eq!(hidden_id_of(&hidden), id, "a chat of before is joined");
    assert_eq!((phone_of(&customer()).as_deref(), hidden_id_of(&customer())), (Some("27820000001"), None));
}
