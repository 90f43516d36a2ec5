use axum::http::Method;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::{
    call::{GraphCall, parsed},
    errors::SimulatedGraphError,
    fields::FieldNode,
    one_time_codes, placeholders,
    stored_template::{SimulatedTemplate, component},
};
use crate::account_events;

const PAGE: usize = 25;
const LONGEST_PAGE: usize = 1000;

pub(crate) fn answer(call: &GraphCall, body: &[u8]) -> Result<Value, SimulatedGraphError> {
    call.world.state().numbers.know_waba(&call.node);
    match call.method {
        Method::GET => list(call),
        Method::POST => create(call, &parsed(body)?),
        Method::DELETE => delete(call),
        _ => Err(SimulatedGraphError::no_object("this", &call.node)),
    }
}

fn list(call: &GraphCall) -> Result<Value, SimulatedGraphError> {
    let query = |name: &str| call.query.get(name).map(String::as_str);
    let limit = match query("limit").map(str::parse::<usize>) {
        None => PAGE,
        Some(Ok(limit @ 1..=LONGEST_PAGE)) => limit,
        Some(_) => return Err(SimulatedGraphError::parameter("Param limit must be from 1 to 1000.")),
    };
    let start = match query("after") {
        None => 0,
        Some(cursor) => {
            offset(cursor).ok_or_else(|| SimulatedGraphError::parameter("Param after is not a cursor of this list."))?
        }
    };
    let mut state = call.world.state();
    let matching: Vec<&SimulatedTemplate> =
        state.catalogue.of(&call.node).iter().filter(|template| matches(call, template)).collect();
    let shown: Vec<Value> = matching.iter().skip(start).take(limit).map(|t| t.node(query("fields"))).collect();
    let end = start + shown.len();
    let mut answer = json!({"data": shown});
    if end > start
        && let Some(fields) = answer.as_object_mut()
    {
        let mut paging = json!({"cursors": {"before": cursor(start), "after": cursor(end)}});
        if end < matching.len()
            && let Some(paging) = paging.as_object_mut()
        {
            paging.insert("next".to_owned(), json!(next(call, &cursor(end))));
        }
        fields.insert("paging".to_owned(), paging);
    }
    Ok(answer)
}

fn cursor(position: usize) -> String {
    URL_SAFE_NO_PAD.encode(format!("at:{position}"))
}

fn offset(cursor: &str) -> Option<usize> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    std::str::from_utf8(&bytes).ok()?.strip_prefix("at:")?.parse().ok()
}

fn next(call: &GraphCall, after: &str) -> String {
    let path = format!("{}/{}/{}/message_templates", call.origin, call.version, call.node);
    let kept = call.query.iter().filter(|(name, _)| !["after", "access_token"].contains(&name.as_str()));
    let mut query: Vec<(&str, &str)> = kept.map(|(name, value)| (name.as_str(), value.as_str())).collect();
    query.sort_unstable();
    query.push(("after", after));
    reqwest::Url::parse_with_params(&path, query).map_or(path, String::from)
}

/// `name` matches substrings, the other filters match exactly (PROVIDERS F).
fn matches(call: &GraphCall, template: &SimulatedTemplate) -> bool {
    let query = |name: &str| call.query.get(name).map(|value| value.to_lowercase());
    let name = template.name.to_lowercase();
    let text = || template.components.to_string().to_lowercase();
    query("name").is_none_or(|wanted| name.contains(&wanted))
        && query("language").is_none_or(|wanted| template.language.to_lowercase() == wanted)
        && query("status").is_none_or(|wanted| template.status.to_lowercase() == wanted)
        && query("category").is_none_or(|wanted| template.category.to_lowercase() == wanted)
        && query("content").is_none_or(|wanted| text().contains(&wanted))
        && query("name_or_content").is_none_or(|wanted| name.contains(&wanted) || text().contains(&wanted))
}

fn create(call: &GraphCall, asked: &Value) -> Result<Value, SimulatedGraphError> {
    let asked = FieldNode::new(asked);
    let name = asked.required_text("", "name", 512)?;
    if !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
        return Err(SimulatedGraphError::parameter(
            "Message template name must be lower-case letters, digits and underscores.",
        ));
    }
    let language = asked.required_text("", "language", 20)?;
    let category = asked.required_text("", "category", 30)?.to_uppercase();
    if !["MARKETING", "UTILITY", "AUTHENTICATION"].contains(&category.as_str()) {
        return Err(SimulatedGraphError::parameter(
            "Param category must be one of {AUTHENTICATION, MARKETING, UTILITY}.",
        ));
    }
    let components = one_time_codes::as_listed(&category, asked.array("", "components")?);
    let format = asked.text("", "parameter_format", 20)?.unwrap_or("POSITIONAL").to_uppercase();
    check_placeholders(&components, &format)?;
    let mut template = SimulatedTemplate::new(&call.node, name, language, &category, components);
    template.parameter_format = format;
    let event = {
        let mut state = call.world.state();
        if let Some(status) = state.faults.new_template_status.clone() {
            template.status = status;
        }
        if state.catalogue.find(&call.node, name, language).is_some() {
            return Err(
                SimulatedGraphError::parameter("Content in this language already exists").with_subcode(2_388_024)
            );
        }
        state.catalogue.of(&call.node).push(template.clone());
        account_events::template_status(&call.node, &template, &template.status, None)
    };
    call.world.publish(event);
    Ok(json!({"id": template.id, "status": template.status, "category": template.category}))
}

/// Positional placeholders are numbered from 1. Named ones are not numbers.
fn check_placeholders(components: &Value, format: &str) -> Result<(), SimulatedGraphError> {
    let body = component(components, "BODY").and_then(|body| body.get("text"));
    let Some(text) = body.and_then(Value::as_str) else {
        return Err(SimulatedGraphError::missing("components of type BODY with text"));
    };
    let names = placeholders::names(text);
    let fits = match format {
        "POSITIONAL" => (1..=names.len()).all(|position| names.contains(&position.to_string())),
        "NAMED" => names.iter().all(|name| name.parse::<u32>().is_err()),
        _ => false,
    };
    if fits {
        return Ok(());
    }
    Err(SimulatedGraphError::parameter(format!("The placeholders of the body do not fit {format}."))
        .with_subcode(2_388_040))
}

fn delete(call: &GraphCall) -> Result<Value, SimulatedGraphError> {
    let name = call.query.get("name");
    let id = call.query.get("hsm_id");
    let name = name.ok_or_else(|| SimulatedGraphError::parameter("The parameter name is required."))?;
    let mut state = call.world.state();
    let templates = state.catalogue.of(&call.node);
    let before = templates.len();
    templates.retain(|template| template.name != *name || id.is_some_and(|id| template.id != *id));
    if templates.len() == before {
        return Err(SimulatedGraphError::parameter("Message template not found").with_subcode(2_593_002));
    }
    Ok(json!({"success": true}))
}
