//! Messages of customers, in our types. Those of groups, broadcasts and other devices of the business are left out.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::{
    address::{Address, AddressKind, LID_SERVER},
    content::{Location, MediaKind},
    file_name,
    inbound::{InboundContent, InboundMedia, InboundMessage},
};
use serde_json::json;
use whatsapp_rust::{
    Jid, proto_helpers::MessageExt, types::message::MessageInfo, wacore_binary::JidExt, waproto::whatsapp as wa,
};

use super::file::RemoteFile;

pub(super) fn is_from_a_customer(info: &MessageInfo) -> bool {
    let source = &info.source;
    let elsewhere = source.is_group || source.chat.is_status_broadcast() || source.chat.is_newsletter();
    !source.is_from_me && !elsewhere && !source.chat.is_group() && (source.sender.is_pn() || source.sender.is_lid())
}

pub(super) fn phone_of(info: &MessageInfo) -> Option<String> {
    let names = [Some(&info.source.sender), info.source.sender_alt.as_ref()];
    names.into_iter().flatten().find(|jid| jid.is_pn()).map(|jid: &Jid| jid.user.to_string())
}

pub(super) fn hidden_id_of(info: &MessageInfo) -> Option<Address> {
    let names = [Some(&info.source.sender), info.source.sender_alt.as_ref()];
    let hidden = names.into_iter().flatten().find(|jid| jid.is_lid())?;
    Address::of_kind(AddressKind::Lid, &format!("{}{LID_SERVER}", hidden.user))
}

/// `None` if the message has no content for people. `phone`: the sender, if known.
pub(super) fn message(info: &MessageInfo, message: &wa::Message, phone: Option<String>) -> Option<InboundMessage> {
    let base = message.get_base_message();
    Some(of_content(info, phone, quoted_id(base), content(base)?))
}

pub(super) fn quoted_id(base: &wa::Message) -> Option<String> {
    context(base).and_then(|context| context.stanza_id.clone())
}

