//! Requests and bytes in flight.

/// Requests in flight, and the bytes that they hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RequestLoad {
    pub requests: u64,
    pub bytes: u64,
}

impl RequestLoad {
    pub fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.bytes += other.bytes;
    }

    pub fn remove(&mut self, other: Self) {
        self.requests = self.requests.saturating_sub(other.requests);
        self.bytes = self.bytes.saturating_sub(other.bytes);
    }
}
