//! Single objects: `GET /{id}` of numbers, WABAs, templates and media, and the edges of a WABA.

use axum::http::Method;
use serde_json::{Value, json};

use super::{
    call::{GraphCall, parsed},
    errors::SimulatedGraphError,
    stored_template,
};
use crate::{media, numbers::BusinessNumber};

const UNASKED_NUMBER_FIELDS: &str = "verified_name,display_phone_number,quality_rating,platform_type,throughput";

pub(crate) fn answer(call: &GraphCall, body: &[u8]) -> Result<Value, SimulatedGraphError> {
    let method = call.method.as_str().to_ascii_lowercase();
    let unknown = || SimulatedGraphError::no_object(&method, &call.node);
    match (&call.method, kind_of(&call.node)) {
        (&Method::GET, Kind::Medium) => medium(call).ok_or_else(unknown),
        (&Method::DELETE, Kind::Medium) => {
            let deleted = call.world.state().media.delete(&call.node);
            deleted.then(|| json!({"success": true})).ok_or_else(unknown)
        }
        (&Method::GET, Kind::Template) => {
            let state = call.world.state();
            let (_, template) = state.catalogue.by_id(&call.node).ok_or_else(unknown)?;
            Ok(template.node(call.query.get("fields").map(String::as_str)))
        }
        (&Method::GET, Kind::NumberOrWaba) => Ok(number_or_waba(call)),
        // Settings of a number are accepted and ignored.
        (&Method::POST, Kind::NumberOrWaba) => parsed(body).map(|_| json!({"success": true})),
        _ => Err(unknown()),
    }
}

enum Kind {
    Medium,
    Template,
    NumberOrWaba,
}

/// Ids made here show their kind. All other ids are numbers or WABAs.
fn kind_of(id: &str) -> Kind {
    let made_here = id.len() == 17 && id.bytes().all(|byte| byte.is_ascii_digit());
    if made_here && id.starts_with(media::ID_PREFIX) {
        Kind::Medium
    } else if made_here && id.starts_with(stored_template::ID_PREFIX) {
        Kind::Template
    } else {
        Kind::NumberOrWaba
    }
}

fn medium(call: &GraphCall) -> Option<Value> {
    let state = call.world.state();
    let medium = state.media.get(&call.node)?;
    Some(json!({
        "messaging_product": "whatsapp",
        "url": format!("{}{}", call.origin, state.media.download_path(&medium.id)),
        "mime_type": medium.mime_type,
        "sha256": medium.sha256_hex(),
        "file_size": medium.bytes.len(),
        "id": medium.id,
    }))
}

fn number_or_waba(call: &GraphCall) -> Value {
    let mut state = call.world.state();
    let fields = call.query.get("fields").map(String::as_str);
    if state.numbers.knows_waba(&call.node) {
        let waba = json!({
            "id": call.node,
            "name": "Sample Business",
            "timezone_id": "1",
            "message_template_namespace": "sample",
            "account_review_status": "APPROVED",
        });
        return stored_template::select(&waba, fields.unwrap_or("name,timezone_id,message_template_namespace"));
    }
    number_node(state.numbers.get(&call.node), fields)
}

fn number_node(number: &BusinessNumber, fields: Option<&str>) -> Value {
    let level = if number.throughput > 80 { "HIGH" } else { "STANDARD" };
    let all = json!({
        "id": number.phone_number_id,
        "verified_name": number.verified_name,
        "display_phone_number": number.display(),
        "quality_rating": number.quality_rating,
        "status": number.status,
        "name_status": "APPROVED",
        "code_verification_status": "VERIFIED",
        "platform_type": "CLOUD_API",
        "account_mode": "LIVE",
        "throughput": {"level": level},
        "messaging_limit_tier": number.messaging_limit,
        "whatsapp_business_manager_messaging_limit": number.messaging_limit,
    });
    stored_template::select(&all, fields.unwrap_or(UNASKED_NUMBER_FIELDS))
}

pub(crate) fn phone_numbers(call: &GraphCall) -> Value {
    let mut state = call.world.state();
    state.numbers.know_waba(&call.node);
    let fields = call.query.get("fields").map(String::as_str);
    let numbers = state.numbers.of_waba(&call.node);
    let data: Vec<Value> = numbers.iter().map(|number| number_node(number, fields)).collect();
    json!({"data": data, "paging": {"cursors": {"before": "", "after": ""}}})
}

pub(crate) async fn subscribed_apps(call: &GraphCall, body: &[u8]) -> Result<Value, SimulatedGraphError> {
    call.world.state().numbers.know_waba(&call.node);
    match call.method {
        Method::POST => {
            let asked = parsed(body)?;
            let read = |field: &str| asked.get(field).and_then(Value::as_str);
            let uri = read("override_callback_uri");
            if uri.is_some() && !call.world.callbacks.handshake(uri, read("verify_token")).await {
                let error = SimulatedGraphError::parameter(
                    "Callback verification failed: the URL did not answer the challenge.",
                );
                return Err(error.with_subcode(2_200_000));
            }
            call.world.callbacks.set_override(&call.node, uri.map(str::to_owned));
            Ok(json!({"success": true}))
        }
        Method::DELETE => {
            call.world.callbacks.set_override(&call.node, None);
            Ok(json!({"success": true}))
        }
        _ => Ok(json!({"data": [{"whatsapp_business_api_data": {
            "id": "200000000000001",
            "link": "https://www.facebook.com/games/?app_id=200000000000001",
            "name": "Patchbay",
        }}]})),
    }
}
