//! Reports about our messages. They name a moment, and sometimes messages.

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

/// Most messages that one report names; others are before its moment.
const MOST_NAMED: usize = 200;

/// The facts of `delivery` or `read`; `None` if it names neither a moment nor a message.
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
    let named = named.filter(|mid| !mid.is_empty() && mid.len() <= ID_MAX_BYTES).take(MOST_NAMED);
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
