//! The time on the wall of the business, and spans as people write them.

use chrono::{DateTime, Datelike, FixedOffset, Offset, TimeDelta, TimeZone, Timelike, Utc};
use chrono_tz::Tz;
use plugin_host::chatbot::{LocalTime, Weekday};

/// A time zone: an IANA name or an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Such as `Africa/Johannesburg`.
    Named(Tz),
    /// Such as `+02:00`.
    Fixed(FixedOffset),
}

impl Zone {
    /// UTC.
    pub(crate) const UTC: Self = Self::Named(Tz::UTC);

    /// Reads a zone.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let named = text.parse::<Tz>().ok().map(Self::Named);
        named.or_else(|| text.parse::<FixedOffset>().ok().map(Self::Fixed))
    }

    /// What the wall shows.
    pub(crate) fn local_time(self, now: DateTime<Utc>) -> LocalTime {
        let offset = match self {
            Self::Named(zone) => zone.offset_from_utc_datetime(&now.naive_utc()).fix(),
            Self::Fixed(offset) => offset,
        };
        let local = now.with_timezone(&offset);
        LocalTime {
            utc_offset_minutes: i16::try_from(offset.local_minus_utc() / 60).unwrap_or(0),
            weekday: match local.weekday() {
                chrono::Weekday::Mon => Weekday::Monday,
                chrono::Weekday::Tue => Weekday::Tuesday,
                chrono::Weekday::Wed => Weekday::Wednesday,
                chrono::Weekday::Thu => Weekday::Thursday,
                chrono::Weekday::Fri => Weekday::Friday,
                chrono::Weekday::Sat => Weekday::Saturday,
                chrono::Weekday::Sun => Weekday::Sunday,
            },
            hour: u8::try_from(local.hour()).unwrap_or(0),
            minute: u8::try_from(local.minute()).unwrap_or(0),
        }
    }
}

const WEEKDAYS: [(Weekday, &str); 7] = [
    (Weekday::Monday, "monday"),
    (Weekday::Tuesday, "tuesday"),
    (Weekday::Wednesday, "wednesday"),
    (Weekday::Thursday, "thursday"),
    (Weekday::Friday, "friday"),
    (Weekday::Saturday, "saturday"),
    (Weekday::Sunday, "sunday"),
];

/// The name of a day of the week in JSON.
pub(crate) fn weekday_name(day: Weekday) -> &'static str {
    WEEKDAYS.iter().find(|(known, _)| *known == day).map_or("monday", |(_, name)| name)
}

/// 1 is Monday, 7 is Sunday.
pub(crate) fn weekday_number(day: Weekday) -> usize {
    WEEKDAYS.iter().position(|(known, _)| *known == day).unwrap_or_default() + 1
}

/// Milliseconds since 1970.
pub(crate) fn millis(moment: DateTime<Utc>) -> u64 {
    u64::try_from(moment.timestamp_millis()).unwrap_or(0)
}

/// A span such as `30m`, `1h 30m`, `2d`, `45s`; a `+` in front is fine.
pub(crate) fn span(text: &str) -> Option<TimeDelta> {
    let text = text.trim().trim_start_matches('+');
    let (mut total, mut digits) = (TimeDelta::zero(), String::new());
    for letter in text.chars().filter(|letter| !letter.is_whitespace()) {
        if letter.is_ascii_digit() {
            digits.push(letter);
            continue;
        }
        let seconds = match letter {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            _ => return None,
        };
        let count: i64 = digits.parse().ok()?;
        digits.clear();
        total = total.checked_add(&TimeDelta::try_seconds(count.checked_mul(seconds)?)?)?;
    }
    (digits.is_empty() && total > TimeDelta::zero()).then_some(total)
}

/// A span as people write it.
pub(crate) fn spell(span: TimeDelta) -> String {
    let seconds = span.num_seconds().max(0);
    let parts = [(seconds / 86_400, 'd'), (seconds / 3_600 % 24, 'h'), (seconds / 60 % 60, 'm'), (seconds % 60, 's')];
    let words: String =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count}{unit}")).collect();
    if words.is_empty() { "0s".to_owned() } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_and_written_alike() {
        for (text, seconds, spelled) in
            [("+30m", 1_800, "30m"), ("1h 30m", 5_400, "1h30m"), ("2d", 172_800, "2d"), ("90s", 90, "1m30s")]
        {
            let read = span(text).unwrap();
            assert_eq!((read.num_seconds(), spell(read).as_str()), (seconds, spelled), "{text}");
        }
        for wrong in ["", "30", "m", "0s", "soon", "1x"] {
            assert_eq!(span(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_zone_is_a_name_or_an_offset() {
        let at = DateTime::parse_from_rfc3339("2026-07-06T22:30:00Z").unwrap().to_utc();
        for zone in ["Africa/Johannesburg", "+02:00"] {
            let wall = Zone::parse(zone).unwrap().local_time(at);
            assert_eq!((wall.utc_offset_minutes, wall.weekday, wall.hour, wall.minute), (120, Weekday::Tuesday, 0, 30));
        }
        assert_eq!(Zone::parse("Mars/Olympus"), None);
    }
}
