//! Template sends: checks parameters against the catalogue and renders the text (PROVIDERS A.3).

use serde_json::Value;

use super::{
    errors::SimulatedGraphError,
    fields::FieldNode,
    message_content::{PhoneContent, check_medium},
    stored_template::{SimulatedTemplate, component},
    template_buttons,
    template_part::TemplatePart,
    template_text::{fill_text, reject_header_media},
};
use crate::media::MediaLibrary;

const LONGEST_BODY: usize = 1024;
const LONGEST_HEADER: usize = 60;

pub(crate) fn check_status(template: &SimulatedTemplate) -> Result<(), SimulatedGraphError> {
    match template.status.as_str() {
        "APPROVED" => Ok(()),
        "PAUSED" => Err(SimulatedGraphError::plain(400, 132_015)),
        "DISABLED" => Err(SimulatedGraphError::plain(400, 132_016)),
        status => Err(SimulatedGraphError::new(
            132_001,
            format!("template name ({}) is {status} in {}", template.name, template.language),
        )),
    }
}

pub(crate) fn render(
    template: &SimulatedTemplate,
    sent: &Value,
    media: &MediaLibrary,
) -> Result<PhoneContent, SimulatedGraphError> {
    static NOTHING: Value = Value::Array(Vec::new());
    let given = match sent.get("components") {
        None | Some(Value::Null) => &NOTHING,
        Some(components) if components.is_array() => components,
        Some(_) => {
            return Err(SimulatedGraphError::invalid("template.components", "must be an array"));
        }
    };
    let part = TemplatePart {
        defined: &template.components,
        given,
        named: template.parameter_format == "NAMED",
        card: None,
        media,
    };
    let mut content = render_part(part)?;
    if let Some(carousel) = template.component("CAROUSEL") {
        render_cards(part, carousel, &mut content)?;
    } else if component(given, "carousel").is_some() {
        return Err(SimulatedGraphError::new(132_018, "carousel: the template has no carousel"));
    }
    Ok(content)
}

fn render_part(part: TemplatePart<'_>) -> Result<PhoneContent, SimulatedGraphError> {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(header(part)?);
    let body =
        component(part.defined, "BODY").and_then(|body| body.get("text")).and_then(Value::as_str).unwrap_or_default();
    let body = fill_text("body", body, parameters(part.given, "body")?, part.named)?;
    if body.chars().count() > LONGEST_BODY {
        return Err(SimulatedGraphError::new(132_005, "body: the text with its parameters is too long"));
    }
    lines.push(body);
    let footer = component(part.defined, "FOOTER").and_then(|footer| footer.get("text"));
    lines.extend(footer.and_then(Value::as_str).map(str::to_owned));
    lines.retain(|line| !line.is_empty());
    Ok(PhoneContent { text: lines.join("\n"), buttons: template_buttons::render(part)?, cards: Vec::new() })
}

fn parameters<'a>(given: &'a Value, kind: &str) -> Result<&'a [Value], SimulatedGraphError> {
    match component(given, kind).and_then(|component| component.get("parameters")) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(parameters)) => Ok(parameters),
        Some(_) => Err(SimulatedGraphError::invalid(&format!("{kind}.parameters"), "must be an array")),
    }
}

fn header(part: TemplatePart<'_>) -> Result<Option<String>, SimulatedGraphError> {
    let given = parameters(part.given, "header")?;
    let Some(header) = component(part.defined, "HEADER") else {
        return match given.first() {
            Some(_) => Err(SimulatedGraphError::new(132_018, "header: the template has no header")),
            None => Ok(None),
        };
    };
    let format = header.get("format").and_then(Value::as_str).unwrap_or("TEXT");
    match format {
        "TEXT" => {
            let text = header.get("text").and_then(Value::as_str).unwrap_or_default();
            reject_header_media(given)?;
            let text = fill_text("header", text, given, part.named)?;
            if text.chars().count() > LONGEST_HEADER {
                return Err(SimulatedGraphError::new(132_005, "header: the text with its parameters is too long"));
            }
            Ok(Some(text))
        }
        "LOCATION" => media_parameter(format, given).map(|_| None),
        _ => {
            let kind = format.to_ascii_lowercase();
            let parameter = media_parameter(format, given)?;
            let path = format!("header.parameters.{kind}");
            check_medium(&path, parameter.object("header.parameters", &kind)?, &kind, part.media)?;
            Ok(None)
        }
    }
}

/// The only parameter of a media header, in the format of the template.
fn media_parameter<'a>(format: &str, given: &'a [Value]) -> Result<FieldNode<'a>, SimulatedGraphError> {
    let received = match given {
        [only] => only.get("type").and_then(Value::as_str).unwrap_or("UNKNOWN"),
        _ => "UNKNOWN",
    };
    match given {
        [only] if received.eq_ignore_ascii_case(format) => Ok(FieldNode::new(only)),
        _ => Err(SimulatedGraphError::new(
            132_012,
            format!("header: Format mismatch, expected {format}, received {}", received.to_uppercase()),
        )),
    }
}

fn render_cards(
    part: TemplatePart<'_>,
    carousel: &Value,
    content: &mut PhoneContent,
) -> Result<(), SimulatedGraphError> {
    let cards = |value: Option<&Value>| -> Vec<Value> { value.and_then(Value::as_array).cloned().unwrap_or_default() };
    let defined = cards(carousel.get("cards"));
    let given = cards(component(part.given, "carousel").and_then(|given| given.get("cards")));
    if defined.len() != given.len() {
        return Err(SimulatedGraphError::new(
            132_000,
            format!(
                "carousel: number of cards ({}) does not match the expected number of cards ({})",
                given.len(),
                defined.len()
            ),
        ));
    }
    for (position, defined) in defined.iter().enumerate() {
        let card = given
            .iter()
            .find(|card| card.get("card_index").and_then(Value::as_u64) == Some(position as u64))
            .ok_or_else(|| SimulatedGraphError::missing(&format!("carousel.cards with card_index {position}")))?;
        let rendered = render_part(TemplatePart {
            defined: defined.get("components").unwrap_or(&Value::Null),
            given: card.get("components").unwrap_or(&Value::Null),
            card: Some(position),
            ..part
        })?;
        content.text.push_str(&format!("\n[{}] {}", position + 1, rendered.text));
        content.buttons.extend(rendered.buttons);
        content.cards.push(rendered.text);
    }
    Ok(())
}
