//! Reports of providers about inboxes, their templates and their customers (SPEC 6.3, 6.4).

use serde::{Deserialize, Serialize};

use crate::{address::Address, ids::CustomerId};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateChanged {
    /// The provider's template id, if the provider gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    pub change: TemplateChange,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TemplateChange {
    /// Whether the template may be sent (SPEC 3.6).
    Status {
        status: TemplateApproval,
        /// Why the template was rejected, as the provider says it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    Quality {
        before: Quality,
        now: Quality,
    },
    Components {
        element: TemplateElement,
    },
}

/// Whether a template may be sent, as events report it (SPEC 3.6, 6.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TemplateApproval {
    Approved,
    Rejected,
    Paused,
    Disabled,
}

impl TemplateApproval {
    pub const ALL: [Self; 4] = [Self::Approved, Self::Rejected, Self::Paused, Self::Disabled];

    /// The name shown to clients.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "APPROVED",
            Self::Rejected => "REJECTED",
            Self::Paused => "PAUSED",
            Self::Disabled => "DISABLED",
        }
    }
}

/// How well a template or a number is received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Quality {
    Green,
    Yellow,
    Red,
    Unknown,
}

impl Quality {
    pub const ALL: [Self; 4] = [Self::Green, Self::Yellow, Self::Red, Self::Unknown];

    /// The name shown to clients.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Green => "GREEN",
            Self::Yellow => "YELLOW",
            Self::Red => "RED",
            Self::Unknown => "UNKNOWN",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quality| quality.as_str() == name)
    }

    /// The quality that a provider gives a number; `None` if it has not rated the number.
    pub fn of_number(name: &str) -> Option<Self> {
        Self::from_name(name).filter(|quality| *quality != Self::Unknown)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TemplateElement {
    Header,
    Body,
    Footer,
    Buttons,
}

impl TemplateElement {
    pub const ALL: [Self; 4] = [Self::Header, Self::Body, Self::Footer, Self::Buttons];

    /// The name shown to clients.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Header => "HEADER",
            Self::Body => "BODY",
            Self::Footer => "FOOTER",
            Self::Buttons => "BUTTONS",
        }
    }
}

/// A customer has another phone number, and stays the same customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomerNumberChanged {
    /// The customer, if already known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<CustomerId>,
    pub before: Address,
    pub now: Address,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxQualityChanged {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
    /// The provider's name for the limit of customers, such as `TIER_1K`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ChannelStatus>,
}

/// Whether a number can send, as its provider reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ChannelStatus {
    Connected,
    Disconnected,
    /// It can send, but the provider is about to restrict it.
    Flagged,
    /// It can send fewer messages, or to fewer customers.
    Restricted,
}

impl ChannelStatus {
    pub const ALL: [Self; 4] = [Self::Connected, Self::Disconnected, Self::Flagged, Self::Restricted];

    /// The name shown to clients.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connected => "CONNECTED",
            Self::Disconnected => "DISCONNECTED",
            Self::Flagged => "FLAGGED",
            Self::Restricted => "RESTRICTED",
        }
    }

    /// Maps the provider's many statuses to the four of the product (PROVIDERS A.10).
    pub fn of_provider(name: &str) -> Self {
        match name {
            "CONNECTED" => Self::Connected,
            "FLAGGED" => Self::Flagged,
            "RESTRICTED" | "BANNED" | "RATE_LIMITED" => Self::Restricted,
            _ => Self::Disconnected,
        }
    }
}

/// A customer wants, or no longer wants, messages of a category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreferenceChanged {
    /// The address that the provider names; absent if the provider withholds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
    /// Such as `MARKETING`.
    pub category: String,
    /// `true`: the customer no longer wants messages of the category.
    pub stop: bool,
}

/// The connection of a paired number changed (SPEC 6.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionChanged {
    pub status: ConnectionStatus,
    /// The state in the terms of SPEC 6.3, such as `Connected`.
    pub words: String,
}

/// State of the connection of a paired number (SPEC 3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionStatus {
    Connecting,
    Success,
    Disconnected,
}

impl ConnectionStatus {
    pub const ALL: [Self; 3] = [Self::Connecting, Self::Success, Self::Disconnected];

    /// The name shown to clients.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Success => "success",
            Self::Disconnected => "disconnected",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_of_the_provider_is_one_of_the_four() {
        for (name, expected) in [
            ("CONNECTED", ChannelStatus::Connected),
            ("FLAGGED", ChannelStatus::Flagged),
            ("RESTRICTED", ChannelStatus::Restricted),
            ("BANNED", ChannelStatus::Restricted),
            ("RATE_LIMITED", ChannelStatus::Restricted),
            ("DISCONNECTED", ChannelStatus::Disconnected),
            ("PENDING", ChannelStatus::Disconnected),
            ("MIGRATED", ChannelStatus::Disconnected),
        ] {
            assert_eq!(ChannelStatus::of_provider(name), expected, "{name}");
        }
    }

    #[test]
    fn a_number_that_the_provider_has_not_rated_has_no_quality() {
        assert_eq!(["GREEN", "UNKNOWN", "NA", ""].map(Quality::of_number), [Some(Quality::Green), None, None, None]);
    }
}
