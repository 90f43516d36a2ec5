//! How fast, and when, a Lite number sends: batches, the delay between them, and the hours of the day (SPEC 8).

use std::time::Duration;

use chrono::{NaiveTime, TimeDelta};
use serde::{Deserialize, Serialize};

use crate::body::{self, FieldFault};

const LARGEST_BATCH: u32 = 1000;
/// Longest delay between two batches, in milliseconds.
const LONGEST_DELAY: u64 = 3_600_000;
const TIME_FORMAT: &str = "%H:%M";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Throttle {
    pub batch_size: u32,
    pub delay: Duration,
    /// When messages go out, by the clock on the client's wall; `None` = all day.
    pub schedule: Option<DailySchedule>,
}

impl Default for Throttle {
    /// Ten messages, then a second: far below the pace at which numbers are flagged.
    fn default() -> Self {
        Self { batch_size: 10, delay: Duration::from_secs(1), schedule: None }
    }
}

/// From when to when messages go out, each day. A schedule that ends before it starts goes over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailySchedule {
    pub start: NaiveTime,
    pub end: NaiveTime,
}

impl DailySchedule {
    /// How long it is closed for; `None` while it is open.
    pub fn opens_in(self, wall: NaiveTime) -> Option<TimeDelta> {
        let open = if self.start < self.end {
            self.start <= wall && wall < self.end
        } else {
            self.start <= wall || wall < self.end
        };
        let wait = self.start - wall;
        let wait = if wait < TimeDelta::zero() { wait + TimeDelta::days(1) } else { wait };
        (!open).then_some(wait)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThrottleRequest {
    /// 1 to 1,000.
    pub batch_size: Option<u32>,
    /// 0 to 3,600,000.
    pub throttle_delay_millis: Option<u64>,
    /// `HH:MM`; null with `dailyEnd` = all day.
    pub daily_start: Option<String>,
    /// `HH:MM`.
    pub daily_end: Option<String>,
}

impl ThrottleRequest {
    /// Parses and checks a body. Absent fields have their defaults.
    pub fn parse(bytes: &[u8]) -> Result<Throttle, Vec<FieldFault>> {
        let request: Self = body::parse(bytes).map_err(|fault| vec![fault])?;
        let (mut faults, usual) = (Vec::new(), Throttle::default());
        let batch_size = request.batch_size.unwrap_or(usual.batch_size);
        if !(1..=LARGEST_BATCH).contains(&batch_size) {
            faults.push(FieldFault::new("batchSize", format!("must be 1 to {LARGEST_BATCH}")));
        }
        let delay = request.throttle_delay_millis.map_or(usual.delay, Duration::from_millis);
        if delay > Duration::from_millis(LONGEST_DELAY) {
            faults.push(FieldFault::new("throttleDelayMillis", format!("must be 0 to {LONGEST_DELAY}")));
        }
        let schedule = request.schedule(&mut faults);
        if faults.is_empty() { Ok(Throttle { batch_size, delay, schedule }) } else { Err(faults) }
    }

    fn schedule(&self, faults: &mut Vec<FieldFault>) -> Option<DailySchedule> {
        let (start, end) = match (&self.daily_start, &self.daily_end) {
            (None, None) => return None,
            (Some(start), Some(end)) => (start, end),
            (Some(_), None) => {
                faults.push(FieldFault::new("dailyEnd", "is required with `dailyStart`"));
                return None;
            }
            (None, Some(_)) => {
                faults.push(FieldFault::new("dailyStart", "is required with `dailyEnd`"));
                return None;
            }
        };
        let start = time("dailyStart", start, faults);
        let end = time("dailyEnd", end, faults);
        let (start, end) = (start?, end?);
        if start == end {
            faults.push(FieldFault::new("dailyEnd", "must differ from `dailyStart`; leave both out to send all day"));
            return None;
        }
        Some(DailySchedule { start, end })
    }
}

fn time(field: &str, text: &str, faults: &mut Vec<FieldFault>) -> Option<NaiveTime> {
    let time = NaiveTime::parse_from_str(text, TIME_FORMAT).ok().filter(|_| text.len() == 5);
    if time.is_none() {
        faults.push(FieldFault::new(field, "is not a time of the day such as `08:30`, on a clock of 24 hours"));
    }
    time
}

impl From<&Throttle> for ThrottleRequest {
    fn from(throttle: &Throttle) -> Self {
        let shown = |time: NaiveTime| time.format(TIME_FORMAT).to_string();
        Self {
            batch_size: Some(throttle.batch_size),
            throttle_delay_millis: Some(u64::try_from(throttle.delay.as_millis()).unwrap_or(u64::MAX)),
            daily_start: throttle.schedule.map(|schedule| shown(schedule.start)),
            daily_end: throttle.schedule.map(|schedule| shown(schedule.end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: u32, minute: u32) -> NaiveTime {
        NaiveTime::from_hms_opt(hour, minute, 0).unwrap()
    }

    fn faulty(body: &str) -> Vec<String> {
        let faults = ThrottleRequest::parse(body.as_bytes()).unwrap_err();
        faults.iter().map(|fault| fault.field.clone()).collect()
    }

    #[test]
    fn a_day_is_open_from_its_start_until_before_its_end() {
        let day = DailySchedule { start: at(8, 0), end: at(20, 0) };
        assert_eq!(day.opens_in(at(8, 0)), None);
        assert_eq!(day.opens_in(at(19, 59)), None);
        assert_eq!(day.opens_in(at(20, 0)), Some(TimeDelta::hours(12)));
        assert_eq!(day.opens_in(at(7, 59)), Some(TimeDelta::minutes(1)));
    }

    #[test]
    fn a_night_goes_over_midnight() {
        let night = DailySchedule { start: at(22, 0), end: at(6, 0) };
        assert_eq!(night.opens_in(at(23, 0)), None);
        assert_eq!(night.opens_in(at(5, 59)), None);
        assert_eq!(night.opens_in(at(6, 0)), Some(TimeDelta::hours(16)));
    }

    #[test]
    fn an_omitted_field_has_its_default() {
        assert_eq!(ThrottleRequest::parse(b"{}"), Ok(Throttle::default()));
        let some = ThrottleRequest::parse(br#"{"batchSize":1,"throttleDelayMillis":0}"#).unwrap();
        assert_eq!(some, Throttle { batch_size: 1, delay: Duration::ZERO, schedule: None });
    }

    #[test]
    fn limits_hold_on_both_sides() {
        assert!(ThrottleRequest::parse(br#"{"batchSize":1000,"throttleDelayMillis":3600000}"#).is_ok());
        assert_eq!(faulty(r#"{"batchSize":0,"throttleDelayMillis":3600001}"#), ["batchSize", "throttleDelayMillis"]);
        assert_eq!(faulty(r#"{"batchSize":1001}"#), ["batchSize"]);
    }

    #[test]
    fn a_schedule_has_two_different_times_of_the_day() {
        assert!(ThrottleRequest::parse(br#"{"dailyStart":"08:00","dailyEnd":"20:30"}"#).is_ok());
        assert_eq!(faulty(r#"{"dailyStart":"08:00"}"#), ["dailyEnd"]);
        assert_eq!(faulty(r#"{"dailyEnd":"08:00"}"#), ["dailyStart"]);
        assert_eq!(faulty(r#"{"dailyStart":"8:00","dailyEnd":"24:00"}"#), ["dailyStart", "dailyEnd"]);
        assert_eq!(faulty(r#"{"dailyStart":"08:00","dailyEnd":"08:00"}"#), ["dailyEnd"]);
    }

    #[test]
    fn a_field_that_is_not_known_is_refused() {
        assert_eq!(faulty(r#"{"batch":3}"#).len(), 1);
    }
}
