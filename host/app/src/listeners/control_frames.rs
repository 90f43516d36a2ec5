//! Counts the frames of an HTTP/2 connection that bring no request forward. Each of them costs processor time, and the
//! library answers PINGs and SETTINGS without a limit. Counts the bytes that the library keeps, too: an unfinished frame,
//! and the header block before it.

use tokio::time::Instant;

/// The bytes that begin an HTTP/2 connection (RFC 9113, 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Bytes of the head of a frame.
const HEAD: usize = 9;
/// Frames that a connection may send at once.
const BURST: u32 = 1_000;
/// Frames that it may send per second on average. Clients send a PING every few seconds.
const PER_SECOND: u32 = 100;

const DATA: u8 = 0x0;
const HEADERS: u8 = 0x1;
const PRIORITY: u8 = 0x2;
const SETTINGS: u8 = 0x4;
const PING: u8 = 0x6;
/// The highest type that the library knows.
const CONTINUATION: u8 = 0x9;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    /// So many bytes of the preface have come.
    Preface(usize),
    Http2,
    Other,
}

/// The received bytes of a connection.
#[derive(Debug)]
pub(super) struct ControlFrames {
    protocol: Protocol,
    /// The part of a frame head that has come.
    head: Vec<u8>,
    /// Bytes of the payload that are still to come.
    payload: usize,
    /// Bytes of the frame, and of the frames before it if they are one header block.
    unfinished: usize,
    /// A header block continues after the frame.
    is_block_open: bool,
    left: u32,
    refilled: Option<Instant>,
}

impl Default for ControlFrames {
    fn default() -> Self {
        let head = Vec::with_capacity(HEAD);
        Self {
            protocol: Protocol::Preface(0),
            head,
            payload: 0,
            unfinished: 0,
            is_block_open: false,
            left: BURST,
            refilled: None,
        }
    }
}

impl ControlFrames {
    /// Takes received bytes. Returns `true` if the peer has sent too many such frames.
    pub fn came(&mut self, bytes: &[u8], now: Instant) -> bool {
        let mut rest = self.after_preface(bytes);
        let mut found = 0_u32;
        while !rest.is_empty() && self.protocol == Protocol::Http2 {
            let (taken, behind) = rest.split_at(rest.len().min(self.payload));
            self.payload -= taken.len();
            self.unfinished += taken.len();
            let (head, behind) = behind.split_at(behind.len().min(HEAD - self.head.len()));
            self.head.extend_from_slice(head);
            rest = behind;
            if let Ok([high, middle, low, kind, flags, ..]) = <[u8; HEAD]>::try_from(self.head.as_slice()) {
                let length = u32::from_be_bytes([0, high, middle, low]);
                found = found.saturating_add(u32::from(costs_without_use(kind, flags, length)));
                self.payload = usize::try_from(length).unwrap_or(usize::MAX);
                self.is_block_open = matches!(kind, HEADERS | CONTINUATION) && flags & END_HEADERS == 0;
                self.head.clear();
            }
            if self.payload == 0 && !self.is_block_open {
                self.unfinished = 0;
            }
        }
        found > 0 && self.exceeds(found, now)
    }

    /// Bytes of an unfinished frame or header block. `None` for another protocol.
    pub fn unfinished(&self) -> Option<usize> {
        (self.protocol == Protocol::Http2).then_some(self.unfinished)
    }

    fn after_preface<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let Protocol::Preface(seen) = self.protocol else { return bytes };
        let wanted = PREFACE.get(seen..).unwrap_or_default();
        let (begin, rest) = bytes.split_at(bytes.len().min(wanted.len()));
        self.protocol = match (wanted.starts_with(begin), begin.len() == wanted.len()) {
            (false, _) => Protocol::Other,
            (true, true) => Protocol::Http2,
            (true, false) => Protocol::Preface(seen + begin.len()),
        };
        rest
    }

    fn exceeds(&mut self, found: u32, now: Instant) -> bool {
        let since = now - *self.refilled.get_or_insert(now);
        let more = u32::try_from(since.as_millis()).unwrap_or(u32::MAX).saturating_mul(PER_SECOND) / 1_000;
        if more > 0 {
            self.left = self.left.saturating_add(more).min(BURST);
            self.refilled = Some(now);
        }
        let left = self.left.checked_sub(found);
        self.left = left.unwrap_or(0);
        left.is_none()
    }
}

