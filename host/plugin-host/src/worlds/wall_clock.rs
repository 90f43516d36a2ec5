//! The local time of a client, and times in the form for plugins.

use chrono::{DateTime, Datelike, FixedOffset, Offset, TimeZone, Timelike, Utc};
use chrono_tz::Tz;

use crate::chatbot::{LocalTime, Weekday};

/// A time zone: an IANA name such as `Africa/Johannesburg`, or an offset such as `+02:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone(Offsets);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Offsets {
    Named(Tz),
    Fixed(FixedOffset),
}

impl Zone {
    pub const UTC: Self = Self(Offsets::Named(Tz::UTC));

    pub fn parse(text: &str) -> Option<Self> {
        let named = text.parse::<Tz>().ok().map(Offsets::Named);
        named.or_else(|| text.parse::<FixedOffset>().ok().map(Offsets::Fixed)).map(Self)
    }

    /// The local time in the form for plugins.
    pub fn local_time(self, now: DateTime<Utc>) -> LocalTime {
        let offset = match self.0 {
            Offsets::Named(zone) => zone.offset_from_utc_datetime(&now.naive_utc()).fix(),
            Offsets::Fixed(offset) => offset,
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

pub fn unix_millis(moment: DateTime<Utc>) -> u64 {
    u64::try_from(moment.timestamp_millis()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(zone: &str, now: &str) -> (i16, Weekday, u8, u8) {
        let local = Zone::parse(zone).unwrap().local_time(DateTime::parse_from_rfc3339(now).unwrap().to_utc());
        (local.utc_offset_minutes, local.weekday, local.hour, local.minute)
    }

    #[test]
    fn the_wall_clock_of_a_named_zone_follows_its_daylight_saving_time() {
        assert_eq!(shown("Europe/Berlin", "2026-01-15T23:30:00Z"), (60, Weekday::Friday, 0, 30));
        assert_eq!(shown("Europe/Berlin", "2026-07-15T22:30:00Z"), (120, Weekday::Thursday, 0, 30));
    }

    #[test]
    fn a_zone_is_a_name_or_an_offset() {
        for zone in ["Africa/Johannesburg", "+02:00"] {
            assert_eq!(shown(zone, "2026-07-06T22:30:00Z"), (120, Weekday::Tuesday, 0, 30));
        }
        assert_eq!(shown("+05:30", "2026-07-15T00:00:00Z"), (330, Weekday::Wednesday, 5, 30));
        assert_eq!(Zone::parse("Mars/Olympus"), None);
    }
}
