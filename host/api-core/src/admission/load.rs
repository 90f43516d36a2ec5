//! Requests, bytes and answers in flight.

/// Requests in flight, the bytes that they hold, and answers to requests without a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RequestLoad {
    pub requests: u64,
    pub bytes: u64,
    pub answers: u64,
}

impl RequestLoad {
    pub fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.answers += other.answers;
    }

    pub fn remove(&mut self, other: Self) {
        self.requests = self.requests.saturating_sub(other.requests);
        self.bytes = self.bytes.saturating_sub(other.bytes);
        self.answers = self.answers.saturating_sub(other.answers);
    }
}
