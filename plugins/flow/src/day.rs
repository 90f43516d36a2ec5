//! Days of the Gregorian calendar as numbers, 0 = 1 January 1970.

use patchbay_plugin_sdk::chatbot::Session;

const MS_PER_MINUTE: i64 = 60_000;
const MINUTES_PER_DAY: i64 = 1_440;

/// The present day at the business.
pub fn today(session: &Session) -> i64 {
    let minutes = i64::try_from(session.now_ms).unwrap_or(i64::MAX) / MS_PER_MINUTE;
    (minutes + i64::from(session.local_time.utc_offset_minutes)).div_euclid(MINUTES_PER_DAY)
}

/// The number of a day. `None` if there is no such day.
pub fn number(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) || !(1..=9_999).contains(&year) {
        return None;
    }
    // Years begin in March here, so that a leap day is the last day of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days_of_years = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(days_of_years + (153 * month + 2) / 5 + day - 1 - 719_468)
}

/// `2026-12-31`.
pub fn text(number: i64) -> String {
    let days = number + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year_of_era + later)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_day_of_four_centuries_has_the_next_number() {
        let (mut expected, mut days) = (number(1900, 1, 1).unwrap(), 0);
        assert_eq!((number(1970, 1, 1), number(2026, 1, 5), number(2000, 3, 1)), (Some(0), Some(20_458), Some(11_017)));
        for (year, month) in (1900..2300).flat_map(|year| (1..=12).map(move |month| (year, month))) {
            for day in 1..=31 {
                let Some(found) = number(year, month, day) else { continue };
                assert_eq!(found, expected);
                assert_eq!(text(found), format!("{year:04}-{month:02}-{day:02}"));
                (expected, days) = (expected + 1, days + 1);
            }
        }
        assert_eq!(days, 146_097);
    }
}
