//! Opening hours. The plugin reads them with the SDK, which the host does not contain.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::Findings;

const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

pub(super) fn check(hours: Option<&RawValue>, findings: &mut Findings) {
    let Some(hours) = hours else { return };
    let Ok(days) = serde_json::from_str::<BTreeMap<String, Vec<String>>>(hours.get()) else {
        return findings.flow("hours", "must be an object with a list of spans for each day");
    };
    for (day, spans) in &days {
        if !DAYS.contains(&day.as_str()) {
            findings.flow(&format!("hours/{day}"), "is not a day such as monday");
        }
        for (at, span) in spans.iter().enumerate().filter(|(_, span)| !is_span(span)) {
            findings.flow(
                &format!("hours/{day}/{at}"),
                format!("`{span}` is not a span such as 08:00-17:00 or 17:00-08:00"),
            );
        }
    }
}

fn is_span(span: &str) -> bool {
    let times = span.split_once('-').map(|(from, to)| (minutes(from), minutes(to)));
    matches!(times, Some((Some(from), Some(to))) if from != to && from < 24 * 60)
}

/// Minutes since midnight.
fn minutes(time: &str) -> Option<u16> {
    let (hour, minute) = time.trim().split_once(':')?;
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour <= 24 && minute < 60 && hour * 60 + minute <= 24 * 60).then_some(hour * 60 + minute)
}
