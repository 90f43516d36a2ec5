//! Business hours in local time: weekly intervals and holidays.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveDateTime, TimeDelta, TimeZone as _, Timelike, Utc, Weekday};
use chrono_tz::Tz;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use utoipa::ToSchema;

use crate::{body, dates};

/// Intervals of one week at most.
const WEEKLY_MAX: usize = 70;
const HOLIDAY_NAME_MAX: usize = 100;
const MINUTES_OF_A_DAY: u16 = 24 * 60;
/// Longest search for the next opening, in days: more than any row of holidays.
const LOOK_AHEAD: u64 = 400;
/// Clocks jump by quarters of an hour, and by a day at most.
const LEAP: i64 = 15;
const LONGEST_JUMP: i64 = 24 * 60;

/// A time zone by its IANA name, such as `Africa/Johannesburg`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeZone(Tz);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a time zone: use an IANA name such as Africa/Johannesburg")]
pub struct UnknownTimeZone;

impl TimeZone {
    pub const UTC: Self = Self(Tz::UTC);

    pub fn name(self) -> &'static str {
        self.0.name()
    }

    pub fn wall(self, at: DateTime<Utc>) -> NaiveDateTime {
        at.with_timezone(&self.0).naive_local()
    }

    /// The moments at which the clock on the wall shows this: two in an hour that comes twice.
    fn moments(self, wall: NaiveDateTime) -> Vec<DateTime<Utc>> {
        for minutes in (0..=LONGEST_JUMP).step_by(LEAP.unsigned_abs().try_into().unwrap_or(1)) {
            let Some(wall) = wall.checked_add_signed(TimeDelta::minutes(minutes)) else { break };
            let shown = self.0.from_local_datetime(&wall);
            let moments: Vec<_> = shown.earliest().into_iter().chain(shown.latest()).map(|at| at.to_utc()).collect();
            if !moments.is_empty() {
                return moments;
            }
        }
        Vec::new()
    }
}

impl FromStr for TimeZone {
    type Err = UnknownTimeZone;

    fn from_str(name: &str) -> Result<Self, UnknownTimeZone> {
        name.parse().map(Self).map_err(|_| UnknownTimeZone)
    }
}

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = DayOfWeek)]
#[expect(missing_docs, reason = "they say what they are")]
pub enum Day {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

impl From<Weekday> for Day {
    fn from(day: Weekday) -> Self {
        match day {
            Weekday::Mon => Self::Monday,
            Weekday::Tue => Self::Tuesday,
            Weekday::Wed => Self::Wednesday,
            Weekday::Thu => Self::Thursday,
            Weekday::Fri => Self::Friday,
            Weekday::Sat => Self::Saturday,
            Weekday::Sun => Self::Sunday,
        }
    }
}

/// A minute of a day on the clock on the wall, `00:00` to `24:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WallMinute(u16);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a time of the day such as `08:30`, on a clock of 24 hours")]
pub struct BadTime;

impl FromStr for WallMinute {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Self, BadTime> {
        let (hour, minute) = text.split_once(':').ok_or(BadTime)?;
        let two = |part: &str, most: u16| {
            let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse::<u16>().ok().filter(|value| digits && *value <= most).ok_or(BadTime)
        };
        let minutes = two(hour, 24)? * 60 + two(minute, 59)?;
        if minutes <= MINUTES_OF_A_DAY { Ok(Self(minutes)) } else { Err(BadTime) }
    }
}

impl fmt::Display for WallMinute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

impl TryFrom<String> for WallMinute {
    type Error = BadTime;

    fn try_from(text: String) -> Result<Self, BadTime> {
        text.parse()
    }
}

impl From<WallMinute> for String {
    fn from(minute: WallMinute) -> Self {
        minute.to_string()
    }
}

/// An interval of each week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenInterval {
    /// The day on which it starts.
    #[serde(deserialize_with = "body::word")]
    pub day: Day,
    /// `HH:MM`: the first minute.
    #[schema(value_type = String)]
    pub from: WallMinute,
    /// `HH:MM`, also `24:00`: the first minute after the interval.
    #[schema(value_type = String)]
    pub to: WallMinute,
}

impl OpenInterval {
    fn goes_over_midnight(&self) -> bool {
        self.to < self.from
    }
}

/// A day on which the team is closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Holiday {
    /// The date.
    #[serde(deserialize_with = "day_of_a_calendar")]
    #[schema(value_type = String, format = Date)]
    pub date: NaiveDate,
    /// Name of the holiday.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

fn day_of_a_calendar<'de, D: Deserializer<'de>>(written: D) -> Result<NaiveDate, D::Error> {
    let text = String::deserialize(written)?;
    dates::day(&text).ok_or_else(|| D::Error::custom("is not a day such as `2026-12-25`"))
}

/// The business hours of a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "Written")]
#[schema(examples(json!({
    "weekly": [{"day": "MONDAY", "from": "08:00", "to": "17:00"}],
    "holidays": [{"date": "2026-12-25", "name": "Christmas"}],
})))]
pub struct BusinessHours {
    #[schema(min_items = 1, max_items = 70)]
    /// Intervals of each week. If one ends before it starts, it goes past midnight.
    weekly: Vec<OpenInterval>,
    #[schema(value_type = Option<Vec<Holiday>>, max_items = 250)]
    holidays: Vec<Holiday>,
}

