//! Reads the answers of customers to questions.

use flow_model::{AcceptedAnswer, AnswerKind, LONGEST_STATE_VALUE};
use patchbay_plugin_sdk::chatbot::Content;

use crate::day;

/// Longest address of an e-mail (RFC 5321).
const LONGEST_EMAIL: usize = 254;

/// The answer in its stored form. `None` = not an answer to this question.
pub fn read(accept: Option<&AcceptedAnswer>, content: &Content, today: i64) -> Option<String> {
    let Some(accept) = accept else { return text(content.text()?, 1.0, LONGEST_STATE_VALUE as f64) };
    if accept.kind == AnswerKind::File {
        return match content {
            Content::Media(media) => Some(media.url.clone()),
            _ => None,
        };
    }
    let answer = content.text()?.trim();
    let (min, max) = (accept.min.unwrap_or(f64::MIN), accept.max.unwrap_or(f64::MAX));
    match accept.kind {
        AnswerKind::Text => text(answer, min.max(1.0), max.min(LONGEST_STATE_VALUE as f64)),
        AnswerKind::Integer => {
            let number: i32 = answer.parse().ok()?;
            (min..=max).contains(&f64::from(number)).then(|| number.to_string())
        }
        AnswerKind::Number => {
            let written = answer.replace(',', ".");
            let number: f64 = written.parse().ok()?;
            (number.is_finite() && (min..=max).contains(&number)).then_some(written)
        }
        AnswerKind::Digits => digits(answer, min.max(1.0), max.min(LONGEST_STATE_VALUE as f64)),
        AnswerKind::Email => email(answer),
        AnswerKind::Phone => phone(answer),
        AnswerKind::Date => {
            let number = date(answer)?;
            (min..=max).contains(&((number - today) as f64)).then(|| day::text(number))
        }
        AnswerKind::Time => time(answer),
        AnswerKind::File => None,
    }
}

fn text(answer: &str, min: f64, max: f64) -> Option<String> {
    let answer = answer.trim();
    (min..=max).contains(&(answer.chars().count() as f64)).then(|| answer.to_owned())
}

fn digits(answer: &str, min: f64, max: f64) -> Option<String> {
    let digits: String = answer.chars().filter(|character| !" -".contains(*character)).collect();
    let fits = digits.bytes().all(|byte| byte.is_ascii_digit()) && (min..=max).contains(&(digits.len() as f64));
    fits.then_some(digits)
}

/// Has the shape of an address. Only a message to it shows if it exists.
fn email(answer: &str) -> Option<String> {
    let (user, host) = answer.split_once('@')?;
    let is_host = host.contains('.') && host.split('.').all(|part| !part.is_empty()) && !host.contains('@');
    let fits = !user.is_empty() && is_host && answer.len() <= LONGEST_EMAIL && !answer.contains(char::is_whitespace);
    fits.then(|| answer.to_owned())
}

/// A number with 7 to 15 digits (E.164), without the plus sign.
fn phone(answer: &str) -> Option<String> {
    let written = answer.strip_prefix('+').unwrap_or(answer);
    let digits: String = written.chars().filter(|character| !" -()/.".contains(*character)).collect();
    let fits = (7..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    fits.then_some(digits)
}

/// `2026-12-31`, `31.12.2026`, `31/12/2026` or `31-12-2026`.
pub fn date(answer: &str) -> Option<i64> {
    let mut parts = answer.split(['-', '.', '/']).map(|part| (part.trim().len(), part.trim().parse::<i64>().ok()));
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    match (first, second, third) {
        ((4, Some(year)), (_, Some(month)), (_, Some(day))) => day::number(year, month, day),
        ((_, Some(day)), (_, Some(month)), (4, Some(year))) => day::number(year, month, day),
        _ => None,
    }
}

fn time(answer: &str) -> Option<String> {
    let (hour, minute) = answer.split_once([':', '.', 'h'])?;
    let (hour, minute): (u8, u8) = (hour.trim().parse().ok()?, minute.trim().parse().ok()?);
    (hour < 24 && minute < 60).then(|| format!("{hour:02}:{minute:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(kind: AnswerKind, bounds: (Option<f64>, Option<f64>), said: &str) -> Option<String> {
        let accept = AcceptedAnswer { kind, min: bounds.0, max: bounds.1 };
        read(Some(&accept), &Content::Text(said.to_owned()), 20_458)
    }

    #[test]
    fn answers_are_read_in_the_forms_that_people_write() {
        let open = (None, None);
        for (kind, said, stored) in [
            (AnswerKind::Text, "  Thandi ", "Thandi"),
            (AnswerKind::Integer, " 42 ", "42"),
            (AnswerKind::Number, "3,5", "3.5"),
            (AnswerKind::Digits, "12 34-56", "123456"),
            (AnswerKind::Email, "a.b@shop.example", "a.b@shop.example"),
            (AnswerKind::Phone, "+27 (82) 000-0001", "27820000001"),
            (AnswerKind::Date, "5/1/2026", "2026-01-05"),
            (AnswerKind::Date, "2026-1-5", "2026-01-05"),
            (AnswerKind::Time, "9.30", "09:30"),
        ] {
            assert_eq!(answer(kind, open, said).as_deref(), Some(stored), "{said}");
        }
    }

    #[test]
    fn other_answers_are_refused() {
        let open = (None, None);
        for (kind, bounds, said) in [
            (AnswerKind::Text, (Some(3.0), None), "no"),
            (AnswerKind::Text, open, "  "),
            (AnswerKind::Integer, (Some(1.0), Some(5.0)), "6"),
            (AnswerKind::Integer, open, "five"),
            (AnswerKind::Number, open, "NaN"),
            (AnswerKind::Digits, (Some(4.0), Some(4.0)), "12345"),
            (AnswerKind::Email, open, "a@b"),
            (AnswerKind::Email, open, "a b@shop.example"),
            (AnswerKind::Phone, open, "12"),
            (AnswerKind::Date, open, "30.2.2026"),
            (AnswerKind::Date, (Some(0.0), None), "4.1.2026"),
            (AnswerKind::Date, (None, Some(30.0)), "5.3.2026"),
            (AnswerKind::Time, open, "24:00"),
            (AnswerKind::File, open, "a photo"),
        ] {
            assert_eq!(answer(kind, bounds, said), None, "{said}");
        }
    }
}
