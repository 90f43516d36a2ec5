//! Error bodies for refusals of the HTTP library. It writes a head without a body, which is replaced on its way out.

use api::EarlyFault;

/// The fault behind these bytes of the library. `None` for other output. Answers of handlers have a request id.
pub fn refused_by(written: &[u8]) -> Option<EarlyFault> {
    let behind_version = written.strip_prefix(b"HTTP/1.1 ").or_else(|| written.strip_prefix(b"HTTP/1.0 "))?;
    let fault = match behind_version.get(..4)? {
        b"400 " => EarlyFault::NotHttp,
        b"414 " | b"431 " => EarlyFault::HeadTooLarge,
        _ => return None,
    };
    let head = std::str::from_utf8(written).ok()?;
    let is_bare = head.find("\r\n\r\n") == head.len().checked_sub(4) && !head.contains("\r\nx-request-id: ");
    is_bare.then_some(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_of_the_library_is_told_from_the_answer_of_a_handler() {
        let bare = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\ndate: Wed, 25 Nov 2026 23:00:00 GMT\r\n\r\n";
        assert_eq!(refused_by(bare), Some(EarlyFault::NotHttp));
        let large = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(refused_by(large), Some(EarlyFault::HeadTooLarge));
        for other in [
            &b"HTTP/1.1 400 Bad Request\r\nx-request-id: 7\r\ncontent-length: 0\r\n\r\n"[..],
            b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}",
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            b"HTTP/1.1 4",
            b"",
        ] {
            assert_eq!(refused_by(other), None);
        }
    }
}