pub(super) fn of_content(
    info: &MessageInfo,
    phone: Option<String>,
    quoted_provider_id: Option<String>,
    content: InboundContent,
) -> InboundMessage {
    InboundMessage {
        provider_id: info.id.clone(),
        from: phone,
        from_user_id: None,
        from_parent_user_id: None,
        from_address: hidden_id_of(info),
        profile_name: Some(info.push_name.clone()).filter(|name| !name.is_empty()),
        username: None,
        sent_at: info.timestamp,
        quoted_provider_id,
        content,
        raw: json!({"type": info.r#type, "mediaType": info.media_type}),
        referral: None,
    }
}

pub(super) fn content(base: &wa::Message) -> Option<InboundContent> {
    if let Some(text) = base.text_content() {
        return Some(InboundContent::Text { body: text.to_owned() });
    }
    if let Some(reaction) = base.reaction_message.as_option() {
        let message_id = reaction.key.as_option()?.id.clone()?;
        // An empty text takes the reaction back.
        let emoji = reaction.text.clone().filter(|emoji| !emoji.is_empty());
        return Some(InboundContent::Reaction { message_id, emoji });
    }
    media(base)
        .map(InboundContent::Media)
        .or_else(|| place(base))
        .or_else(|| tap(base))
        .or_else(|| contacts(base))
        .or_else(
            // Content without a type of ours is a message all the same.
            || unmodelled_content(base),
        )
}

macro_rules! remote {
    ($kind:expr, $file:expr) => {
        RemoteFile {
            kind: $kind,
            path: $file.direct_path.clone().unwrap_or_default(),
            key: $file.media_key.clone().unwrap_or_default(),
            sha256: $file.file_sha256.clone().unwrap_or_default(),
            encrypted_sha256: $file.file_enc_sha256.clone().unwrap_or_default(),
            bytes: $file.file_length.unwrap_or_default(),
        }
    };
}

fn media(base: &wa::Message) -> Option<InboundMedia> {
    let (file, mime, caption, filename) = if let Some(image) = base.image_message.as_option() {
        (remote!(MediaKind::Image, image), &image.mimetype, image.caption.clone(), None)
    } else if let Some(video) = base.video_message.as_option().or_else(|| base.ptv_message.as_option()) {
        (remote!(MediaKind::Video, video), &video.mimetype, video.caption.clone(), None)
    } else if let Some(audio) = base.audio_message.as_option() {
        let kind = if audio.ptt == Some(true) { MediaKind::Voice } else { MediaKind::Audio };
        (remote!(kind, audio), &audio.mimetype, None, None)
    } else if let Some(document) = base.document_message.as_option() {
        let name = document.file_name.clone().or_else(|| document.title.clone());
        (remote!(MediaKind::Document, document), &document.mimetype, document.caption.clone(), name)
    } else if let Some(sticker) = base.sticker_message.as_option() {
        (remote!(MediaKind::Sticker, sticker), &sticker.mimetype, None, None)
    } else {
        return None;
    };
    let mime_type = mime.clone().unwrap_or_else(|| "application/octet-stream".to_owned());
    Some(InboundMedia {
        media_kind: file.kind,
        provider_media_id: hex::encode(&file.encrypted_sha256),
        url: file.address(),
        filename: file_name::given(filename.as_deref(), &mime_type),
        mime_type,
        sha256: (!file.sha256.is_empty()).then(|| STANDARD.encode(&file.sha256)),
        caption: caption.filter(|caption| !caption.is_empty()),
    })
}

fn place(base: &wa::Message) -> Option<InboundContent> {
    let place = if let Some(place) = base.location_message.as_option() {
        Location {
            latitude: place.degrees_latitude?,
            longitude: place.degrees_longitude?,
            name: place.name.clone(),
            address: place.address.clone(),
        }
    } else {
        let place = base.live_location_message.as_option()?;
        Location {
            latitude: place.degrees_latitude?,
            longitude: place.degrees_longitude?,
            name: place.caption.clone(),
            address: None,
        }
    };
    Some(InboundContent::Location(place))
}

/// A tap on a button or a row of a message of another sender.
fn tap(base: &wa::Message) -> Option<InboundContent> {
    if let Some(reply) = base.template_button_reply_message.as_option() {
        let payload = reply.selected_id.clone().unwrap_or_default();
        let text = reply.selected_display_text.clone().unwrap_or_else(|| payload.clone());
        return Some(InboundContent::Button { text, payload });
    }
    if let Some(reply) = base.list_response_message.as_option() {
        let row = reply.single_select_reply.as_option().and_then(|row| row.selected_row_id.clone());
        let payload = row.unwrap_or_default();
        let text = reply.title.clone().unwrap_or_else(|| payload.clone());
        return Some(InboundContent::Interactive { text, payload });
    }
    let payload = base.buttons_response_message.as_option()?.selected_button_id.clone()?;
    Some(InboundContent::Interactive { text: payload.clone(), payload })
}

/// Name and numbers of each card, one card a line.
fn contacts(base: &wa::Message) -> Option<InboundContent> {
    let cards: Vec<&wa::message::ContactMessage> = match base.contacts_array_message.as_option() {
        Some(array) => array.contacts.iter().collect(),
        None => vec![base.contact_message.as_option()?],
    };
    let line = |card: &&wa::message::ContactMessage| {
        let name = card.display_name.clone().unwrap_or_default();
        let numbers = numbers_of(card.vcard.as_deref().unwrap_or_default());
        [name, numbers.join(", ")].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
    };
    Some(InboundContent::Contact { formatted: cards.iter().map(line).collect::<Vec<_>>().join("\n") })
}

/// The text behind the colon of each `TEL` line of a card.
fn numbers_of(card: &str) -> Vec<String> {
    let is_number = |name: &str| {
        let name = name.split(';').next().unwrap_or_default();
        let name = name.rsplit('.').next().unwrap_or(name);
        name.eq_ignore_ascii_case("TEL")
    };
    let lines = card.lines().filter_map(|line| line.split_once(':'));
    lines.filter(|(name, _)| is_number(name)).map(|(_, number)| number.trim().to_owned()).collect()
}

/// Kinds of message that people see and we do not model, as text. All others belong to the protocol itself.
fn unmodelled_content(base: &wa::Message) -> Option<InboundContent> {
    let polls = [&base.poll_creation_message, &base.poll_creation_message_v2, &base.poll_creation_message_v3];
    let poll = polls.into_iter().find_map(|poll| poll.as_option());
    if let Some(poll) = poll {
        let asked = poll.name.clone().map(|name| format!("poll: {name}"));
        return Some(channels::unknown_content::content("poll", asked, None));
    }
    let others = [
        ("event", base.event_message.is_set()),
        ("order", base.order_message.is_set()),
        ("product", base.product_message.is_set()),
        ("invoice", base.invoice_message.is_set()),
        ("group_invite", base.group_invite_message.is_set()),
        ("interactive_response", base.interactive_response_message.is_set()),
        // Of other businesses.
        ("list", base.list_message.is_set()),
        ("buttons", base.buttons_message.is_set()),
        ("template", base.template_message.is_set()),
        ("interactive", base.interactive_message.is_set()),
        ("sticker_pack", base.sticker_pack_message.is_set()),
        ("album", base.album_message.is_set()),
        ("payment_request", base.request_payment_message.is_set()),
        ("payment", base.send_payment_message.is_set()),
    ];
    let (kind, _) = others.into_iter().find(|(_, is_set)| *is_set)?;
    Some(channels::unknown_content::content(kind, None, None))
}

fn context(base: &wa::Message) -> Option<&wa::ContextInfo> {
    macro_rules! first_of {
        ($($field:ident),+ $(,)?) => {
            None$(.or_else(|| base.$field.as_option()?.context_info.as_option()))+
        };
    }
    first_of!(
        extended_text_message,
        image_message,
        video_message,
        ptv_message,
        audio_message,
        document_message,
        sticker_message,
        location_message,
        live_location_message,
        contact_message,
        contacts_array_message,
        template_button_reply_message,
        list_response_message,
        buttons_response_message,
        interactive_response_message,
    )
}

#[cfg(test)]
mod tests;
