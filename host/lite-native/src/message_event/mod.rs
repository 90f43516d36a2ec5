//! A message of the library as an event: from a customer, written on the phone of the business, or a change of an
//! earlier one. Messages of groups and broadcasts are left out.

use channels::whatsapp_lite::{DeviceEvent, as_sent, placeholder_of, unread_content};
use domain::{
    address::{Address, AddressKind, LID_SERVER},
    change::{Author, ContentChange, MessageChange},
    inbound::{Echo, IgnoredItem},
    inbox::InboxKind,
};
use serde_json::json;
use whatsapp_rust::{Jid, proto_helpers::MessageExt, types::message::MessageInfo, waproto::whatsapp as wa};

use super::incoming_message;

/// The event of a message. `phone`: the author's number, if it is known.
pub(super) fn of(info: &MessageInfo, message: &wa::Message, phone: Option<String>) -> Option<DeviceEvent> {
    let is_ours = info.source.is_self_fanout();
    if !is_ours && !incoming_message::is_from_a_customer(info) {
        return None;
    }
    if let Some(change) = change(info, message, phone.as_deref()) {
        return Some(DeviceEvent::Changed(Box::new(change)));
    }
    let read = if is_ours {
        echo(info, message).map(|echo| DeviceEvent::Echoed(Box::new(echo)))
    } else {
        incoming_message::message(info, message, phone).map(|message| DeviceEvent::Came(Box::new(message)))
    };
    read.or_else(|| left_out(message))
}

/// The placeholder of a message that could not be decrypted.
pub(super) fn placeholder(info: &MessageInfo) -> Option<DeviceEvent> {
    if !incoming_message::is_from_a_customer(info) {
        return None;
    }
    let phone = incoming_message::phone_of(info);
    let message = incoming_message::of_content(info, phone, None, unread_content());
    Some(DeviceEvent::Came(Box::new(placeholder_of(message))))
}

fn address_of(jid: &Jid) -> Option<Address> {
    match jid {
        jid if jid.is_pn() => Address::of_kind(AddressKind::Phone, &jid.user),
        jid if jid.is_lid() => Address::of_kind(AddressKind::Lid, &format!("{}{LID_SERVER}", jid.user)),
        _ => None,
    }
}

/// A message that the business wrote on its phone.
fn echo(info: &MessageInfo, message: &wa::Message) -> Option<Echo> {
    let base = message.get_base_message();
    if base.reaction_message.is_set() {
        return None;
    }
    let (content, file) = as_sent(incoming_message::content(base)?);
    Some(Echo {
        provider_id: info.id.clone(),
        to: address_of(&info.source.chat)?,
        also_to: info.source.recipient_alt.as_ref().and_then(address_of),
        sent_at: info.timestamp,
        quoted_provider_id: incoming_message::quoted_id(base),
        content,
        file,
    })
}

/// An edit or a deletion by the author of a message.
fn change(info: &MessageInfo, message: &wa::Message, phone: Option<&str>) -> Option<MessageChange> {
    use wa::message::protocol_message::Type;

    let protocol = message.get_base_message().protocol_message.as_option()?;
    let provider_id = protocol.key.as_option()?.id.clone()?;
    let change = if protocol.r#type == Some(Type::REVOKE) {
        ContentChange::Deleted
    } else if protocol.r#type == Some(Type::MESSAGE_EDIT) {
        ContentChange::Edited { text: new_text(protocol.edited_message.as_option()?), raw: json!({"type": "text"}) }
    } else {
        return None;
    };
    let by = if info.source.is_from_me { Author::Business } else { Author::Customer(authors(info, phone)) };
    Some(MessageChange { provider_id, rest: Vec::new(), by, at: info.timestamp, change })
}

fn new_text(edited: &wa::Message) -> Option<String> {
    let base = edited.get_base_message();
    base.text_content().or_else(|| base.get_caption()).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn authors(info: &MessageInfo, phone: Option<&str>) -> Vec<Address> {
    let number = phone.and_then(|phone| Address::of_kind(AddressKind::Phone, phone));
    number.into_iter().chain(incoming_message::hidden_id_of(info)).collect()
}

/// Kinds of message without content for a chat. `None` for messages of the protocol itself, such as keys.
fn left_out(message: &wa::Message) -> Option<DeviceEvent> {
    let base = message.get_base_message();
    let kinds = [
        ("poll vote", base.poll_update_message.is_set()),
        ("encrypted reaction", base.enc_reaction_message.is_set()),
        ("encrypted change", base.secret_encrypted_message.is_set()),
        ("pin", base.pin_in_chat_message.is_set()),
        ("keep", base.keep_in_chat_message.is_set()),
        ("reaction", base.reaction_message.is_set()),
    ];
    let is_protocol = base.protocol_message.is_set() || base.sender_key_distribution_message.is_set();
    let known = kinds.into_iter().find(|(_, is_set)| *is_set).map(|(kind, _)| kind);
    let kind = known.or_else(|| (!is_protocol).then_some("unknown message"))?;
    tracing::info!(kind, "a message to a Lite number has no content for its chat and is left out");
    Some(DeviceEvent::Ignored(IgnoredItem {
        provider: InboxKind::WhatsappLite,
        kind: kind.to_owned(),
        name: kind.to_owned(),
    }))
}

#[cfg(test)]
mod tests;
