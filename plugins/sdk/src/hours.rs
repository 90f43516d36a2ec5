//! Opening hours: written as `{"monday": ["08:00-12:00", "13:00-17:00"], ...}`. A day that is left out is closed.

use serde::Deserialize;

use crate::chatbot::{Error, LocalTime, Weekday};

/// Spans of each day, such as `08:00-17:00`, in the local time of the business. A span such as `17:00-08:00` ends on the next day.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hours {
    monday: Vec<String>,
    tuesday: Vec<String>,
    wednesday: Vec<String>,
    thursday: Vec<String>,
    friday: Vec<String>,
    saturday: Vec<String>,
    sunday: Vec<String>,
}

/// A time of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// 1 is Monday, 7 is Sunday.
    pub weekday: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
}

impl From<LocalTime> for Moment {
    fn from(time: LocalTime) -> Self {
        let weekday = match time.weekday {
            Weekday::Monday => 1,
            Weekday::Tuesday => 2,
            Weekday::Wednesday => 3,
            Weekday::Thursday => 4,
            Weekday::Friday => 5,
            Weekday::Saturday => 6,
            Weekday::Sunday => 7,
        };
        Self { weekday, hour: time.hour, minute: time.minute }
    }
}

impl Hours {
    /// Monday to Friday, 08:00 to 17:00.
    pub fn office() -> Self {
        let day = || vec!["08:00-17:00".to_owned()];
        Self { monday: day(), tuesday: day(), wednesday: day(), thursday: day(), friday: day(), ..Self::default() }
    }

    fn days(&self) -> [(&'static str, &[String]); 7] {
        [
            ("Monday", &self.monday),
            ("Tuesday", &self.tuesday),
            ("Wednesday", &self.wednesday),
            ("Thursday", &self.thursday),
            ("Friday", &self.friday),
            ("Saturday", &self.saturday),
            ("Sunday", &self.sunday),
        ]
    }

    /// Whether a time is within the hours. The end of a span is not part of it. A span that cannot be parsed is an
    /// error with code `bad-config`.
    pub fn is_open(&self, at: impl Into<Moment>) -> Result<bool, Error> {
        let at = at.into();
        let minute = u16::from(at.hour) * 60 + u16::from(at.minute);
        let days = self.days();
        let spans = |weekday: usize| days.into_iter().nth(weekday).into_iter().flat_map(|(_, spans)| spans);
        let today = usize::from(at.weekday).wrapping_sub(1);
        for span in spans(today) {
            let (from, to) = parse(span)?;
            if from <= minute && (minute < to || to < from) {
                return Ok(true);
            }
        }
        // A span of the day before may end today.
        for span in spans(today.wrapping_add(6) % 7) {
            let (from, to) = parse(span)?;
            if to < from && minute < to {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Refuses spans that cannot be parsed, with an error of code `bad-config`.
    pub fn check(&self) -> Result<(), Error> {
        self.days().iter().flat_map(|(_, spans)| spans.iter()).try_for_each(|span| parse(span).map(|_| ()))
    }

    /// The spans that cannot be parsed, each with its place, such as `hours/monday/0`, and the fault. `place` is the
    /// place of the hours in the configuration. For `export_config_check!`.
    pub fn findings(&self, place: &str) -> Vec<(String, String)> {
        let mut found = vec![];
        for (day, spans) in self.days() {
            for (index, span) in spans.iter().enumerate() {
                if let Err(fault) = parse(span) {
                    found.push((format!("{place}/{}/{index}", day.to_lowercase()), fault.message));
                }
            }
        }
        found
    }

    /// The hours as text, with one line for consecutive days that have the same hours.
    pub fn describe(&self) -> String {
        let mut runs: Vec<(&str, &str, &[String])> = vec![];
        for (day, spans) in self.days() {
            match runs.last_mut() {
                Some((_, last, same)) if *same == spans => *last = day,
                _ => runs.push((day, day, spans)),
            }
        }
        let line = |(first, last, spans): (&str, &str, &[String])| {
            let days = if first == last { first.to_owned() } else { format!("{first} to {last}") };
            let times = if spans.is_empty() { "closed".to_owned() } else { spans.join(", ") };
            format!("{days}: {times}")
        };
        runs.into_iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// Minutes of the day at which a span begins and ends. An end before the begin is on the next day.
fn parse(span: &str) -> Result<(u16, u16), Error> {
    let minutes = |time: &str| {
        let (hour, minute) = time.trim().split_once(':')?;
        let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
        (hour <= 24 && minute < 60 && hour * 60 + minute <= 24 * 60).then_some(hour * 60 + minute)
    };
    let parsed = span.split_once('-').and_then(|(from, to)| Some((minutes(from)?, minutes(to)?)));
    match parsed {
        Some((from, to)) if from != to && from < 24 * 60 => Ok((from, to)),
        _ => {
            let span: String = span.chars().take(40).collect();
            Err(Error::new("bad-config", format!("`{span}` is not a span of opening hours such as `08:00-17:00`")))
        }
    }
}
