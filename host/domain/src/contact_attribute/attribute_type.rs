/// Characters of a choice.
pub(super) const CHOICE_MAX: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeType {
    Text,
    Number,
    Boolean,
    Date,
    /// One of these texts, each once.
    Choice(Vec<String>),
}

impl AttributeType {
    pub const NAMES: [&'static str; 5] = ["TEXT", "NUMBER", "BOOLEAN", "DATE", "CHOICE"];

    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Text => "TEXT",
            Self::Number => "NUMBER",
            Self::Boolean => "BOOLEAN",
            Self::Date => "DATE",
            Self::Choice(_) => "CHOICE",
        }
    }

    /// `choices` count for `CHOICE` only.
    pub fn from_name(name: &str, choices: Vec<String>) -> Option<Self> {
        Some(match name {
            "TEXT" => Self::Text,
            "NUMBER" => Self::Number,
            "BOOLEAN" => Self::Boolean,
            "DATE" => Self::Date,
            "CHOICE" => Self::Choice(choices),
            _ => return None,
        })
    }

    pub fn choices(&self) -> &[String] {
        match self {
            Self::Choice(choices) => choices,
            _ => &[],
        }
    }
}
