//! The answer to an accepted send (SPEC 2.5).

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::RejectedRecipient;
use crate::{
    channel::Channel,
    ids::{BatchId, RequestId},
};

/// Body of a 202. All fields on all send endpoints (DESIGN 7).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SendResponse<'a> {
    /// Acceptance text.
    pub response: &'a str,
    /// Batch identifier.
    pub batch_id: BatchId,
    /// The request, byte for byte.
    pub req_object: &'a RawValue,
    /// Whether all recipients were accepted.
    pub status: SendStatus,
    /// Acceptance text with the counts.
    pub message: String,
    /// To be logged by the client for diagnosis.
    pub request_id: RequestId,
    /// `WHATSAPP` or `SMS`.
    pub channel: &'a str,
    /// When it was accepted, ISO 8601.
    #[serde(serialize_with = "iso_8601")]
    pub timestamp: DateTime<Utc>,
    /// Recipients that will be sent to.
    pub accepted_count: usize,
    /// Recipients that will not.
    pub rejected_count: usize,
    /// One entry each; empty when all were accepted.
    pub rejected_recipients: Vec<&'a RejectedRecipient>,
}

/// `status` of a [`SendResponse`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum SendStatus {
    /// Every recipient.
    Accepted,
    /// Some were rejected, or all.
    Partial,
}

/// What happened to a send request.
#[derive(Debug, Clone, Copy)]
pub struct SendReceipt {
    /// Batch identifier.
    pub batch_id: BatchId,
    /// The request's own id.
    pub request_id: RequestId,
    /// When it was accepted.
    pub accepted_at: DateTime<Utc>,
    /// Recipients that will be sent to.
    pub accepted_count: usize,
    /// Which way it goes.
    pub channel: Channel,
}

impl<'a> SendResponse<'a> {
    /// `request`: the body as it came. The list of rejected recipients gives `rejectedCount`.
    pub fn new(
        receipt: SendReceipt,
        request: &'a RawValue,
        rejected: impl IntoIterator<Item = &'a RejectedRecipient>,
    ) -> Self {
        let rejected_recipients: Vec<_> = rejected.into_iter().collect();
        let rejected_count = rejected_recipients.len();
        let (status, message) = match rejected_count {
            0 => (SendStatus::Accepted, format!("{} recipient(s) accepted", receipt.accepted_count)),
            _ => {
                let message = format!("{} recipient(s) accepted, {rejected_count} rejected", receipt.accepted_count);
                (SendStatus::Partial, message)
            }
        };
        Self {
            response: "Accepted for processing",
            batch_id: receipt.batch_id,
            req_object: request,
            status,
            message,
            request_id: receipt.request_id,
            channel: receipt.channel.as_str(),
            timestamp: receipt.accepted_at,
            accepted_count: receipt.accepted_count,
            rejected_count,
            rejected_recipients,
        }
    }
}

fn iso_8601<S: Serializer>(moment: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&moment.to_rfc3339_opts(SecondsFormat::Millis, true))
}
