//! Delivery statuses (PROVIDERS A.9).

use domain::inbound::{ProviderFailure, ProviderStatus, StatusUpdate};
use serde_json::Value;

use super::fields::{digits, instant, list, owned, text};
use crate::whatsapp_cloud::graph::integer;

/// What one element of `statuses` turned out to be.
pub(super) enum Parsed {
    Update(Box<StatusUpdate>),
    /// A status that has no place in our states (`deleted`, `warning`).
    Unmodelled(String),
    Malformed,
}

/// Reads one element of `statuses`.
pub(super) fn status_item(status: &Value) -> Parsed {
    let (Some(provider_id), Some(name), Some(at)) = (owned(status, "id"), text(status, "status"), instant(status))
    else {
        return Parsed::Malformed;
    };
    let Some(reached) = reached(name) else { return Parsed::Unmodelled(name.chars().take(32).collect()) };
    Parsed::Update(Box::new(StatusUpdate {
        provider_id,
        opaque: owned(status, "biz_opaque_callback_data"),
        status: reached,
        at,
        recipient: digits(status, "recipient_id"),
        recipient_user_id: owned(status, "recipient_user_id"),
        error: list(status, "errors").iter().find_map(failure),
    }))
}

/// The state that a status reports; `None` for one that has no place in ours.
pub(super) fn reached(name: &str) -> Option<ProviderStatus> {
    match name {
        "sent" => Some(ProviderStatus::Sent),
        "delivered" => Some(ProviderStatus::Delivered),
        "read" => Some(ProviderStatus::Read),
        "played" => Some(ProviderStatus::Played),
        "failed" => Some(ProviderStatus::Failed),
        _ => None,
    }
}

/// What is the same when a status comes again.
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
