//! Authentication templates: Meta's own text in them, and their possible recipients (PROVIDERS A.2, A.11).

use serde_json::{Value, json};

use super::stored_template::{SimulatedTemplate, component};

const BODY: &str = "*{{1}}* is your verification code.";
/// The URL of the code button in Meta's lists.
const PAGE: &str = "https://www.whatsapp.com/otp/code/";

/// In this category Meta lists its own body text, and the code button as a link to its own page.
pub(crate) fn as_listed(category: &str, components: &[Value]) -> Value {
    if category != "AUTHENTICATION" {
        return Value::Array(components.to_vec());
    }
    let listed = components.iter().map(|component| match component.get("type").and_then(Value::as_str) {
        Some("BODY") if component.get("text").is_none() => {
            json!({"type": "BODY", "text": BODY, "example": {"body_text": [["123456"]]}})
        }
        Some("BUTTONS") => {
            let buttons = component.get("buttons").and_then(Value::as_array).into_iter().flatten();
            json!({"type": "BUTTONS", "buttons": buttons.map(button).collect::<Vec<_>>()})
        }
        _ => component.clone(),
    });
    Value::Array(listed.collect())
}

fn button(button: &Value) -> Value {
    if button.get("type").and_then(Value::as_str) != Some("OTP") {
        return button.clone();
    }
    let read = |field: &str, otherwise: &'static str| button.get(field).and_then(Value::as_str).unwrap_or(otherwise);
    let link = format!("{PAGE}?otp_type={}&code=otp{{{{1}}}}", read("otp_type", "COPY_CODE"));
    json!({"type": "URL", "text": read("text", "Copy code"), "url": link, "example": [format!("{PAGE}?code=otp123456")]})
}

pub(crate) fn needs_a_number(template: &SimulatedTemplate) -> bool {
    let buttons = component(&template.components, "BUTTONS").and_then(|buttons| buttons.get("buttons"));
    let carries_code = |button: &Value| {
        let read = |field: &str| button.get(field).and_then(Value::as_str).unwrap_or_default();
        matches!(read("type"), "OTP" | "COPY_CODE") || read("url").starts_with(PAGE)
    };
    let mut buttons = buttons.and_then(Value::as_array).into_iter().flatten();
    template.category == "AUTHENTICATION" && buttons.any(carries_code)
}
