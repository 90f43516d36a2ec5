use serde::{Deserialize, Serialize};

use crate::{address_kind::AddressKind, channel::Channel};

/// The kinds of inbox. Each has its own carrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum InboxKind {
    WhatsappCloud,
    /// A number that is linked to WhatsApp like a device.
    WhatsappLite,
    Messenger,
    Telegram,
    Web,
    Sms,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind of inbox `{0}`")]
pub struct UnknownInboxKind(String);

impl InboxKind {
    pub const ALL: [Self; 6] =
        [Self::WhatsappCloud, Self::WhatsappLite, Self::Messenger, Self::Telegram, Self::Web, Self::Sms];

    pub fn as_str(self) -> &'static str {
        self.facts().name
    }

    pub fn channel(self) -> Channel {
        self.facts().channel
    }

    pub fn writes_to(self) -> &'static [AddressKind] {
        self.facts().writes_to
    }
}

impl std::str::FromStr for InboxKind {
    type Err = UnknownInboxKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| UnknownInboxKind(text.to_owned()))
    }
}

/// The operator of the device of a Lite number (SPEC 4.7, `hostingType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum LiteHosting {
    #[default]
    #[serde(rename = "WHATSAPP_GO")]
    WhatsappGo,
}

impl LiteHosting {
    pub const ALL: [Self; 1] = [Self::WhatsappGo];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::WhatsappGo => "WHATSAPP_GO",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hosting| hosting.as_str() == name)
    }
}

/// The unit of charge of a Lite number (SPEC 4.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BillingModel {
    #[default]
    Message,
}

impl BillingModel {
    pub const ALL: [Self; 1] = [Self::Message];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.as_str() == name)
    }
}
