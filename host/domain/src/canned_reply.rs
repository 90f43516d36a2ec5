//! Canned replies: a shortcut, and a text with variables such as `{{customer.name}}`.

use serde::Deserialize;

use crate::{
    body::{self, Faults, FieldFault},
    ids::TeamId,
    invisible_characters::is_all_blank,
};

const SHORTCUT_MAX: usize = 32;
const TEXT_MAX: usize = 4_000;

/// The values that a text can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplyVariable {
    CustomerName,
    CustomerPhone,
    AgentName,
    TeamName,
    TicketNumber,
    ClientName,
}

impl ReplyVariable {
    pub const ALL: [Self; 6] = [
        Self::CustomerName,
        Self::CustomerPhone,
        Self::AgentName,
        Self::TeamName,
        Self::TicketNumber,
        Self::ClientName,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::CustomerName => "customer.name",
            Self::CustomerPhone => "customer.phone",
            Self::AgentName => "agent.name",
            Self::TeamName => "team.name",
            Self::TicketNumber => "ticket.number",
            Self::ClientName => "client.name",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variable| variable.as_str() == name)
    }
}

/// A canned reply as the caller wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyDraft {
    pub shortcut: String,
    pub text: String,
    /// `None`: for all teams.
    pub team: Option<TeamId>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    shortcut: Option<String>,
    text: Option<String>,
    team_id: Option<String>,
}

impl ReplyDraft {
    pub fn parse(bytes: &[u8]) -> Result<Self, Faults> {
        let written: Written = body::parse(bytes)?;
        let shortcut = written.shortcut.ok_or_else(|| FieldFault::required("shortcut")).and_then(shortcut);
        let text = written.text.ok_or_else(|| FieldFault::required("text")).and_then(checked_text);
        let team = written.team_id.map(|team| team.parse()).transpose();
        let team = team.map_err(|_| FieldFault::new("teamId", "is not the id of one of your teams"));
        match (shortcut, text, team) {
            (Ok(shortcut), Ok(text), Ok(team)) => Ok(Self { shortcut, text, team }),
            (shortcut, text, team) => Err([shortcut.err(), text.err(), team.err()].into_iter().flatten().collect()),
        }
    }
}

fn shortcut(written: String) -> Result<String, FieldFault> {
    let plain = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || matches!(one, '-' | '_');
    match (1..=SHORTCUT_MAX).contains(&written.len()) && written.chars().all(plain) {
        true => Ok(written),
        false => {
            let said = format!("must have 1 to {SHORTCUT_MAX} lower-case letters (a to z), digits, `-` and `_`");
            Err(FieldFault::new("shortcut", said))
        }
    }
}

fn checked_text(written: String) -> Result<String, FieldFault> {
    if is_all_blank(&written) || written.chars().count() > TEXT_MAX {
        return Err(FieldFault::new(
            "text",
            format!("must have 1 to {TEXT_MAX} characters, something to see among them"),
        ));
    }
    match variables(&written) {
        Ok(_) => Ok(written),
        Err(name) => {
            let known = ReplyVariable::ALL.map(ReplyVariable::as_str).join(", ");
            let name: String = name.chars().take(40).collect();
            Err(FieldFault::new("text", format!("names the unknown variable `{name}`: use {known}")))
        }
    }
}

/// The variables of a text in their order, each once. `Err`: the first unknown name.
pub fn variables(text: &str) -> Result<Vec<ReplyVariable>, String> {
    let mut found = Vec::new();
    for piece in pieces(text) {
        if let Piece::Name(name) = piece {
            let variable = ReplyVariable::from_name(name).ok_or_else(|| name.to_owned())?;
            if !found.contains(&variable) {
                found.push(variable);
            }
        }
    }
    Ok(found)
}

/// Puts values into a text. Also returns the variables without a value; their place is empty.
pub fn fill(text: &str, value: impl Fn(ReplyVariable) -> Option<String>) -> (String, Vec<ReplyVariable>) {
    let (mut filled, mut missing) = (String::with_capacity(text.len()), Vec::new());
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => filled.push_str(text),
            Piece::Name(name) => match ReplyVariable::from_name(name) {
                Some(variable) => match value(variable) {
                    Some(value) => filled.push_str(&value),
                    None if missing.contains(&variable) => {}
                    None => missing.push(variable),
                },
                None => filled.push_str(name),
            },
        }
    }
    (filled, missing)
}

enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
}

/// Braces that do not close are text.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, then)) = after.split_once("}}") else { break };
        pieces.push(Piece::Text(before));
        pieces.push(Piece::Name(name.trim()));
        rest = then;
    }
    pieces.push(Piece::Text(rest));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faulty(body: &str) -> Vec<String> {
        ReplyDraft::parse(body.as_bytes()).unwrap_err().iter().map(|fault| fault.field.clone()).collect()
    }

    #[test]
    fn a_reply_has_a_shortcut_and_a_text_with_known_variables() {
        let draft = ReplyDraft::parse(br#"{"shortcut":"hello","text":"Hi {{ customer.name }}"}"#).unwrap();
        assert_eq!((draft.shortcut.as_str(), draft.team), ("hello", None));
        assert_eq!(variables(&draft.text).unwrap(), [ReplyVariable::CustomerName]);
        assert_eq!(faulty("{}"), ["shortcut", "text"]);
        assert_eq!(faulty(r#"{"shortcut":"Hello","text":" ","teamId":"x"}"#), ["shortcut", "text", "teamId"]);
        assert_eq!(faulty(r#"{"shortcut":"a","text":"{{customer.age}}"}"#), ["text"]);
    }

    #[test]
    fn values_are_put_into_a_text_and_missing_ones_are_named() {
        let text = "{{customer.name}}, {{agent.name}} here. {{ customer.name }}! {{";
        let value = |variable| (variable == ReplyVariable::AgentName).then(|| "Thandi".to_owned());
        assert_eq!(fill(text, value), (", Thandi here. ! {{".to_owned(), vec![ReplyVariable::CustomerName]));
    }

    #[test]
    fn a_value_is_not_read_for_variables() {
        let (filled, _) = fill("{{customer.name}}", |_| Some("{{agent.name}}".to_owned()));
        assert_eq!(filled, "{{agent.name}}");
    }
}
