//! Delivery statuses (PROVIDERS A.9).

use domain::inbound::{ProviderFailure, ProviderStatus, StatusUpdate};
use serde_json::Value;

use super::{
    fields::{digits, elements, instant, owned, text},
    message_fields::{NO_TIME, message_id},
};
use crate::whatsapp_cloud::graph::integer;

/// Other statuses are about payments and so on, and use the same words for something else.
pub(super) const OF_A_MESSAGE: &str = "message";

pub(super) enum ParsedStatus {
    Update(Box<StatusUpdate>),
    /// Not about delivery, or a value without a place in our states (`deleted`, `warning`): its kind and its name.
    Ignored(&'static str, String),
    Malformed(&'static str),
}

pub(super) fn status_item(status: &Value) -> ParsedStatus {
    if let Some(kind) = status.get("type").filter(|kind| !kind.is_null() && kind.as_str() != Some(OF_A_MESSAGE)) {
        return ParsedStatus::Ignored("status type", kind.as_str().map_or_else(|| kind.to_string(), str::to_owned));
    }
    let Some(name) = owned(status, "status") else { return ParsedStatus::Malformed("`status` is missing") };
    let Some(reached) = read_status(&name) else { return ParsedStatus::Ignored("status value", name) };
    let provider_id = match message_id(status) {
        Ok(id) => id,
        Err(reason) => return ParsedStatus::Malformed(reason),
    };
    let Some(at) = instant(status) else { return ParsedStatus::Malformed(NO_TIME) };
    ParsedStatus::Update(Box::new(StatusUpdate {
        provider_id,
        opaque: owned(status, "biz_opaque_callback_data"),
        status: reached,
        at,
        recipient: digits(status, "recipient_id"),
        recipient_user_id: owned(status, "recipient_user_id"),
        error: elements(status, "errors").iter().find_map(failure),
    }))
}

pub(super) fn read_status(name: &str) -> Option<ProviderStatus> {
    match name {
        "sent" => Some(ProviderStatus::Sent),
        "delivered" => Some(ProviderStatus::Delivered),
        "read" => Some(ProviderStatus::Read),
        "played" => Some(ProviderStatus::Played),
        "failed" => Some(ProviderStatus::Failed),
        _ => None,
    }
}

/// The same for each repetition of a status.
pub(super) fn dedupe_key(provider_id: &str, status: &str) -> String {
    format!("status:{provider_id}:{status}")
}

/// The first error with a code. Its details say most, then the message, then the title.
fn failure(error: &Value) -> Option<ProviderFailure> {
    let code = integer(error.get("code")?)?;
    let details = error.get("error_data").and_then(|data| text(data, "details"));
    let words = details.or_else(|| text(error, "message")).or_else(|| text(error, "title"));
    Some(ProviderFailure { code, text: words.unwrap_or("no description").to_owned() })
}
