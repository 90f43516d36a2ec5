//! The reasons why a request is not taken, and their errors.

use std::time::Duration;

use super::{account::Owner, settings::AdmissionSettings};
use crate::error::{ApiError, ErrorKind};

/// Wait of a caller with a full share.
const RETRY_AFTER: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AdmissionRefusal {
    /// The client has this many requests in flight, which is its limit.
    RequestsOfClient(u64),
    /// The limit of bytes of its bodies and answers is reached.
    BytesOfClient(u64),
    /// The address has this many requests in flight, which is its limit.
    RequestsOfSource(u64),
    /// The limit of bytes of its bodies and answers is reached.
    BytesOfSource(u64),
    /// The limit of all requests without a key is reached.
    Strangers,
    /// A limit of the process is reached.
    Process,
    /// There is never room for a body of this size.
    NeverFits {
        /// The least size of the body.
        bytes: u64,
        /// Name of the setting.
        limit: &'static str,
        /// Its value.
        most: u64,
    },
    /// The client sends requests too fast.
    RequestsPerSecond(Duration),
    /// The client sends to recipients too fast.
    RecipientsPerSecond(Duration),
    /// The request was the slowest of the largest account, and others needed the room.
    Ended,
}

impl AdmissionRefusal {
    pub fn requests_of(owner: Owner, most: u64) -> Self {
        match owner {
            Owner::Client(_) => Self::RequestsOfClient(most),
            Owner::Source(_) | Owner::CallbackSource(_) => Self::RequestsOfSource(most),
        }
    }

    pub fn bytes_of(owner: Owner, most: u64) -> Self {
        match owner {
            Owner::Client(_) => Self::BytesOfClient(most),
            Owner::Source(_) | Owner::CallbackSource(_) => Self::BytesOfSource(most),
        }
    }

    /// Returns the error, and counts it in the metrics.
    pub fn error(self, settings: &AdmissionSettings) -> ApiError {
        metrics::counter!("patchbay_http_requests_refused_total", "limit" => self.limit()).increment(1);
        match self {
            Self::RequestsOfClient(most) => too_much("your client", &format!("{most} requests")),
            Self::BytesOfClient(most) => too_much("your client", &format!("bodies and answers of {most} bytes")),
            Self::RequestsOfSource(most) => too_much("your address", &format!("{most} requests")),
            Self::BytesOfSource(most) => too_much("your address", &format!("bodies and answers of {most} bytes")),
            Self::Strangers | Self::Process => ApiError::overloaded(),
            Self::NeverFits { bytes, limit, most } => {
                let said = format!("a body of {bytes} bytes is too large: {limit} allows {most} bytes");
                ApiError::new(ErrorKind::PayloadTooLarge, said)
            }
            Self::RequestsPerSecond(wait) => {
                let rate = settings.requests_per_second;
                let said =
                    format!("your client may make {rate} requests a second: wait for the seconds in Retry-After");
                ApiError::new(ErrorKind::TooManyRequests, said).retry_after(wait)
            }
            Self::RecipientsPerSecond(wait) => {
                let rate = settings.recipients_per_second;
                let said =
                    format!("your client may send to {rate} recipients a second: wait for the seconds in Retry-After");
                ApiError::new(ErrorKind::TooManyRequests, said).retry_after(wait)
            }
            Self::Ended => {
                let said = "the server is busy, and this request waited longer than others: send it again";
                ApiError::new(ErrorKind::Unavailable, said).retry_after(RETRY_AFTER)
            }
        }
    }

    fn limit(self) -> &'static str {
        match self {
            Self::RequestsOfClient(_) => "requests_in_flight_per_client",
            Self::BytesOfClient(_) => "bytes_in_flight_per_client",
            Self::RequestsOfSource(_) => "requests_in_flight_per_source",
            Self::BytesOfSource(_) => "bytes_in_flight_per_source",
            Self::Strangers => "in_flight_without_key",
            Self::Process => "in_flight",
            Self::NeverFits { .. } => "body",
            Self::RequestsPerSecond(_) => "requests_per_second_per_client",
            Self::RecipientsPerSecond(_) => "recipients_per_second_per_client",
            Self::Ended => "slowest",
        }
    }
}

fn too_much(whose: &str, what: &str) -> ApiError {
    let said = format!("{whose} may have {what} in flight: wait for answers before you send more");
    ApiError::new(ErrorKind::TooManyRequests, said).retry_after(RETRY_AFTER)
}
