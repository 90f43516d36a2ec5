//! Delivery and read receipts of our messages. A receipt has a time, the watermark, and sometimes ids of messages
//! (`mids`).

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    inbound::{CallbackBody, ProviderStatus, StatusUpdate, Watermark},
};
use serde_json::{Value, json};

use crate::{
    messenger::ids::ID_MAX_BYTES,
    whatsapp_cloud::callback::fields::{elements, instant},
};

/// Most ids that are taken from one receipt. Its watermark covers the other messages.
const MOST_IDS: usize = 200;

/// Returns the facts of a `delivery` or `read` receipt, each with its deduplication key. `None` if no time is known, or
/// if there is neither a watermark nor an id.
pub(super) fn facts(
    customer: Address,
    report: &Value,
    status: ProviderStatus,
    entry: &Value,
) -> Option<Vec<(String, CallbackBody)>> {
    let moment = |field: Option<&Value>| instant(&json!({ "timestamp": field? }));
    let until = moment(report.get("watermark"));
    let at = until.or_else(|| moment(entry.get("time")))?;
    let name = if status == ProviderStatus::Read { "read" } else { "delivered" };
    let named = elements(report, "mids").iter().filter_map(Value::as_str);
    let named = named.filter(|mid| !mid.is_empty() && mid.len() <= ID_MAX_BYTES).take(MOST_IDS);
    let mut facts: Vec<(String, CallbackBody)> = named
        .map(|mid| (format!("status:{mid}:{name}"), CallbackBody::Status(status_update(mid, status, at))))
        .collect();
    if let Some(until) = until {
        let fact = format!("{name}:{}:{}", customer.value(), until.timestamp_millis());
        facts.push((fact, CallbackBody::Watermark(Watermark { to: customer, status, until })));
    }
    (!facts.is_empty()).then_some(facts)
}

fn status_update(mid: &str, status: ProviderStatus, at: DateTime<Utc>) -> StatusUpdate {
    StatusUpdate {
        provider_id: mid.to_owned(),
        opaque: None,
        status,
        at,
        recipient: None,
        recipient_user_id: None,
        error: None,
    }
}
