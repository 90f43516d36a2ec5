//! Bodies of the JSON SMS gateway (SPEC 2.14).

use chrono::{DateTime, SecondsFormat, Utc};
use domain::iso_time::iso_time;
use domain::{ids::SmsRequestId, sms_products::GatewayStatus};
use serde::Serialize;
use sms::json::TrackedMessage;
use utoipa::ToSchema;

use crate::closed_sets::{MessageStatusCode, SendStatusCode, TrackingStatusCode};

/// The result of a request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SmsSendAnswer)]
pub(super) struct SendAnswer {
    /// Id of the request, by which its messages can be tracked. Empty if nothing was stored.
    gstid: String,
    /// The result.
    #[schema(value_type = SendStatusCode)]
    status_code: &'static str,
    /// The status as a text for people.
    status_description: &'static str,
    /// Time of the answer, with the offset from UTC.
    #[schema(format = DateTime)]
    completion_time: String,
}

impl SendAnswer {
    pub(super) fn new(status: GatewayStatus, id: Option<SmsRequestId>, at: DateTime<Utc>) -> Self {
        Self {
            gstid: id.map(|id| id.to_string()).unwrap_or_default(),
            status_code: status.code(),
            status_description: status.description(),
            completion_time: at.to_rfc3339_opts(SecondsFormat::Millis, false),
        }
    }
}

/// The states of messages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SmsTracking)]
pub(super) struct TrackingAnswer {
    /// The result.
    #[schema(value_type = TrackingStatusCode)]
    status_code: &'static str,
    /// The status as a text for people.
    status_description: &'static str,
    /// One entry for each message, at most 1,000 for each selection.
    receipts: Vec<GatewayReceipt>,
}

/// The state of a message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GatewayReceipt {
    /// The client's tracking id.
    ctid: Option<String>,
    /// Id of the request.
    gstid: String,
    /// Id of the message.
    stid: String,
    /// The recipient's number.
    to: String,
    /// The client's own name of the recipient.
    identifier: Option<String>,
    /// The state.
    #[schema(value_type = MessageStatusCode)]
    status_code: &'static str,
    /// The status as a text for people.
    status_description: &'static str,
    /// Time of the last change.
    #[schema(format = DateTime)]
    time: String,
}

impl TrackingAnswer {
    pub(super) fn new(status: GatewayStatus, found: &[TrackedMessage]) -> Self {
        let one = |tracked: &TrackedMessage| {
            let status = GatewayStatus::of(tracked.state, tracked.receipt);
            GatewayReceipt {
                ctid: tracked.ct_id.clone(),
                gstid: tracked.request.to_string(),
                stid: tracked.id.to_string(),
                to: tracked.recipient.clone(),
                identifier: tracked.identifier.clone(),
                status_code: status.code(),
                status_description: status.description(),
                time: iso_time(tracked.moved_at),
            }
        };
        Self {
            status_code: status.code(),
            status_description: status.description(),
            receipts: found.iter().map(one).collect(),
        }
    }
}

/// Numbers that stopped the client's messages.
#[derive(Serialize, ToSchema)]
#[schema(as = SmsOptOuts)]
pub(super) struct OptOuts {
    /// The numbers in digits.
    pub(super) numbers: Vec<String>,
}

/// A number that may get messages again.
#[derive(Serialize, ToSchema)]
#[schema(as = SmsOptOutRemoved)]
pub(super) struct RemovedNumber {
    /// The number in digits.
    pub(super) number: String,
}

/// SMS credits.
#[derive(Serialize, ToSchema)]
#[schema(as = SmsBalance)]
pub(super) struct Balance {
    /// Number of segments at the default price.
    pub(super) balance: i64,
}
