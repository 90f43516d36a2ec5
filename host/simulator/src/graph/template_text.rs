//! Text parameters of a template: number, names, kinds, and the filled text.

use serde_json::Value;

use super::errors::SimulatedGraphError;
use super::fields::FieldNode;
use super::placeholders;

/// Errors: 132000 if the number differs, 100 if a name is missing, 132012 for a wrong name or kind, 132018 for a refused value.
pub(crate) fn fill_text(
    place: &str,
    text: &str,
    parameters: &[Value],
    named: bool,
) -> Result<String, SimulatedGraphError> {
    let expected = placeholders::names(text);
    if expected.len() != parameters.len() {
        return Err(SimulatedGraphError::new(
            132_000,
            format!(
                "{place}: number of localizable_params ({}) does not match the expected number of params ({})",
                parameters.len(),
                expected.len()
            ),
        ));
    }
    let mut values: Vec<(String, String)> = Vec::new();
    for (position, parameter) in parameters.iter().enumerate() {
        let name = if named { name_of(place, parameter)? } else { (position + 1).to_string() };
        if !expected.contains(&name) {
            return Err(SimulatedGraphError::new(
                132_012,
                format!("{place}: Parameter name \"{name}\" is not one of the template"),
            ));
        }
        values.push((name, value_of(place, position, parameter)?));
    }
    Ok(placeholders::fill(text, &values))
}

fn name_of(place: &str, parameter: &Value) -> Result<String, SimulatedGraphError> {
    match parameter.get("parameter_name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => Ok(name.to_owned()),
        _ => Err(SimulatedGraphError::parameter(format!(
            "Invalid parameter: {place}: Parameter name is missing or empty"
        ))),
    }
}

fn value_of(place: &str, position: usize, parameter: &Value) -> Result<String, SimulatedGraphError> {
    let path = format!("{place}.parameters[{position}]");
    let parameter = FieldNode::new(parameter);
    let value = match parameter.required_text(&path, "type", 30)? {
        "text" => parameter.required_text(&path, "text", 32_768)?,
        kind @ ("currency" | "date_time") => {
            parameter.object(&path, kind)?.required_text(&format!("{path}.{kind}"), "fallback_value", 1024)?
        }
        kind => {
            return Err(SimulatedGraphError::new(
                132_012,
                format!("{path}: Format mismatch, expected TEXT, received {}", kind.to_uppercase()),
            ));
        }
    };
    if value.contains(['\n', '\r', '\t']) || value.contains("     ") {
        return Err(SimulatedGraphError::new(
            132_018,
            format!("{path}: Param text cannot have new-line/tab characters or more than 4 consecutive spaces"),
        ));
    }
    Ok(value.to_owned())
}

pub(crate) fn reject_header_media(parameters: &[Value]) -> Result<(), SimulatedGraphError> {
    for parameter in parameters {
        let kind = parameter.get("type").and_then(Value::as_str).unwrap_or_default();
        if matches!(kind, "image" | "video" | "document" | "location") {
            return Err(SimulatedGraphError::new(
                132_012,
                format!("header: Format mismatch, expected TEXT, received {}", kind.to_uppercase()),
            ));
        }
    }
    Ok(())
}
