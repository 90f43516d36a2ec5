//! `Retry-After` in both of its forms.

use std::time::Duration;

use chrono::DateTime;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// How long the peer asks to be left alone. A date is read against the answer's own `Date` header: only the peer's clock is
/// known to agree with itself. `None` when the header is absent or makes no sense.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let until = DateTime::parse_from_rfc2822(value).ok()?;
    let from = DateTime::parse_from_rfc2822(headers.get(DATE)?.to_str().ok()?).ok()?;
    (until - from).to_std().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(retry: &str, date: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, retry.parse().unwrap());
        if let Some(date) = date {
            headers.insert(DATE, date.parse().unwrap());
        }
        headers
    }

    #[test]
    fn seconds_are_taken_as_they_are() {
        assert_eq!(retry_after(&headers("120", None)), Some(Duration::from_secs(120)));
    }

    #[test]
    fn a_date_counts_from_the_peers_own_clock() {
        let date = Some("Wed, 21 Oct 2026 07:28:00 GMT");
        assert_eq!(retry_after(&headers("Wed, 21 Oct 2026 07:29:30 GMT", date)), Some(Duration::from_secs(90)));
        assert_eq!(retry_after(&headers("Wed, 21 Oct 2026 07:29:30 GMT", None)), None);
    }

    #[test]
    fn nonsense_and_the_past_are_ignored() {
        assert_eq!(retry_after(&headers("soon", None)), None);
        assert_eq!(retry_after(&headers("Wed, 21 Oct 2026 07:00:00 GMT", Some("Wed, 21 Oct 2026 07:28:00 GMT"))), None);
    }
}
