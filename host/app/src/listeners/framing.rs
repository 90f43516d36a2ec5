//! Detects requests whose body has two lengths. The library uses one of them, and a proxy in front of us may have used
//! the other, so such a request is refused (RFC 9112, 6.1). The heads are inspected while they arrive.

/// Bytes of a head to inspect. Larger heads are not read.
const HEAD_MAX: usize = 64 * 1024;

/// Inspects the head of each request of one connection before the library does.
#[derive(Debug, Default)]
pub struct HeadWatch {
    head: Vec<u8>,
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
        let from = self.head.len().saturating_sub(3);
        let room = HEAD_MAX.saturating_sub(self.head.len());
        self.head.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        let end = self.head.get(from..).and_then(end_of_head);
        if end.is_none() && self.head.len() < HEAD_MAX {
            return false;
        }
        self.complete_at = Some(begun);
        let head = std::mem::take(&mut self.head);
        is_framed_twice(head.get(..from + end.unwrap_or_default()).unwrap_or(&head))
    }
}

/// Start of the empty line that ends a head.
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    let ends = |window: &[u8]| window.starts_with(b"\n\r\n") || window.starts_with(b"\n\n");
    (0..bytes.len()).find(|at| bytes.get(*at..).is_some_and(ends))
}

fn is_framed_twice(head: &[u8]) -> bool {
    let has = |name: &[u8]| {
        let mut lines = head.split(|byte| *byte == b'\n');
        lines.any(|line| line.split(|byte| *byte == b':').next().is_some_and(|said| said.eq_ignore_ascii_case(name)))
    };
    has(b"content-length") && has(b"transfer-encoding")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWICE: &[u8] = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n";
    const ONCE: &[u8] = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 31\r\n\r\nTransfer-Encoding: chunked\r\nab";

    #[test]
    fn a_body_that_is_framed_in_two_ways_is_noticed_however_the_head_comes() {
        assert!(HeadWatch::default().came(TWICE, 0));
        let mut watch = HeadWatch::default();
        let noticed = TWICE.iter().filter(|byte| watch.came(std::slice::from_ref(byte), 0)).count();
        assert_eq!(noticed, 1, "byte by byte");
        assert!(HeadWatch::default().came(b"GET / HTTP/1.1\ntransfer-encoding: x\ncontent-length: 1\n\n", 0));
    }

    #[test]
    fn one_way_is_right_and_bodies_are_not_looked_at() {
        let mut watch = HeadWatch::default();
        assert!(!watch.came(ONCE, 0));
        assert!(!watch.came(b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 0), "the rest of the body");
        assert!(watch.came(TWICE, 1), "the next request");
    }

    #[test]
    fn a_head_without_end_is_given_up() {
        let mut watch = HeadWatch::default();
        assert!(!watch.came(&vec![b'a'; HEAD_MAX - 1], 0));
        assert!(!watch.came(&[b'a'; 10], 0));
        assert!(watch.head.is_empty());
    }
}