const END_HEADERS: u8 = 0x4;

/// True for PING, SETTINGS, PRIORITY, unknown types, and empty DATA that does not end a stream.
fn costs_without_use(kind: u8, flags: u8, length: u32) -> bool {
    const END_STREAM: u8 = 0x1;
    match kind {
        PRIORITY | SETTINGS | PING => true,
        DATA => length == 0 && flags & END_STREAM == 0,
        other => other > CONTINUATION,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The time in which a used up allowance is full again.
    const REFILL: Duration = Duration::from_secs((BURST / PER_SECOND) as u64);

    fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&length[1..], &[kind, flags, 0, 0, 0, 0], payload].concat()
    }

    fn http2() -> ControlFrames {
        let mut frames = ControlFrames::default();
        assert!(!frames.came(PREFACE, Instant::now()));
        frames
    }

    #[test]
    fn as_many_as_the_burst_pass_and_one_more_is_too_many() {
        let (mut frames, now) = (http2(), Instant::now());
        let pings = frame(PING, 0, &[0; 8]).repeat(usize::try_from(BURST).unwrap());
        assert!(!frames.came(&pings, now));
        assert!(frames.came(&frame(PING, 0, &[0; 8]), now));
    }

    #[test]
    fn the_allowance_is_full_again_after_a_while() {
        let (mut frames, now) = (http2(), Instant::now());
        let settings = frame(SETTINGS, 0, &[]).repeat(usize::try_from(BURST).unwrap());
        assert!(!frames.came(&settings, now));
        assert!(frames.came(&settings, now + REFILL / 2));
        assert!(!frames.came(&settings, now + REFILL * 2));
    }

    #[test]
    fn frames_are_found_however_they_are_cut_into_reads() {
        let now = Instant::now();
        let bytes = [PREFACE.to_vec(), frame(PING, 0, &[0; 8]).repeat(1_001)].concat();
        for size in [1, 7, 9, 17, 1_000] {
            let mut frames = ControlFrames::default();
            let parts = bytes.chunks(size).filter(|part| frames.came(part, now)).count();
            assert_eq!(parts, 1, "reads of {size} bytes");
        }
    }

    #[test]
    fn requests_and_their_bodies_are_free() {
        let (mut frames, now) = (http2(), Instant::now());
        let headers = frame(0x1, 0x4, &[0; 40]);
        let window_update = frame(0x8, 0, &[0; 4]);
        let data = frame(DATA, 0, &[0; 500]);
        let end = frame(DATA, 0x1, &[]);
        let request = [headers, window_update, data, end].concat();
        assert!(!frames.came(&request.repeat(5_000), now));
    }

    #[test]
    fn empty_data_priority_and_unknown_frames_count() {
        for useless in [frame(DATA, 0, &[]), frame(PRIORITY, 0, &[0; 5]), frame(0x1f, 0, &[0; 3])] {
            assert!(http2().came(&useless.repeat(1_001), Instant::now()), "{useless:?}");
        }
    }

    #[test]
    fn a_frame_and_a_header_block_count_until_their_end() {
        let (mut frames, now) = (http2(), Instant::now());
        let steps = [
            (frame(HEADERS, 0, &[0; 400]), 400),
            (frame(CONTINUATION, 0, &[0; 300]), 700),
            (frame(CONTINUATION, END_HEADERS, &[0; 100])[..59].to_vec(), 750),
            (vec![0; 50], 0),
            (frame(DATA, 0, &[0; 100])[..49].to_vec(), 40),
            (vec![0; 60], 0),
            (frame(HEADERS, END_HEADERS, &[0; 30]), 0),
            (frame(PING, 0, &[0; 8]), 0),
        ];
        for (bytes, unfinished) in steps {
            assert!(!frames.came(&bytes, now));
            assert_eq!(frames.unfinished(), Some(unfinished));
        }
        assert_eq!(ControlFrames::default().unfinished(), None);
    }

    #[test]
    fn another_protocol_is_never_counted() {
        let mut frames = ControlFrames::default();
        let request = b"PRINT / HTTP/1.1\r\nhost: a\r\n\r\n".repeat(2_000);
        assert!(!frames.came(&request, Instant::now()));
        assert!(!frames.came(&frame(PING, 0, &[0; 8]).repeat(2_000), Instant::now()));
    }
}
