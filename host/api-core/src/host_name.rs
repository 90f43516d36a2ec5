//! The host name of a request.

use axum::http::{HeaderMap, Uri, header};

/// The host name of a request, without its port.
pub fn host_of<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> &'a str {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    uri.host().or_else(|| host.map(without_port)).unwrap_or_default()
}

/// `lite.example:8080` is `lite.example`.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_no_part_of_a_name() {
        assert_eq!(without_port("lite.example:8080"), "lite.example");
        assert_eq!(without_port("lite.example"), "lite.example");
    }
}
