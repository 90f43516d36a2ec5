//! The `template` object of a send (PROVIDERS A.3).

use domain::content::{
    ButtonKind, ButtonParameter, CardParameters, HeaderParameter, MediaKind, TemplateSend, TextParameter,
};
use serde_json::{Map, Value, json};

use super::{
    file_reference::{file_at, media_type},
    media_ids::MediaIds,
};

pub(super) fn template_object(template: &TemplateSend, uploaded: &MediaIds) -> Value {
    let mut components = components(
        header_parameters(template.header.as_ref(), &template.header_text, uploaded),
        &template.body,
        &template.buttons,
    );
    if !template.cards.is_empty() {
        components.push(carousel(&template.cards, uploaded));
    }
    let mut object = Map::new();
    object.insert("name".into(), template.name.as_str().into());
    object.insert("language".into(), json!({ "code": template.language }));
    if !components.is_empty() {
        object.insert("components".into(), Value::Array(components));
    }
    Value::Object(object)
}

/// The common components of a template and a carousel card. Parts without parameters are left out.
fn components(header: Vec<Value>, body: &[TextParameter], buttons: &[ButtonParameter]) -> Vec<Value> {
    let mut components = Vec::new();
    if !header.is_empty() {
        components.push(json!({ "type": "header", "parameters": header }));
    }
    if !body.is_empty() {
        let parameters: Vec<Value> = body.iter().map(text_parameter).collect();
        components.push(json!({ "type": "body", "parameters": parameters }));
    }
    components.extend(buttons.iter().map(button));
    components
}

/// A header is a file or a text, never both.
fn header_parameters(file: Option<&HeaderParameter>, text: &[TextParameter], uploaded: &MediaIds) -> Vec<Value> {
    match file {
        Some(file) => vec![file_parameter(file, uploaded)],
        None => text.iter().map(text_parameter).collect(),
    }
}

fn file_parameter(header: &HeaderParameter, uploaded: &MediaIds) -> Value {
    let kind = media_type(header.kind);
    let mut media = Map::new();
    let (name, value) = file_at(&header.url, uploaded);
    media.insert(name.into(), value.into());
    if let (MediaKind::Document, Some(filename)) = (header.kind, &header.filename) {
        media.insert("filename".into(), filename.as_str().into());
    }
    let mut parameter = Map::new();
    parameter.insert("type".into(), kind.into());
    parameter.insert(kind.into(), Value::Object(media));
    Value::Object(parameter)
}

fn text_parameter(parameter: &TextParameter) -> Value {
    match &parameter.name {
        Some(name) => json!({ "type": "text", "parameter_name": name, "text": parameter.text }),
        None => json!({ "type": "text", "text": parameter.text }),
    }
}

/// The index is a string in Meta's schema. A quick reply with an effect sends its token instead of the payload.
fn button(button: &ButtonParameter) -> Value {
    let value = button.provider_value();
    let (sub_type, parameter) = match button.kind {
        ButtonKind::QuickReply => ("quick_reply", json!({ "type": "payload", "payload": value })),
        ButtonKind::Url => ("url", json!({ "type": "text", "text": value })),
        ButtonKind::CopyCode => ("copy_code", json!({ "type": "coupon_code", "coupon_code": value })),
    };
    json!({ "type": "button", "sub_type": sub_type, "index": button.index.to_string(), "parameters": [parameter] })
}

fn carousel(cards: &[CardParameters], uploaded: &MediaIds) -> Value {
    let cards: Vec<Value> = cards
        .iter()
        .enumerate()
        .map(|(index, card)| {
            let parts = components(header_parameters(card.header.as_ref(), &[], uploaded), &card.body, &card.buttons);
            json!({ "card_index": index, "components": parts })
        })
        .collect();
    json!({ "type": "carousel", "cards": cards })
}
