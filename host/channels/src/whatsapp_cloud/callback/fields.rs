//! Reading provider JSON without trusting its shape.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use domain::phone;
use serde_json::Value;

pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// A non-empty string field, or a number as text, because ids come in either form.
pub(crate) fn word<'a>(value: &'a Value, name: &str) -> Option<Cow<'a, str>> {
    match value.get(name)? {
        Value::String(text) if !text.is_empty() => Some(Cow::Borrowed(text)),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        _ => None,
    }
}

pub(crate) fn owned(value: &Value, name: &str) -> Option<String> {
    word(value, name).map(Cow::into_owned)
}

pub(crate) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The elements of a list field. Another value is the only element; `null` is none.
pub(crate) fn elements<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    match value.get(name) {
        None | Some(Value::Null) => &[],
        Some(Value::Array(elements)) => elements,
        Some(other) => std::slice::from_ref(other),
    }
}

pub(crate) fn number(value: &Value, name: &str) -> Option<f64> {
    let field = value.get(name)?;
    field.as_f64().or_else(|| field.as_str()?.trim().parse().ok()).filter(|number| number.is_finite())
}

/// `timestamp`: Unix seconds, as text or number. Values too large for seconds are milliseconds.
pub(crate) fn instant(value: &Value) -> Option<DateTime<Utc>> {
    let field = value.get("timestamp")?;
    let whole = field.as_i64().or_else(|| field.as_str()?.trim().parse().ok());
    // Some providers write fractions of a second.
    let whole = whole.or_else(|| number(value, "timestamp")?.trunc().to_string().parse().ok());
    instant_of(whole?)
}

pub(super) fn instant_of(count: i64) -> Option<DateTime<Utc>> {
    const FIRST_MILLISECOND: i64 = 100_000_000_000;
    match count {
        ..0 => None,
        0..FIRST_MILLISECOND => DateTime::from_timestamp(count, 0),
        FIRST_MILLISECOND.. => DateTime::from_timestamp_millis(count),
    }
}

/// The digits of a phone number.
pub(crate) fn digits(value: &Value, name: &str) -> Option<String> {
    phone::written_digits(&word(value, name)?)
}
