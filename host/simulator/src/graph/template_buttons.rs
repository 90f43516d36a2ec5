//! Buttons of a template: their parameters, and their form on the phone.

use serde_json::Value;

use super::{
    errors::SimulatedGraphError, fields::FieldNode, placeholders, stored_template::component,
    template_part::TemplatePart,
};
use crate::mailbox::{Button, TapEffect};

const LONGEST_COUPON: usize = 20;

/// The buttons of a part as the phone shows them. 131008 if a dynamic button has no parameter.
pub(crate) fn render(part: TemplatePart<'_>) -> Result<Vec<Button>, SimulatedGraphError> {
    let defined: &[Value] = component(part.defined, "BUTTONS")
        .and_then(|buttons| buttons.get("buttons"))
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice);
    let given = given_buttons(part.given)?;
    for sent in &given {
        let kind = defined.get(sent.index).and_then(|button| button.get("type"));
        let kind = kind.and_then(Value::as_str).unwrap_or("none");
        if !kind.eq_ignore_ascii_case(&sent.kind) {
            return Err(SimulatedGraphError::new(
                132_018,
                format!("buttons: Button at index {} is of type {kind}, not {}", sent.index, sent.kind),
            ));
        }
    }
    let render = |(index, button): (usize, &Value)| {
        let sent = given.iter().find(|sent| sent.index == index);
        render_one(index, button, sent, part.card)
    };
    defined.iter().enumerate().map(render).collect()
}

struct Given<'a> {
    index: usize,
    kind: String,
    parameter: Option<&'a Value>,
}

fn given_buttons(components: &Value) -> Result<Vec<Given<'_>>, SimulatedGraphError> {
    let mut found = Vec::new();
    for component in components.as_array().into_iter().flatten() {
        let kind = component.get("type").and_then(Value::as_str).unwrap_or_default();
        if !kind.eq_ignore_ascii_case("button") {
            continue;
        }
        let index = match component.get("index") {
            None => return Err(SimulatedGraphError::missing("template.components.index")),
            Some(Value::String(index)) => index.parse().ok(),
            Some(index) => index.as_u64().and_then(|index| usize::try_from(index).ok()),
        };
        let parameters = component.get("parameters").and_then(Value::as_array);
        found.push(Given {
            index: index.ok_or_else(|| {
                SimulatedGraphError::invalid("template.components.index", "must be the position of a button")
            })?,
            kind: FieldNode::new(component).required_text("template.components", "sub_type", 30)?.to_owned(),
            parameter: parameters.and_then(|parameters| parameters.first()),
        });
    }
    Ok(found)
}

fn render_one(
    index: usize,
    defined: &Value,
    sent: Option<&Given<'_>>,
    card: Option<usize>,
) -> Result<Button, SimulatedGraphError> {
    let read = |field: &str| defined.get(field).and_then(Value::as_str).unwrap_or_default();
    let parameter = sent.and_then(|sent| sent.parameter);
    let (kind, id) = match read("type") {
        "QUICK_REPLY" => (TapEffect::QuickReply, payload(index, read("text"), parameter)?),
        "URL" => (TapEffect::Local, url(index, read("url"), parameter)?),
        "COPY_CODE" => (TapEffect::Local, coupon(index, parameter)?),
        "PHONE_NUMBER" => (TapEffect::Local, read("phone_number").to_owned()),
        _ => (TapEffect::Local, String::new()),
    };
    Ok(Button { kind, index, title: read("text").to_owned(), id, description: None, card })
}

fn required<'a>(index: usize, kind: &str, parameter: Option<&'a Value>) -> Result<FieldNode<'a>, SimulatedGraphError> {
    parameter.map(FieldNode::new).ok_or_else(|| {
        let details = format!("buttons: Button at index {index} of type {kind} requires a parameter");
        SimulatedGraphError::new(131_008, details)
    })
}

/// A quick reply without a parameter answers with its own text.
fn payload(index: usize, text: &str, parameter: Option<&Value>) -> Result<String, SimulatedGraphError> {
    let Some(parameter) = parameter.map(FieldNode::new) else {
        return Ok(text.to_owned());
    };
    let path = format!("button[{index}].parameters");
    Ok(parameter.required_text(&path, "payload", 256)?.to_owned())
}

fn url(index: usize, url: &str, parameter: Option<&Value>) -> Result<String, SimulatedGraphError> {
    let Some(name) = placeholders::names(url).pop() else {
        return match parameter {
            Some(_) => Err(SimulatedGraphError::new(
                132_018,
                format!("buttons: Button at index {index} of type Url takes no parameter"),
            )),
            None => Ok(url.to_owned()),
        };
    };
    let path = format!("button[{index}].parameters");
    let suffix = required(index, "Url", parameter)?.required_text(&path, "text", 2000)?;
    Ok(placeholders::fill(url, &[(name, suffix.to_owned())]))
}

fn coupon(index: usize, parameter: Option<&Value>) -> Result<String, SimulatedGraphError> {
    let path = format!("button[{index}].parameters");
    let parameter = required(index, "CopyCode", parameter)?;
    Ok(parameter.required_text(&path, "coupon_code", LONGEST_COUPON)?.to_owned())
}
