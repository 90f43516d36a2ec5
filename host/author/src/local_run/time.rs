//! Readable days of the week and durations.

use chrono::TimeDelta;
use plugin_host::chatbot::Weekday;

const WEEKDAYS: [(Weekday, &str); 7] = [
    (Weekday::Monday, "monday"),
    (Weekday::Tuesday, "tuesday"),
    (Weekday::Wednesday, "wednesday"),
    (Weekday::Thursday, "thursday"),
    (Weekday::Friday, "friday"),
    (Weekday::Saturday, "saturday"),
    (Weekday::Sunday, "sunday"),
];

pub(crate) fn weekday_name(day: Weekday) -> &'static str {
    WEEKDAYS.iter().find(|(known, _)| *known == day).map_or("monday", |(_, name)| name)
}

/// Parses a duration such as `30m`, `1h 30m`, `2d`, `45s`, with an optional `+` in front.
pub fn span(text: &str) -> Option<TimeDelta> {
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

pub(crate) fn format_span(span: TimeDelta) -> String {
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
            assert_eq!((read.num_seconds(), format_span(read).as_str()), (seconds, spelled), "{text}");
        }
        for wrong in ["", "30", "m", "0s", "soon", "1x"] {
            assert_eq!(span(wrong), None, "{wrong}");
        }
    }
}
