//! The limits that affect the result of a call, recorded with it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{CallLimits, HttpLimits};

/// The limits of a recorded call, without those of time, because time is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedLimits {
    memory_bytes: usize,
    table_elements: usize,
    transfer_bytes: usize,
    host_calls: u32,
    log_bytes: usize,
    output_bytes: usize,
    handles: usize,
    actions: usize,
    body_bytes: usize,
    value_bytes: usize,
    written_keys: usize,
    http_requests: u32,
    http_request_bytes: usize,
    http_response_bytes: usize,
    http_headers: usize,
    http_header_bytes: usize,
}

impl RecordedLimits {
    pub(crate) fn of(limits: &CallLimits) -> Self {
        Self {
            memory_bytes: limits.memory_bytes,
            table_elements: limits.table_elements,
            transfer_bytes: limits.transfer_bytes,
            host_calls: limits.host_calls,
            log_bytes: limits.log_bytes,
            output_bytes: limits.output_bytes,
            handles: limits.handles,
            actions: limits.actions,
            body_bytes: limits.body_bytes,
            value_bytes: limits.value_bytes,
            written_keys: limits.written_keys,
            http_requests: limits.http_requests,
            http_request_bytes: limits.http_request_bytes,
            http_response_bytes: limits.http_response_bytes,
            http_headers: limits.http_headers,
            http_header_bytes: limits.http_header_bytes,
        }
    }

    /// These limits with the HTTP limits of another activation.
    pub fn with_http(self, wanted: HttpLimits, operator: &Arc<CallLimits>) -> Self {
        let limits = wanted.within(operator);
        Self { http_requests: limits.http_requests, http_response_bytes: limits.http_response_bytes, ..self }
    }

    /// The present limits, with these in their places.
    pub(crate) fn over(&self, today: &CallLimits) -> CallLimits {
        CallLimits {
            memory_bytes: self.memory_bytes,
            table_elements: self.table_elements,
            transfer_bytes: self.transfer_bytes,
            host_calls: self.host_calls,
            log_bytes: self.log_bytes,
            output_bytes: self.output_bytes,
            handles: self.handles,
            actions: self.actions,
            body_bytes: self.body_bytes,
            value_bytes: self.value_bytes,
            written_keys: self.written_keys,
            http_requests: self.http_requests,
            http_request_bytes: self.http_request_bytes,
            http_response_bytes: self.http_response_bytes,
            http_headers: self.http_headers,
            http_header_bytes: self.http_header_bytes,
            ..today.clone()
        }
    }
}
