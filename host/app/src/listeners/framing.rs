//! Detects requests whose body has two lengths. The library uses one of them, and a proxy in front of us may have used
//! the other, so such a request is refused (RFC 9112, 6.1). The heads are inspected while they arrive.

/// Bytes of a head to inspect. Larger heads are not read.
const HEAD_MAX: usize = 64 * 1024;
const LENGTH: &[u8] = b"content-length";
const CODING: &[u8] = b"transfer-encoding";

/// Inspects the head of each request of one connection before the library does, without a copy of it.
#[derive(Debug, Default)]
pub struct HeadWatch {
    /// Bytes of the current head.
    seen: usize,
    /// Bytes of the current line, without its end.
    in_line: usize,
    /// The beginning of the current line, as far as the names differ from others, in small letters.
    name: [u8; CODING.len()],
    has_length: bool,
    has_coding: bool,
    /// Number of requests at the completion of the last head.
    complete_at: Option<usize>,
}

impl HeadWatch {
    /// Takes bytes that arrived while no request was in flight; `begun` counts the requests so far. Returns true if the
    /// bytes complete a head with two lengths of the body. Pipelined requests are not inspected: the library ends the
    /// connection after a request with two lengths.
    pub fn came(&mut self, bytes: &[u8], begun: usize) -> bool {
        if self.complete_at == Some(begun) {
            return false;
        }
        for byte in bytes {
            self.seen += 1;
            if self.takes_last(*byte) || self.seen >= HEAD_MAX {
                let framed_twice = self.has_length && self.has_coding;
                *self = Self { complete_at: Some(begun), ..Self::default() };
                return framed_twice;
            }
        }
        false
    }

    /// Takes a byte. `true` if it ends the empty line behind a head.
    fn takes_last(&mut self, byte: u8) -> bool {
        match byte {
            b'\n' => {
                let is_end = self.in_line == 0 && self.seen > 2;
                self.in_line = 0;
                return is_end;
            }
            b'\r' => return false,
            b':' => {
                let name = self.name.get(..self.in_line);
                self.has_length |= name == Some(LENGTH);
                self.has_coding |= name == Some(CODING);
                // The rest of the line is no name.
                self.in_line = CODING.len();
            }
            other => {
                if let Some(place) = self.name.get_mut(self.in_line) {
                    *place = other.to_ascii_lowercase();
                }
            }
        }
        self.in_line = self.in_line.saturating_add(1);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWICE: &[u8] = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n";
    const ONCE: &[u8] = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 31\r\n\r\nTransfer-Encoding: chunked\r\nab";

    #[test]
    fn a_body_framed_in_two_ways_is_detected_at_any_split_of_the_head() {
        assert!(HeadWatch::default().came(TWICE, 0));
        let mut watch = HeadWatch::default();
        let noticed = TWICE.iter().filter(|byte| watch.came(std::slice::from_ref(byte), 0)).count();
        assert_eq!(noticed, 1, "byte by byte");
        assert!(HeadWatch::default().came(b"GET / HTTP/1.1\ntransfer-encoding: x\ncontent-length: 1\n\n", 0));
    }

    #[test]
    fn a_head_with_one_framing_is_accepted_and_bodies_are_not_parsed() {
        let mut watch = HeadWatch::default();
        assert!(!watch.came(ONCE, 0));
        assert!(!watch.came(b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 0), "the rest of the body");
        assert!(watch.came(TWICE, 1), "the next request");
    }

    #[test]
    fn an_endless_head_is_refused() {
        let mut watch = HeadWatch::default();
        assert!(!watch.came(&vec![b'a'; HEAD_MAX - 1], 0));
        assert!(!watch.came(&[b'a'; 10], 0));
        assert_eq!((watch.seen, watch.complete_at), (0, Some(0)));
    }
}