/// Business hours as a request has them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default, deserialize_with = "body::few_objects")]
    weekly: Option<Vec<OpenInterval>>,
    #[serde(default, deserialize_with = "body::few_objects")]
    holidays: Option<Vec<Holiday>>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadHours {
    /// `weekly` is missing, has nothing, or too much.
    #[error("`weekly` must have 1 to {WEEKLY_MAX} intervals; null instead of the whole means always open")]
    Intervals,
    /// An interval without a length.
    #[error("`weekly[{0}]` starts and ends at the same time: for a whole day use 00:00 to 24:00")]
    Empty(usize),
    /// `24:00` is an end only.
    #[error("`weekly[{0}]` starts at 24:00: use 00:00 of the next day")]
    StartsAtTheEnd(usize),
    #[error("`holidays[{0}].name` must have 1 to {HOLIDAY_NAME_MAX} characters and no control characters")]
    HolidayName(usize),
}

impl TryFrom<Written> for BusinessHours {
    type Error = BadHours;

    fn try_from(written: Written) -> Result<Self, BadHours> {
        Self::new(written.weekly.unwrap_or_default(), written.holidays.unwrap_or_default())
    }
}

impl BusinessHours {
    pub fn new(weekly: Vec<OpenInterval>, mut holidays: Vec<Holiday>) -> Result<Self, BadHours> {
        if !(1..=WEEKLY_MAX).contains(&weekly.len()) {
            return Err(BadHours::Intervals);
        }
        for (at, interval) in weekly.iter().enumerate() {
            if interval.from.0 == MINUTES_OF_A_DAY {
                return Err(BadHours::StartsAtTheEnd(at));
            }
            if interval.from == interval.to {
                return Err(BadHours::Empty(at));
            }
        }
        for (at, holiday) in holidays.iter().enumerate() {
            let bad = |name: &String| {
                name.trim().is_empty() || name.chars().count() > HOLIDAY_NAME_MAX || name.chars().any(char::is_control)
            };
            if holiday.name.as_ref().is_some_and(bad) {
                return Err(BadHours::HolidayName(at));
            }
        }
        holidays.sort_by_key(|holiday| holiday.date);
        holidays.dedup_by_key(|holiday| holiday.date);
        Ok(Self { weekly, holidays })
    }

    pub fn weekly(&self) -> &[OpenInterval] {
        &self.weekly
    }

    pub fn holidays(&self) -> &[Holiday] {
        &self.holidays
    }

    /// True if it is open at this local time. An interval over midnight ends before a holiday.
    pub fn is_open_at_wall(&self, wall: NaiveDateTime) -> bool {
        let today = wall.date();
        if self.is_holiday(today) {
            return false;
        }
        let minute = u16::try_from(wall.time().num_seconds_from_midnight() / 60).unwrap_or(u16::MAX);
        let (day, yesterday) = (Day::from(today.weekday()), today.pred_opt());
        let went_over = yesterday.filter(|date| !self.is_holiday(*date)).map(|date| Day::from(date.weekday()));
        self.weekly.iter().any(|interval| {
            let over = interval.goes_over_midnight();
            let of_today = interval.day == day && interval.from.0 <= minute && (over || minute < interval.to.0);
            of_today || (over && went_over == Some(interval.day) && minute < interval.to.0)
        })
    }

    /// When intervals begin on a day, on the clock on the wall.
    fn beginnings(&self, date: NaiveDate) -> impl Iterator<Item = NaiveDateTime> {
        let day = Day::from(date.weekday());
        let of_day = self.weekly.iter().filter(move |interval| interval.day == day);
        of_day.filter_map(move |interval| {
            date.and_hms_opt(u32::from(interval.from.0 / 60), u32::from(interval.from.0 % 60), 0)
        })
    }

    fn is_holiday(&self, date: NaiveDate) -> bool {
        self.holidays.binary_search_by_key(&date, |holiday| holiday.date).is_ok()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamHours {
    pub zone: TimeZone,
    /// `None` = always.
    pub hours: Option<BusinessHours>,
}

impl TeamHours {
    pub fn is_open(&self, at: DateTime<Utc>) -> bool {
        self.hours.as_ref().is_none_or(|hours| hours.is_open_at_wall(self.zone.wall(at)))
    }

    /// The first moment from this one on at which it is open. `None` if it stays closed for more than a year.
    pub fn next_open(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let Some(hours) = self.hours.as_ref().filter(|_| !self.is_open(at)) else { return Some(at) };
        let today = self.zone.wall(at).date();
        let days = (0..LOOK_AHEAD).filter_map(|ahead| today.checked_add_days(Days::new(ahead)));
        let open = |begins: NaiveDateTime| {
            self.zone.moments(begins).into_iter().filter(|moment| *moment > at && self.is_open(*moment)).min()
        };
        days.map(|date| hours.beginnings(date).filter_map(open).min()).find_map(|first| first)
    }
}

#[cfg(test)]
mod tests;
