use chrono::DateTime;
use domain::{content::OutboundContent, inbound::InboundContent};
use whatsapp_rust::{buffa::MessageField, proto_helpers::MessageBuilderExt, types::message::MessageSource};

use super::*;

const ZO: &str = "27820000001";

fn info(source: MessageSource) -> MessageInfo {
    MessageInfo {
        source,
        id: "3A01".to_owned(),
        timestamp: DateTime::from_timestamp(1_790_000_000, 0).unwrap(),
        ..MessageInfo::default()
    }
}

fn of_customer() -> MessageInfo {
    info(MessageSource { chat: Jid::pn(ZO), sender: Jid::pn(ZO), ..MessageSource::default() })
}

fn of_phone() -> MessageInfo {
    info(MessageSource {
        chat: Jid::lid("100"),
        sender: Jid::lid("200"),
        is_from_me: true,
        recipient: Some(Jid::lid("100")),
        recipient_alt: Some(Jid::pn(ZO)),
        ..MessageSource::default()
    })
}

fn zo() -> Address {
    Address::of_kind(AddressKind::Phone, ZO).unwrap()
}

fn read(info: &MessageInfo, message: &wa::Message) -> Option<DeviceEvent> {
    of(info, message, Some(ZO.to_owned()))
}

fn protocol(message: wa::message::ProtocolMessage) -> wa::Message {
    let key = wa::MessageKey { id: Some("3A00".to_owned()), ..Default::default() };
    let message = wa::message::ProtocolMessage { key: MessageField::some(key), ..message };
    wa::Message { protocol_message: MessageField::some(message), ..Default::default() }
}

fn deletion() -> wa::Message {
    let revoked = Some(wa::message::protocol_message::Type::REVOKE);
    protocol(wa::message::ProtocolMessage { r#type: revoked, ..Default::default() })
}

#[test]
fn a_message_of_a_customer_came() {
    let told = read(&of_customer(), &wa::Message::text("Hello"));
    let Some(DeviceEvent::Came(message)) = told else { panic!("{told:?}") };
    assert_eq!(message.content, InboundContent::Text { body: "Hello".to_owned() });
}

#[test]
fn a_message_that_was_written_on_the_phone_is_an_echo_to_both_addresses_of_its_recipient() {
    let told = read(&of_phone(), &wa::Message::text("from the phone"));
    let Some(DeviceEvent::Echoed(echo)) = told else { panic!("{told:?}") };
    let hidden = Address::of_kind(AddressKind::Lid, "100@lid").unwrap();
    assert_eq!((echo.provider_id.as_str(), echo.addresses()), ("3A01", vec![&hidden, &zo()]));
    assert_eq!(echo.content, OutboundContent::Text { body: "from the phone".to_owned() });
}

#[test]
fn a_note_of_the_business_to_itself_and_a_message_to_a_group_are_none() {
    let note = MessageSource { recipient: None, ..of_phone().source };
    assert_eq!(read(&info(note), &wa::Message::text("note")), None);
    let group = MessageSource { chat: Jid::group("1203630"), is_group: true, ..of_phone().source };
    assert_eq!(read(&info(group), &wa::Message::text("hi all")), None);
}

#[test]
fn a_deletion_names_its_message_and_its_author() {
    let hidden = Address::of_kind(AddressKind::Lid, "100@lid").unwrap();
    let of_both = MessageSource { sender_alt: Some(Jid::lid("100")), ..of_customer().source };
    for (info, by) in [(info(of_both), Author::Customer(vec![zo(), hidden])), (of_phone(), Author::Business)] {
        let told = read(&info, &deletion());
        let Some(DeviceEvent::Changed(change)) = told else { panic!("{told:?}") };
        assert_eq!((change.provider_id.as_str(), &change.by), ("3A00", &by));
        assert_eq!(change.change, ContentChange::Deleted);
    }
}

#[test]
fn an_edit_has_the_new_text() {
    let edited = wa::message::ProtocolMessage {
        r#type: Some(wa::message::protocol_message::Type::MESSAGE_EDIT),
        edited_message: MessageField::some(wa::Message::text("Hello again")),
        ..Default::default()
    };
    let wrapped = wa::message::FutureProofMessage { message: MessageField::some(protocol(edited)) };
    let message = wa::Message { edited_message: MessageField::some(wrapped), ..Default::default() };
    let told = read(&of_customer(), &message);
    let Some(DeviceEvent::Changed(change)) = told else { panic!("{told:?}") };
    let ContentChange::Edited { text, .. } = &change.change else { panic!("{change:?}") };
    assert_eq!(text.as_deref(), Some("Hello again"));
}

#[test]
fn a_kind_without_content_is_counted_and_the_protocol_is_not() {
    let vote = wa::message::PollUpdateMessage::default();
    let vote = wa::Message { poll_update_message: MessageField::some(vote), ..Default::default() };
    for (message, kind) in [(vote, "poll vote"), (wa::Message::default(), "unknown message")] {
        let told = read(&of_customer(), &message);
        let Some(DeviceEvent::Ignored(item)) = told else { panic!("{told:?}") };
        assert_eq!(item.kind, kind);
    }
    assert_eq!(read(&of_customer(), &protocol(wa::message::ProtocolMessage::default())), None);
}

#[test]
fn a_message_that_cannot_be_decrypted_has_a_placeholder_with_another_id() {
    let told = placeholder(&of_customer());
    let Some(DeviceEvent::Came(message)) = told else { panic!("{told:?}") };
    assert_eq!(message.from.as_deref(), Some(ZO));
    assert_ne!(message.provider_id, "3A01", "the message itself may still come");
    assert!(matches!(message.content, InboundContent::Unmodelled(_)));
    assert_eq!(placeholder(&of_phone()), None);
}
