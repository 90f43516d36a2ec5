//! The event of the incoming-message webhook (SPEC 6.1).

use chrono::SecondsFormat;
use domain::{chat::MessageContentType, content::OutboundContent, inbound::InboundContent};
use plugin_host::webhook_shaper::IncomingMessageEvent;

use super::Arrival;
use base::media;

/// All fields that apply to the message. `sender` is the phone number that is known of the customer, also when this very
/// message withholds it.
pub(super) fn incoming(arrival: &Arrival<'_>) -> IncomingMessageEvent {
    let answered = &arrival.answered;
    let target = answered.target.as_ref();
    let customer = arrival.customer;
    let content_type = MessageContentType::of_inbound(&answered.content, answered.carousel);
    let said = Said::of(&answered.content);
    let own_id = arrival.id.to_string();
    IncomingMessageEvent {
        profile_name: arrival.message.profile_name.clone().or_else(|| customer.name.clone()),
        sender: customer.phone.clone(),
        sender_user_id: arrival.message.from_user_id.clone().or_else(|| customer.bsuid.clone()),
        username: arrival.message.username.clone().or_else(|| customer.username.clone()),
        receiver: arrival.number.msisdn.clone(),
        text: said.text,
        button_text: said.button_text,
        button_payload: said.button_payload,
        latitude: said.latitude,
        longitude: said.longitude,
        label: said.label,
        address: said.address,
        media_url: arrival.media_url.clone(),
        caption: said.caption,
        file_extension: said.file_extension,
        message_type: Some("INTERACTION".to_owned()),
        message_content_type: content_type.as_str().to_owned(),
        gst_id: match content_type {
            MessageContentType::Reaction => target.map(|target| target.quoted.gst_id.clone()),
            _ => Some(own_id),
        },
        ct_id: target.and_then(|target| target.quoted.ct_id.clone()),
        conversation_id: None,
        participant_id: None,
        sent_time: Some(arrival.written_at.to_rfc3339_opts(SecondsFormat::Secs, true)),
        status: Some("RECEIVED".to_owned()),
        cost: None,
        template_id: arrival.last_template.as_ref().map(|template| template.id.clone()),
        template_name: arrival.last_template.as_ref().map(|template| template.name.clone()),
        body_parameters: body_parameters(arrival),
        tqrmt_id: tapped_template(arrival),
        conversation_status_code: None,
        conversation_status_message: None,
        request_id: None,
        error_code: None,
        error_code_string: None,
        metadata: Vec::new(),
    }
}

/// What the message says, by field.
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
                file_extension: Some(media::extension(&file.mime_type, file.filename.as_deref())),
                ..Self::default()
            },
        }
    }
}

/// The parameters of the template that the message answers, by position.
fn body_parameters(arrival: &Arrival<'_>) -> Option<Vec<(String, String)>> {
    let sent = arrival.answered.target.as_ref()?.sent.as_ref()?;
    let OutboundContent::Template(template) = sent else { return None };
    let last = arrival.last_template.as_ref().filter(|last| last.id == template.id);
    if last.is_none() || template.body.is_empty() {
        return None;
    }
    let numbered = template.body.iter().zip(1..);
    Some(numbered.map(|(parameter, position): (_, u32)| (position.to_string(), parameter.text.clone())).collect())
}

/// The tracking id of the template whose quick reply was tapped.
fn tapped_template(arrival: &Arrival<'_>) -> Option<String> {
    let target = arrival.answered.target.as_ref()?;
    let tapped = matches!(arrival.answered.content, InboundContent::Button { .. });
    let template = matches!(target.sent, Some(OutboundContent::Template(_)));
    (tapped && template).then(|| target.quoted.gst_id.clone())
}
