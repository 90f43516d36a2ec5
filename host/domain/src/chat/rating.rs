//! How a customer found a conversation (SPEC 2.8, 2.9).

use serde::{Deserialize, Serialize};

/// A rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Rating {
    /// Bad.
    Poor,
    /// Neither.
    Average,
    /// Good.
    Excellent,
}

impl Rating {
    /// All of them, the worst first.
    pub const ALL: [Self; 3] = [Self::Poor, Self::Average, Self::Excellent];

    /// The name that is stored and that clients see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Poor => "POOR",
            Self::Average => "AVERAGE",
            Self::Excellent => "EXCELLENT",
        }
    }

    /// From its name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rating| rating.as_str() == name)
    }
}
