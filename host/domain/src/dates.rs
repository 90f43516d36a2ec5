//! Dates and moments in requests. Years have four digits, 0001 to 9999; the library also takes others.

use std::ops::RangeInclusive;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, Utc};

/// Bytes of a day: `2026-01-31`.
const DAY_LENGTH: usize = 10;
const YEARS: RangeInclusive<i32> = 1..=9999;
/// Of a moment in ISO 8601 without an offset.
const ISO: [&str; 2] = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"];
/// The same with one. The offset may have a colon, as RFC 3339 has it, or none.
const ISO_WITH_OFFSET: [&str; 2] = ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z"];

pub fn day(text: &str) -> Option<NaiveDate> {
    let day: NaiveDate = has_whole_year(text).then_some(text)?.parse().ok()?;
    YEARS.contains(&day.year()).then_some(day)
}

/// A date with its time of day, in the first of the formats that fits. Each begins with `%Y-`.
pub fn wall(text: &str, formats: &[&str]) -> Option<NaiveDateTime> {
    let text = has_whole_year(text).then_some(text)?;
    let wall = formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())?;
    YEARS.contains(&wall.year()).then_some(wall)
}

/// A moment in ISO 8601 that says its offset: `2026-01-31T08:15:00+02:00`. Its year is one in UTC too.
pub fn with_offset(text: &str) -> Option<DateTime<Utc>> {
    let text = has_whole_year(text).then_some(text)?;
    let in_any = || ISO_WITH_OFFSET.iter().find_map(|format| DateTime::parse_from_str(text, format).ok());
    let moment = DateTime::parse_from_rfc3339(text).ok().or_else(in_any)?.to_utc();
    YEARS.contains(&moment.year()).then_some(moment)
}

/// A moment in ISO 8601; in UTC where it says no offset (CONTRACT 7).
pub fn moment(text: &str) -> Option<DateTime<Utc>> {
    with_offset(text).or_else(|| wall(text, &ISO).map(|wall| wall.and_utc()))
}

/// The same in the query of a URL or in a form, where an unescaped `+` arrives as a blank.
pub fn in_query(text: &str) -> Option<DateTime<Utc>> {
    moment(&restored(text))
}

/// Restores the `+` of an offset, which arrives as a blank, and the `T` between day and time.
pub fn restored(text: &str) -> String {
    let text = text.trim();
    let parts =
        text.split_at_checked(DAY_LENGTH).and_then(|(day, rest)| Some((day, rest.strip_prefix(['T', 't', ' '])?)));
    let Some((day, rest)) = parts else { return text.to_owned() };
    let Some((time, offset)) = rest.split_once(' ') else { return format!("{day}T{rest}") };
    let sign = if offset.starts_with(['+', '-', 'Z', 'z']) { "" } else { "+" };
    format!("{day}T{time}{sign}{offset}")
}

/// Whether a text begins with four digits and the dash that ends a year.
fn has_whole_year(text: &str) -> bool {
    text.split_once('-').is_some_and(|(year, _)| year.len() == 4 && year.bytes().all(|digit| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECONDS: [&str; 1] = ["%Y-%m-%d %H:%M:%S"];
    /// Years that are no years of four digits.
    const WRONG: [&str; 8] = ["-0001", "+2026", "-9999", "+262142", "26", "026", "10000", "0000"];

    #[test]
    fn a_moment_is_read_as_iso_8601_writes_it() {
        let eight: DateTime<Utc> = "2026-01-31T08:15:00Z".parse().unwrap();
        for text in [
            "2026-01-31T08:15:00Z",
            "2026-01-31T08:15Z",
            "2026-01-31T10:15:00+02:00",
            "2026-01-31T10:15:00+0200",
            "2026-01-31T10:15+02",
            "2026-01-31T10:15:00.000+0200",
        ] {
            assert_eq!(with_offset(text), Some(eight), "{text}");
        }
        for text in ["2026-01-31T08:15:00", "2026-01-31T08:15", "2026-01-31T08:15:00.000"] {
            assert_eq!((with_offset(text), moment(text)), (None, Some(eight)), "{text}");
        }
        for text in ["2026-01-31T08:15:00+2", "2026-01-31T08Z", "2026-01-31T08:15:00 +0200 ", "2026-01-31T25:15Z"] {
            assert_eq!(moment(text), None, "{text}");
        }
    }

    #[test]
    fn a_year_has_four_digits() {
        for year in WRONG {
            assert_eq!(day(&format!("{year}-12-31")), None, "{year}");
            assert_eq!(wall(&format!("{year}-12-31 08:15:00"), &SECONDS), None, "{year}");
            assert_eq!(with_offset(&format!("{year}-12-31T08:15:00Z")), None, "{year}");
            assert_eq!(moment(&format!("{year}-12-31T08:15:00")), None, "{year}");
        }
        for year in ["0001", "2026", "9999"] {
            assert!(day(&format!("{year}-12-31")).is_some(), "{year}");
            assert!(wall(&format!("{year}-12-31 08:15:00"), &SECONDS).is_some(), "{year}");
            assert!(with_offset(&format!("{year}-12-31T08:15:00Z")).is_some(), "{year}");
            assert!(moment(&format!("{year}-12-31T08:15:00")).is_some(), "{year}");
        }
    }

    #[test]
    fn a_day_in_place_of_the_year_is_refused() {
        assert_eq!(wall("31-12-26 08:15:00", &SECONDS), None);
        assert_eq!(day("31-12-2026"), None);
    }

    #[test]
    fn an_offset_does_not_lead_out_of_the_years() {
        assert!(moment("9999-12-31T23:59:59+00:00").is_some());
        assert_eq!(moment("9999-12-31T23:59:59-00:01"), None);
        assert!(moment("0001-01-01T00:00:00+00:00").is_some());
        assert_eq!(moment("0001-01-01T00:00:00+00:01"), None);
    }

    #[test]
    fn in_a_query_a_blank_stands_for_the_plus_that_was_not_escaped() {
        let eight = moment("2026-01-31T08:15:00Z");
        for text in [
            "2026-01-31T10:15:00+02:00",
            "2026-01-31T10:15:00 02:00",
            "2026-01-31T10:15:00 0200",
            "2026-01-31T10:15:00.000 02:00",
            "2026-01-31T10:15 02",
            "2026-01-31 10:15:00 02:00",
            "2026-01-31 10:15:00 +02:00",
            "2026-01-31 06:15:00 -02:00",
            "2026-01-31 08:15:00",
            "2026-01-31 08:15:00 Z",
            " 2026-01-31T08:15:00Z ",
            "2026-01-31T08:15:00",
        ] {
            assert_eq!(in_query(text), eight, "{text}");
        }
        for text in
            ["", "yesterday", "2026-01-31", "2026-01-31T08:15:00 2", "2026-01-31 08:15:00  02:00", "26-01-31 08:15:00"]
        {
            assert_eq!(in_query(text), None, "{text}");
        }
    }

    #[test]
    fn a_moment_without_an_offset_is_in_utc() {
        assert_eq!(moment("2026-01-31T08:15:00.5"), moment("2026-01-31T10:15:00.5+02:00"));
    }
}
