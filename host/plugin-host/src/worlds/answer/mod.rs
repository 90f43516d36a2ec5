//! Checks the answers of plugins like user input: lengths, counts, characters that cannot be stored.

pub(crate) mod body;
pub(crate) mod chatbot;
pub(crate) mod finding;
pub(crate) mod router;
pub(crate) mod sms;
pub(crate) mod sms_router;
#[cfg(test)]
mod tests;

use domain::send::read_link;

use crate::calling::limits::ExceededLimit;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AnswerFault {
    Limit(ExceededLimit),
    Rule(String),
}

/// Longest JSON text of a decision of its own kind, in characters.
pub(crate) const CUSTOM: usize = 16 << 10;

type Judgement = Result<(), String>;

fn text(what: &str, value: &str, most: usize) -> Judgement {
    if value.trim().is_empty() {
        return Err(format!("the {what} is empty"));
    }
    optional(what, Some(value), most)
}

/// Allows an absent or empty text.
fn optional(what: &str, value: Option<&str>, most: usize) -> Judgement {
    let Some(value) = value else { return Ok(()) };
    if value.contains('\0') {
        return Err(format!("the {what} contains a NUL character"));
    }
    let length = value.chars().count();
    if length > most {
        return Err(format!("the {what} has {length} characters; {most} are allowed"));
    }
    Ok(())
}

fn count(what: &str, found: usize, allowed: std::ops::RangeInclusive<usize>) -> Judgement {
    if allowed.contains(&found) {
        return Ok(());
    }
    Err(format!("there are {found} {what}; {} to {} are allowed", allowed.start(), allowed.end()))
}

fn url(what: &str, value: &str) -> Judgement {
    text(what, value, 2_048)?;
    read_link(value).map(drop).map_err(|wrong| format!("the {what} is not an http or https address: it {wrong}"))
}

fn json(value: &str, most: usize) -> Judgement {
    text("text", value, most)?;
    let parsed: Result<serde::de::IgnoredAny, _> = serde_json::from_str(value);
    parsed.map(drop).map_err(|fault| format!("the text is not JSON: {fault}"))
}
