//! Teams of agents: their names and the assignment of waiting chats (issue of live chat, DESIGN 6).

use std::{fmt, str::FromStr};

/// Longest name of a team, in characters.
pub const NAME_MAX: usize = 128;
/// Longest text for customers outside the hours of a team, in characters.
pub const AFTER_HOURS_TEXT_MAX: usize = 1_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Assignment {
    /// No assignment: a chat waits until an agent takes it.
    #[default]
    Off,
    /// The agent whose last assignment is oldest, among available agents below their limit.
    RoundRobin,
    /// The agent with the fewest chats, among available agents below their limit.
    LeastBusy,
}

impl Assignment {
    pub const ALL: [Self; 3] = [Self::Off, Self::RoundRobin, Self::LeastBusy];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::RoundRobin => "round-robin",
            Self::LeastBusy => "least-busy",
        }
    }

    pub fn stored_name(self) -> &'static str {
        match self {
            Self::Off => "OFF",
            Self::RoundRobin => "ROUND_ROBIN",
            Self::LeastBusy => "LEAST_BUSY",
        }
    }

    pub fn from_stored(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.stored_name() == name)
    }
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a form of assignment: use off, round-robin or least-busy")]
pub struct UnknownAssignment;

impl FromStr for Assignment {
    type Err = UnknownAssignment;

    fn from_str(text: &str) -> Result<Self, UnknownAssignment> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == text).ok_or(UnknownAssignment)
    }
}

/// The name of a team: visible characters without spaces around them. It is unique within the client, ignoring case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeamName(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a name of a team: it must have 1 to {NAME_MAX} characters and no control characters")]
pub struct BadTeamName;

impl TeamName {
    pub fn parse(text: &str) -> Result<Self, BadTeamName> {
        let name = text.trim();
        let fits = (1..=NAME_MAX).contains(&name.chars().count());
        if fits && !name.chars().any(char::is_control) { Ok(Self(name.to_owned())) } else { Err(BadTeamName) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text for a customer who starts to wait for a team outside its hours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AfterHoursText(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "must have 1 to {AFTER_HOURS_TEXT_MAX} characters and no control characters but line breaks; null: no text is sent"
)]
pub struct BadAfterHoursText;

impl AfterHoursText {
    pub fn parse(text: &str) -> Result<Self, BadAfterHoursText> {
        let text = text.trim();
        let fits = (1..=AFTER_HOURS_TEXT_MAX).contains(&text.chars().count());
        let odd = text.chars().any(|one| one.is_control() && one != '\n');
        if fits && !odd { Ok(Self(text.to_owned())) } else { Err(BadAfterHoursText) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_assignment_is_read_by_both_of_its_names() {
        for mode in Assignment::ALL {
            assert_eq!(mode.as_str().parse(), Ok(mode));
            assert_eq!(Assignment::from_stored(mode.stored_name()), Some(mode));
        }
        for other in ["", "OFF", "round_robin", "random"] {
            assert_eq!(other.parse::<Assignment>(), Err(UnknownAssignment), "{other}");
        }
    }

    #[test]
    fn the_after_hours_text_has_1_to_1000_characters_and_may_have_lines() {
        assert_eq!(
            AfterHoursText::parse(" We are closed.\nBack at 8. ").unwrap().as_str(),
            "We are closed.\nBack at 8."
        );
        assert!(AfterHoursText::parse(&"é".repeat(AFTER_HOURS_TEXT_MAX)).is_ok());
        for bad in ["", " \n ", "a\tb", "a\0b", &"é".repeat(AFTER_HOURS_TEXT_MAX + 1)] {
            assert_eq!(AfterHoursText::parse(bad), Err(BadAfterHoursText), "{bad:?}");
        }
    }

    #[test]
    fn a_name_has_1_to_128_characters_without_the_spaces_around_it() {
        assert_eq!(TeamName::parse(" Ventes é ").unwrap().as_str(), "Ventes é");
        assert!(TeamName::parse(&"é".repeat(NAME_MAX)).is_ok());
        for bad in ["", "  ", "a\nb", &"é".repeat(NAME_MAX + 1)] {
            assert_eq!(TeamName::parse(bad), Err(BadTeamName), "{bad:?}");
        }
    }
}
