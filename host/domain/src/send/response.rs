//! The answer to an accepted send (SPEC 2.5).

use chrono::{DateTime, Utc};

use crate::iso_time::iso_time;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::RejectedRecipient;
use crate::{
    channel::Channel,
    ids::{BatchId, RequestId},
};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SendResponse<'a> {
    pub response: &'a str,
    pub batch_id: BatchId,
    /// The request, byte for byte.
    pub req_object: &'a RawValue,
    pub status: SendStatus,
    pub message: String,
    /// To be logged by the client for diagnosis.
    pub request_id: RequestId,
    /// `WHATSAPP` or `SMS`.
    pub channel: &'a str,
    #[serde(serialize_with = "iso_8601")]
    pub timestamp: DateTime<Utc>,
    pub accepted_count: usize,
    pub rejected_count: usize,
    pub accepted_recipients: Vec<NamedRecipient<'a>>,
    pub rejected_recipients: Vec<&'a RejectedRecipient>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NamedRecipient<'a> {
    pub number: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ct_id: Option<&'a str>,
    /// System tracking id: the client's own, if the request had one.
    pub gst_id: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum SendStatus {
    Accepted,
    /// Some were rejected, or all.
    Partial,
}

impl SendStatus {
    pub const ALL: [Self; 2] = [Self::Accepted, Self::Partial];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "ACCEPTED",
            Self::Partial => "PARTIAL",
        }
    }
}

/// The facts of an accepted send request.
#[derive(Debug, Clone, Copy)]
pub struct SendReceipt {
    pub batch_id: BatchId,
    pub request_id: RequestId,
    pub accepted_at: DateTime<Utc>,
    pub channel: Channel,
}

impl<'a> SendResponse<'a> {
    /// `request` is the body byte for byte. The lengths of the lists are `acceptedCount` and `rejectedCount`.
    pub fn new(
        receipt: SendReceipt,
        request: &'a RawValue,
        accepted_recipients: Vec<NamedRecipient<'a>>,
        rejected_recipients: Vec<&'a RejectedRecipient>,
    ) -> Self {
        let (accepted_count, rejected_count) = (accepted_recipients.len(), rejected_recipients.len());
        let (status, message) = match rejected_count {
            0 => (SendStatus::Accepted, format!("{accepted_count} recipient(s) accepted")),
            _ => (SendStatus::Partial, format!("{accepted_count} recipient(s) accepted, {rejected_count} rejected")),
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
            accepted_count,
            rejected_count,
            accepted_recipients,
            rejected_recipients,
        }
    }
}

fn iso_8601<S: Serializer>(moment: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&iso_time(*moment))
}
