//! The event of the incoming-message webhook (SPEC 6.1).

use chrono::{DateTime, Utc};
use domain::iso_time::iso_time;
use domain::{
    address::AddressKind, chat::MessageContentType, event::MessageCame, inbound::InboundContent,
    media_type::extension_for,
};
use plugin_host::webhook_shaper::IncomingMessageEvent;

/// `sender` is the known phone number of the customer, even if this message withholds it.
pub(super) fn incoming(came: &MessageCame, business: &str, at: DateTime<Utc>) -> IncomingMessageEvent {
    let answers = came.answers.as_ref();
    let content_type = MessageContentType::of_inbound(&came.content, came.carousel);
    let shown = |kind| came.customer.address(kind).map(str::to_owned);
    let said = Said::of(&came.content);
    let conversation = came.conversation.as_ref();
    let error = match &came.content {
        InboundContent::Unmodelled(other) => other.error.as_ref(),
        _ => None,
    };
    IncomingMessageEvent {
        profile_name: came.customer.name.clone(),
        sender: shown(AddressKind::Phone),
        sender_user_id: came.customer.user_id().map(str::to_owned),
        username: came.customer.username.clone(),
        receiver: business.to_owned(),
        channel: None,
        text: said.text,
        button_text: said.button_text,
        button_payload: said.button_payload,
        latitude: said.latitude,
        longitude: said.longitude,
        label: said.label,
        address: said.address,
        media_url: came.media_url.clone(),
        caption: said.caption,
        file_extension: said.file_extension,
        message_type: Some(if conversation.is_some() { "CONVERSATION" } else { "INTERACTION" }.to_owned()),
        message_content_type: content_type.as_str().to_owned(),
        gst_id: match content_type {
            MessageContentType::Reaction => answers.map(|answered| answered.gst_id.clone()),
            _ => Some(came.message.to_string()),
        },
        ct_id: answers.and_then(|answered| answered.ct_id.clone()),
        conversation_id: conversation.map(|conversation| conversation.id.to_string()),
        conversation_participant_id: conversation.map(|conversation| conversation.participant.to_string()),
        sent_time: Some(iso_time(at)),
        status: Some("RECEIVED".to_owned()),
        cost: came.cost.clone(),
        template_id: came.last_template.as_ref().map(|template| template.id.clone()),
        template_name: came.last_template.as_ref().map(|template| template.name.clone()),
        body_parameters: body_parameters(came),
        tqrmt_id: tapped_template(came),
        conversation_status_code: None,
        conversation_status_message: None,
        request_id: None,
        error_code: error.map(|error| error.code.to_string()),
        error_code_string: error.map(|error| error.text.clone()),
        metadata: Vec::new(),
    }
}

#[derive(Default)]
struct Said {
    text: Option<String>,
    button_text: Option<String>,
    button_payload: Option<String>,
    latitude: Option<String>,
    longitude: Option<String>,
    label: Option<String>,
    address: Option<String>,
    caption: Option<String>,
    file_extension: Option<String>,
}

impl Said {
    fn of(content: &InboundContent) -> Self {
        match content {
            InboundContent::Text { body } => Self { text: Some(body.clone()), ..Self::default() },
            InboundContent::Contact { formatted } => Self { text: Some(formatted.clone()), ..Self::default() },
            InboundContent::Unmodelled(other) => Self { text: Some(other.text.clone()), ..Self::default() },
            InboundContent::Reaction { emoji, .. } => {
                Self { text: Some(emoji.clone().unwrap_or_default()), ..Self::default() }
            }
            InboundContent::Button { text, payload } | InboundContent::Interactive { text, payload } => {
                Self { button_text: Some(text.clone()), button_payload: Some(payload.clone()), ..Self::default() }
            }
            InboundContent::Location(place) => Self {
                latitude: Some(place.latitude.to_string()),
                longitude: Some(place.longitude.to_string()),
                label: place.name.clone(),
                address: place.address.clone(),
                ..Self::default()
            },
            InboundContent::Media(file) => Self {
                caption: file.caption.clone(),
                file_extension: Some(extension_for(&file.mime_type, file.filename.as_deref())),
                ..Self::default()
            },
        }
    }
}

fn body_parameters(came: &MessageCame) -> Option<Vec<(String, String)>> {
    let template = came.answers.as_ref()?.template.as_ref()?;
    let last = came.last_template.as_ref().filter(|last| last.id == template.id);
    if last.is_none() || template.parameters.is_empty() {
        return None;
    }
    let numbered = template.parameters.iter().zip(1..);
    Some(numbered.map(|(parameter, position): (_, u32)| (position.to_string(), parameter.clone())).collect())
}

fn tapped_template(came: &MessageCame) -> Option<String> {
    let answered = came.answers.as_ref()?;
    let tapped = matches!(came.content, InboundContent::Button { .. });
    (tapped && answered.template.is_some()).then(|| answered.gst_id.clone())
}
