//! Byte ranges of files (RFC 9110, 13 and 14). If a request has several ranges, it gets the whole file, which every
//! client must accept. Players and resumed downloads ask for one range.

use std::ops::Range;

use axum::http::{HeaderMap, HeaderName, header};
use chrono::{DateTime, SubsecRound, Utc};

pub(crate) struct FileState<'a> {
    pub size: u64,
    /// Its entity tag, in quotes.
    pub tag: &'a str,
    pub modified: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RangeAnswer {
    /// 200 with the whole file.
    Whole,
    /// 206 with these bytes.
    Part(Range<u64>),
    /// 304: the caller has the file.
    NothingNew,
    /// 416: the range is behind the end.
    Beyond,
}

impl FileState<'_> {
    pub(crate) fn requested_range(&self, headers: &HeaderMap) -> RangeAnswer {
        if self.is_known(headers) {
            return RangeAnswer::NothingNew;
        }
        let ranges = text(headers, header::RANGE).filter(|_| self.range_applies(headers));
        ranges.and_then(|said| one_range(said, self.size)).unwrap_or(RangeAnswer::Whole)
    }

    /// True if the caller has the file. If there is a tag, the date is ignored.
    fn is_known(&self, headers: &HeaderMap) -> bool {
        if let Some(tags) = text(headers, header::IF_NONE_MATCH) {
            let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
            return tags.split(',').map(bare).any(|tag| tag == "*" || tag == self.tag);
        }
        date(headers, header::IF_MODIFIED_SINCE).is_some_and(|since| self.last_modified_second() <= since)
    }

    /// True if the caller's part belongs to the present file. Any other tag or date means another file.
    fn range_applies(&self, headers: &HeaderMap) -> bool {
        match text(headers, header::IF_RANGE) {
            None => true,
            Some(tag) if tag.starts_with('"') || tag.starts_with("W/") => tag == self.tag,
            Some(_) => date(headers, header::IF_RANGE) == Some(self.last_modified_second()),
        }
    }

    fn last_modified_second(&self) -> DateTime<Utc> {
        self.modified.trunc_subsecs(0)
    }

    pub(crate) fn last_modified(&self) -> String {
        httpdate::fmt_http_date(self.last_modified_second().into())
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

fn date(headers: &HeaderMap, name: HeaderName) -> Option<DateTime<Utc>> {
    httpdate::parse_http_date(text(headers, name)?).ok().map(DateTime::from)
}

/// Parses the range in a header. `None` if it is not a range of bytes, or if there are several.
fn one_range(said: &str, size: u64) -> Option<RangeAnswer> {
    let (unit, ranges) = said.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let mut ranges = ranges.split(',').map(str::trim).filter(|range| !range.is_empty());
    let (first, last) = match (ranges.next(), ranges.next()) {
        (Some(only), None) => only.split_once('-')?,
        _ => return None,
    };
    let (first, last) = (first.trim(), last.trim());
    let range = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Some(first), None) if last.is_empty() => first..size,
        (None, Some(length)) if first.is_empty() => {
            if length == 0 {
                return Some(RangeAnswer::Beyond);
            }
            size.saturating_sub(length)..size
        }
        _ => return None,
    };
    Some(if range.is_empty() { RangeAnswer::Beyond } else { RangeAnswer::Part(range) })
}

/// Parses a whole number of any length.
fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "\"7\"";

    fn range_of(size: u64, headers: &[(HeaderName, &str)]) -> RangeAnswer {
        let modified = DateTime::parse_from_rfc3339("2026-11-18T12:00:00.750Z").unwrap().to_utc();
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
        FileState { size, tag: TAG, modified }.requested_range(&headers)
    }

    fn range(said: &str) -> RangeAnswer {
        range_of(100, &[(header::RANGE, said)])
    }

    #[test]
    fn one_range_is_a_part() {
        for (said, part) in [
            ("bytes=0-0", 0..1),
            ("bytes=0-1", 0..2),
            ("bytes=0-", 0..100),
            ("bytes=99-", 99..100),
            ("bytes=10-19", 10..20),
            ("bytes=90-200", 90..100),
            ("bytes=-1", 99..100),
            ("bytes=-200", 0..100),
            ("Bytes = 5 - 6", 5..7),
            ("bytes=0-99999999999999999999999", 0..100),
            ("bytes=3-4,", 3..5),
        ] {
            assert_eq!(range(said), RangeAnswer::Part(part), "{said}");
        }
    }

    #[test]
    fn a_range_behind_the_end_is_beyond() {
        for said in ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"] {
            assert_eq!(range(said), RangeAnswer::Beyond, "{said}");
        }
        assert_eq!(range_of(0, &[(header::RANGE, "bytes=0-0")]), RangeAnswer::Beyond);
        assert_eq!(range_of(0, &[(header::RANGE, "bytes=-5")]), RangeAnswer::Beyond);
    }

    #[test]
    fn an_invalid_range_or_several_ranges_give_the_whole_file() {
        for said in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "bytes=5-4",
            "bytes=5",
            "items=0-1",
            "bytes=0-1,5-6",
            "bytes=+1-2",
            "bytes=0-1-2",
        ] {
            assert_eq!(range(said), RangeAnswer::Whole, "{said}");
        }
    }

    #[test]
    fn a_range_is_served_only_of_the_file_version_that_the_caller_names() {
        let part = |condition: &str| range_of(100, &[(header::RANGE, "bytes=0-1"), (header::IF_RANGE, condition)]);
        for same in [TAG, "Wed, 18 Nov 2026 12:00:00 GMT"] {
            assert_eq!(part(same), RangeAnswer::Part(0..2), "{same}");
        }
        for other in ["\"8\"", "W/\"7\"", "7", "Wed, 18 Nov 2026 12:00:01 GMT", "Wed, 18 Nov 2026 11:59:59 GMT", "*"] {
            assert_eq!(part(other), RangeAnswer::Whole, "{other}");
        }
    }

    #[test]
    fn a_file_that_the_caller_has_is_not_sent_again() {
        for (name, value) in [
            (header::IF_NONE_MATCH, TAG),
            (header::IF_NONE_MATCH, "W/\"7\""),
            (header::IF_NONE_MATCH, "\"1\", \"7\""),
            (header::IF_NONE_MATCH, "*"),
            (header::IF_MODIFIED_SINCE, "Wed, 18 Nov 2026 12:00:00 GMT"),
        ] {
            assert_eq!(
                range_of(100, &[(name, value), (header::RANGE, "bytes=0-1")]),
                RangeAnswer::NothingNew,
                "{value}"
            );
        }
        let older = (header::IF_MODIFIED_SINCE, "Wed, 18 Nov 2026 11:59:59 GMT");
        assert_eq!(range_of(100, std::slice::from_ref(&older)), RangeAnswer::Whole);
        let newer = (header::IF_MODIFIED_SINCE, "Wed, 18 Nov 2026 13:00:00 GMT");
        assert_eq!(range_of(100, &[(header::IF_NONE_MATCH, "\"8\""), newer]), RangeAnswer::Whole, "a tag says more");
    }
}
