//! How a customer found a conversation (SPEC 2.8, 2.9).

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Rating {
    Poor,
    Average,
    Excellent,
}

impl Rating {
    pub const ALL: [Self; 3] = [Self::Poor, Self::Average, Self::Excellent];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Poor => "POOR",
            Self::Average => "AVERAGE",
            Self::Excellent => "EXCELLENT",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rating| rating.as_str() == name)
    }
}
