//! The cost of an answer without its body: the peer chooses its size, number of parts and pace. All readers count with this file.

/// Informational answers (1xx) before an answer. Servers send one `100 Continue`, or a few `102 Processing` and `103 Early Hints`.
pub(super) const MOST_INFORMATIONAL: usize = 16;
/// Bytes of the head of an answer, with the informational answers before it.
pub(super) const MOST_HEAD_BYTES: usize = 64 * 1024;
/// Pieces of a body (chunks of HTTP) that are read with any size.
const FREE_PIECES: u64 = 16 * 1024;
/// Bytes that each further piece must have on average. A chunk of one byte costs as much as one of some kilobytes.
const LEAST_PER_PIECE: u64 = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    #[error("more than {MOST_INFORMATIONAL} informational answers (1xx) came before it")]
    Informational,
    #[error("its head has more than {MOST_HEAD_BYTES} bytes")]
    HeadBytes,
    #[error("its body came in too many pieces for its length")]
    Pieces,
}

#[derive(Debug, Default)]
pub(super) struct Pieces {
    count: u64,
    bytes: u64,
}

impl Pieces {
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Excess> {
        self.count += 1;
        self.bytes += bytes as u64;
        if self.count > FREE_PIECES + self.bytes / LEAST_PER_PIECE { Err(Excess::Pieces) } else { Ok(()) }
    }
}

/// Counts the heads of an answer before the HTTP library parses them: it parses any number of informational answers first.
#[derive(Debug, Default)]
pub(super) struct HeadScan {
    /// True if the head of the answer is over, or if these bytes are not a head.
    is_past: bool,
    bytes: usize,
    informational: usize,
    start: Start,
    line: Line,
}

/// `HTTP/1.1 200`: version and status, as far as they have come.
#[derive(Debug, Default)]
struct Start {
    had: usize,
    status: [u8; 3],
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Line {
    /// Nothing, or the first half of its end.
    #[default]
    Empty,
    Filled,
}

const VERSION: &[u8] = b"HTTP/";
const STATUS_AT: usize = b"HTTP/1.1 ".len();

impl Start {
    /// True if this can be the next byte of a status line.
    fn take(&mut self, byte: u8) -> bool {
        if VERSION.get(self.had).is_some_and(|expected| *expected != byte) {
            return false;
        }
        if let Some(digit) = self.had.checked_sub(STATUS_AT).and_then(|at| self.status.get_mut(at)) {
            *digit = byte;
        }
        self.had += 1;
        true
    }

    /// True if another head follows. `101 Switching Protocols` is the last one.
    fn is_informational(&self) -> bool {
        self.status[0] == b'1' && self.status != *b"101"
    }
}

impl HeadScan {
    pub(super) fn is_past(&self) -> bool {
        self.is_past
    }

    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<(), Excess> {
        for byte in bytes {
            if self.is_past {
                break;
            }
            self.bytes += 1;
            if self.bytes > MOST_HEAD_BYTES {
                return Err(Excess::HeadBytes);
            }
            match (byte, &self.line) {
                // Blank lines may stand before a status line.
                (b'\n', Line::Empty) if self.start.had == 0 => {}
                (b'\n', Line::Empty) => self.end_head()?,
                (b'\n', Line::Filled) => self.line = Line::Empty,
                (b'\r', Line::Empty) => {}
                (byte, _) => {
                    self.line = Line::Filled;
                    self.is_past = self.start.had < STATUS_AT + 3 && !self.start.take(*byte);
                }
            }
        }
        Ok(())
    }

    fn end_head(&mut self) -> Result<(), Excess> {
        if !self.start.is_informational() {
            self.is_past = true;
            return Ok(());
        }
        self.informational += 1;
        (self.start, self.line) = (Start::default(), Line::Empty);
        if self.informational > MOST_INFORMATIONAL { Err(Excess::Informational) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict on these bytes, read in pieces of this size, and if the head is over.
    fn scanned(bytes: &[u8], size: usize) -> (Result<(), Excess>, bool) {
        let mut scan = HeadScan::default();
        let verdict = bytes.chunks(size).try_for_each(|piece| scan.read(piece));
        (verdict, scan.is_past())
    }

    #[test]
    fn a_head_is_over_with_its_blank_line_however_it_is_cut_and_written() {
        for head in [
            "HTTP/1.1 200 OK\r\nA: b\r\n\r\n",
            "HTTP/1.1 204\n\n",
            "\r\n\r\nHTTP/1.0 503 Busy\r\nA: b\n\r\n",
            "HTTP/1.1 200 OK\r\nX: one\r\n two\r\n \r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        ] {
            for size in [1, 2, 3, 7, 1000] {
                assert_eq!(scanned(head.as_bytes(), size), (Ok(()), true), "{head:?} by {size}");
                let short = &head.as_bytes()[..head.len() - 1];
                assert_eq!(scanned(short, size), (Ok(()), false), "{head:?} without its end");
            }
        }
    }

    #[test]
    fn a_body_of_any_length_follows_a_head_and_is_not_counted() {
        let mut answer = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
        answer.resize(10 * MOST_HEAD_BYTES, b'\n');
        assert_eq!(scanned(&answer, 4096), (Ok(()), true));
        assert_eq!(scanned(&vec![b'x'; 10 * MOST_HEAD_BYTES], 4096), (Ok(()), true), "no head at all");
    }

    #[test]
    fn endless_heads_are_too_large() {
        let one = b"HTTP/1.1 100 Continue\r\n\r\n".to_vec();
        assert_eq!(scanned(&one.repeat(MOST_INFORMATIONAL), 10), (Ok(()), false));
        assert_eq!(scanned(&one.repeat(MOST_INFORMATIONAL + 1), 10).0, Err(Excess::Informational));
        let mut header = b"HTTP/1.1 200 OK\r\n".to_vec();
        header.resize(MOST_HEAD_BYTES, b'a');
        assert_eq!(scanned(&header, 10), (Ok(()), false));
        header.push(b'a');
        assert_eq!(scanned(&header, 10).0, Err(Excess::HeadBytes));
        assert_eq!(scanned(&b"\r\n".repeat(MOST_HEAD_BYTES), 10).0, Err(Excess::HeadBytes), "blank lines");
    }

    #[test]
    fn a_body_may_come_in_many_pieces_that_are_not_empty() {
        let mut pieces = Pieces::default();
        assert!((0..FREE_PIECES).all(|_| pieces.take(1).is_ok()));
        let taken = (0..FREE_PIECES).take_while(|_| pieces.take(1).is_ok()).count() as u64;
        assert!(taken < FREE_PIECES / 8, "{taken} further pieces of one byte");
        let mut pieces = Pieces::default();
        assert!((0..10 * FREE_PIECES).all(|_| pieces.take(LEAST_PER_PIECE as usize).is_ok()));
    }
}
