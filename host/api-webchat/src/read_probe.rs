//! Tracks the frames that a widget has not read. A written frame may still be in buffers of the kernel, of proxies or
//! of the other end. So a probe (a ping with a mark) follows each page. Until the mark comes back, no further page is
//! sent, and the page keeps its room in the shares of its visitor and its address.

use std::time::Duration;

use tokio::time::Instant;

use super::limits::PageRoom;

/// Bytes of small frames that may be sent before a probe.
pub(super) const UNPROBED_BYTES: usize = 16 * 1024;

#[derive(Default)]
pub(super) struct UnreadBytes {
    unasked: usize,
    probes: u64,
    waiting: Option<Waiting>,
}

struct Waiting {
    mark: [u8; 8],
    since: Instant,
    _room: Option<PageRoom>,
}

impl UnreadBytes {
    /// True if the other end has not read everything.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// Returns the mark of a probe if one must follow; then the room is kept until the bytes are read.
    pub(super) fn count_sent(&mut self, bytes: usize, room: Option<PageRoom>) -> Option<[u8; 8]> {
        self.unasked += bytes;
        if self.unasked < UNPROBED_BYTES || self.is_waiting() {
            return None;
        }
        self.unasked = 0;
        self.probes += 1;
        let mark = self.probes.to_be_bytes();
        self.waiting = Some(Waiting { mark, since: Instant::now(), _room: room });
        Some(mark)
    }

    /// Records a mark that came back. Returns true if everything was read.
    pub(super) fn read(&mut self, mark: &[u8]) -> bool {
        self.waiting.take_if(|waiting| waiting.mark == mark).is_some()
    }

    pub(super) fn is_stuck(&self, patience: Duration) -> bool {
        self.waiting.as_ref().is_some_and(|waiting| waiting.since.elapsed() > patience)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time;

    use super::*;

    #[test]
    fn a_probe_follows_much_output_and_only_its_mark_proves_reading() {
        let mut unread = UnreadBytes::default();
        assert_eq!(unread.count_sent(UNPROBED_BYTES - 1, None), None);
        let mark = unread.count_sent(1, None).unwrap();
        assert!(unread.is_waiting());
        assert_eq!(unread.count_sent(2 * UNPROBED_BYTES, None), None, "one probe at a time");
        assert!(!unread.read(b"") && !unread.read(&7_u64.to_be_bytes()) && unread.is_waiting());
        assert!(unread.read(&mark) && !unread.is_waiting());
        assert!(!unread.read(&mark), "it was read before");
        assert_ne!(unread.count_sent(0, None), Some(mark), "bytes that were sent in between are asked for");
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_does_not_read_is_stuck_after_a_while() {
        let mut unread = UnreadBytes::default();
        let patience = Duration::from_secs(30);
        unread.count_sent(UNPROBED_BYTES, None);
        time::advance(patience).await;
        assert!(!unread.is_stuck(patience));
        time::advance(Duration::from_millis(1)).await;
        assert!(unread.is_stuck(patience));
        assert!(!UnreadBytes::default().is_stuck(Duration::ZERO), "nothing was sent");
    }
}
