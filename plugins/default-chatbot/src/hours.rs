//! Opening hours: written as `{"monday": ["08:00-12:00", "13:00-17:00"], ...}`; a day left out is closed.

use patchbay_plugin_sdk::chatbot::{Error, LocalTime, Weekday};
use serde::Deserialize;

/// Spans of each day, such as `08:00-17:00`.
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

/// Monday to Friday, eight to five.
pub fn office_hours() -> Hours {
    let day = || vec!["08:00-17:00".to_owned()];
    Hours { monday: day(), tuesday: day(), wednesday: day(), thursday: day(), friday: day(), ..Hours::default() }
}

impl Hours {
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

    fn of(&self, day: Weekday) -> &[String] {
        match day {
            Weekday::Monday => &self.monday,
            Weekday::Tuesday => &self.tuesday,
            Weekday::Wednesday => &self.wednesday,
            Weekday::Thursday => &self.thursday,
            Weekday::Friday => &self.friday,
            Weekday::Saturday => &self.saturday,
            Weekday::Sunday => &self.sunday,
        }
    }
}

/// Whether a moment on the wall of the business is within its hours. The end of a span is outside of it.
pub fn is_open(hours: &Hours, now: &LocalTime) -> Result<bool, Error> {
    let minute = u16::from(now.hour) * 60 + u16::from(now.minute);
    for span in hours.of(now.weekday) {
        let (from, to) = parse(span)?;
        if (from..to).contains(&minute) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Refuses spans that do not parse.
pub fn check(hours: &Hours) -> Result<(), Error> {
    hours.days().iter().flat_map(|(_, spans)| spans.iter()).try_for_each(|span| parse(span).map(|_| ()))
}

/// The hours in words, one line for each run of days that have the same.
pub fn describe(hours: &Hours) -> String {
    let mut runs: Vec<(&str, &str, &[String])> = vec![];
    for (day, spans) in hours.days() {
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

/// Minutes of the day at which a span begins and ends.
fn parse(span: &str) -> Result<(u16, u16), Error> {
    let minutes = |time: &str| {
        let (hour, minute) = time.trim().split_once(':')?;
        let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
        (hour <= 24 && minute < 60 && hour * 60 + minute <= 24 * 60).then_some(hour * 60 + minute)
    };
    let parsed = span.split_once('-').and_then(|(from, to)| Some((minutes(from)?, minutes(to)?)));
    match parsed {
        Some((from, to)) if from < to => Ok((from, to)),
        _ => Err(Error::new("bad-config", format!("`{span}` is not a span of opening hours such as `08:00-17:00`"))),
    }
}
