//! Reading provider JSON without trusting its shape.

use chrono::{DateTime, Utc};
use serde_json::Value;

/// A non-empty string field.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// A non-empty string field, owned.
pub(crate) fn owned(value: &Value, name: &str) -> Option<String> {
    text(value, name).map(str::to_owned)
}

/// The elements of a list field; nothing when it is absent or no list.
pub(crate) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A number that may be written as text.
pub(crate) fn number(value: &Value, name: &str) -> Option<f64> {
    let field = value.get(name)?;
    field.as_f64().or_else(|| field.as_str()?.trim().parse().ok()).filter(|number| number.is_finite())
}

/// `timestamp`: Unix seconds, as text or number. Values too large for seconds are milliseconds.
pub(crate) fn instant(value: &Value) -> Option<DateTime<Utc>> {
    let field = value.get("timestamp")?;
    instant_of(field.as_i64().or_else(|| field.as_str()?.trim().parse().ok())?)
}

/// The moment that a `timestamp` counts to.
pub(super) fn instant_of(count: i64) -> Option<DateTime<Utc>> {
    const FIRST_MILLISECOND: i64 = 100_000_000_000;
    match count {
        ..0 => None,
        0..FIRST_MILLISECOND => DateTime::from_timestamp(count, 0),
        FIRST_MILLISECOND.. => DateTime::from_timestamp_millis(count),
    }
}

/// A phone number in digits; `None` when there are none.
pub(crate) fn digits(value: &Value, name: &str) -> Option<String> {
    digits_of(text(value, name)?)
}

/// The digits of a phone number; `None` when there are none.
pub(super) fn digits_of(number: &str) -> Option<String> {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

/// Replaces NUL in every string and key.
pub(crate) fn scrub_nul(value: &mut Value) {
    const REPLACEMENT: &str = "\u{fffd}";
    match value {
        Value::String(text) if text.contains('\0') => *text = text.replace('\0', REPLACEMENT),
        Value::Array(items) => items.iter_mut().for_each(scrub_nul),
        Value::Object(fields) => {
            if fields.keys().any(|key| key.contains('\0')) {
                let taken = std::mem::take(fields);
                fields.extend(taken.into_iter().map(|(key, value)| (key.replace('\0', REPLACEMENT), value)));
            }
            fields.values_mut().for_each(scrub_nul);
        }
        _ => {}
    }
}
