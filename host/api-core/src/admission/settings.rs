//! The limits of admission.

use std::time::Duration;

use domain::{token_bucket::TokenRate, web_chat::largest_file};

use super::load::RequestLoad;

/// The limits of one process (`limits.*` of the configuration).
#[derive(Debug, Clone)]
pub struct AdmissionSettings {
    /// Requests of one client per second.
    pub requests_per_second: u32,
    /// Recipients of one client's sends per second.
    pub recipients_per_second: u32,
    /// Requests in flight.
    pub requests: u64,
    /// Requests in flight of one client.
    pub requests_per_client: u64,
    /// Requests in flight without a key from one source.
    pub requests_per_source: u64,
    /// Bytes of bodies and answers of requests in flight.
    pub bytes: u64,
    /// These bytes for one client.
    pub bytes_per_client: u64,
    /// These bytes for requests without a key from one source.
    pub bytes_per_source: u64,
    /// Requests of one client that use the database at the same time.
    pub turns_per_client: usize,
    /// Longest time in which a peer reads nothing of its answer.
    pub write_timeout: Duration,
    /// When a request may be ended in favour of another one.
    pub graces: GracePeriods,
}

/// The shortest waits for a peer after which a request may be ended in favour of another one.
#[derive(Debug, Clone, Copy)]
pub struct GracePeriods {
    /// In favour of a request of its own source.
    pub own_source: Duration,
    /// In favour of other sources and clients. It must be short: attackers open new connections as fast as old ones are
    /// ended. If all requests in flight were in their time of grace, a new one would be refused. It must be long enough
    /// for a body that is sent with its head.
    pub others: Duration,
}

impl Default for GracePeriods {
    fn default() -> Self {
        Self { own_source: Duration::from_secs(1), others: Duration::from_millis(100) }
    }
}

impl AdmissionSettings {
    pub(super) fn request_rate(&self) -> TokenRate {
        TokenRate::of(self.requests_per_second, 1)
    }

    pub(super) fn recipient_rate(&self) -> TokenRate {
        TokenRate::of(self.recipients_per_second, 1)
    }

    /// The limit of all requests without a key: half of the process, and room for the largest file of a visitor. Requests
    /// of providers have as much of their own.
    pub(super) fn of_strangers(&self) -> RequestLoad {
        let largest = u64::try_from(largest_file()).unwrap_or(u64::MAX).min(self.bytes);
        let requests = (self.requests / 2).max(1).min(self.requests);
        RequestLoad { requests, bytes: (self.bytes / 2).max(largest), answers: requests }
    }
}
