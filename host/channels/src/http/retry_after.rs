//! `Retry-After` in both of its forms (RFC 9110, 10.2.3).

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// A date is read against the answer's own `Date`, otherwise our clock. `None`: absent, unreadable or past.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the date is one of real time, and the business clock may have been moved"
    )]
    let now = Utc::now();
    wait(headers, now)
}

fn wait(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let value = text(headers, &RETRY_AFTER)?;
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let from = text(headers, &DATE).and_then(http_date).unwrap_or(now);
    (http_date(value)? - from).to_std().ok()
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

/// A date in one of the three forms that receivers must read (RFC 9110, 5.6.7), or as mails write it, with a numeric zone.
fn http_date(value: &str) -> Option<DateTime<Utc>> {
    let of_mail = || DateTime::parse_from_rfc2822(value).ok().map(|date| date.to_utc());
    httpdate::parse_http_date(value).ok().map(DateTime::from).or_else(of_mail)
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

    fn now() -> DateTime<Utc> {
        DateTime::parse_from_rfc3339("2026-10-21T07:28:00Z").unwrap().to_utc()
    }

    #[test]
    fn seconds_are_taken_as_they_are() {
        assert_eq!(retry_after(&headers("120", None)), Some(Duration::from_secs(120)));
        assert_eq!(retry_after(&headers(" 120 ", None)), Some(Duration::from_secs(120)));
    }

    #[test]
    fn a_date_counts_from_the_peers_own_clock() {
        let date = Some("Wed, 21 Oct 2026 09:28:00 GMT");
        assert_eq!(wait(&headers("Wed, 21 Oct 2026 09:29:30 GMT", date), now()), Some(Duration::from_secs(90)));
    }

    #[test]
    fn without_a_date_of_the_peer_it_counts_from_ours_in_every_form() {
        for retry in [
            "Wed, 21 Oct 2026 07:29:30 GMT",
            "Wednesday, 21-Oct-26 07:29:30 GMT",
            "Wed Oct 21 07:29:30 2026",
            "Wed, 21 Oct 2026 09:29:30 +0200",
        ] {
            assert_eq!(wait(&headers(retry, None), now()), Some(Duration::from_secs(90)), "{retry}");
            assert_eq!(wait(&headers(retry, Some("yesterday")), now()), Some(Duration::from_secs(90)), "{retry}");
        }
        let single_digit = headers("Sun Nov  1 07:28:00 2026", None);
        assert_eq!(wait(&single_digit, now()), Some(Duration::from_secs(11 * 24 * 60 * 60)));
    }

    #[test]
    fn invalid_values_and_past_times_are_ignored() {
        for retry in ["soon", "-5", "1.5", "", "Wed, 21 Oct 2026 07:00:00 GMT", "Wednesday, 21-Oct-26"] {
            assert_eq!(wait(&headers(retry, None), now()), None, "{retry}");
        }
        let past = headers("Wed, 21 Oct 2026 07:00:00 GMT", Some("Wed, 21 Oct 2026 07:28:00 GMT"));
        assert_eq!(wait(&past, now()), None);
    }
}
