//! The inboxes of a business.

use serde::{Deserialize, Serialize};

use crate::{address::AddressKind, channel::Channel};

/// The kinds of inbox: each is one way in and out, with its own carrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum InboxKind {
    /// A number on Meta's WhatsApp Cloud API.
    WhatsappCloud,
    /// A number that is paired like a phone.
    WhatsappLite,
    /// A Facebook page.
    Messenger,
    /// A web site with the chat widget.
    Web,
    /// A source address of text messages.
    Sms,
}

/// A kind of inbox that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind of inbox `{0}`")]
pub struct UnknownInboxKind(String);

impl InboxKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::WhatsappCloud, Self::WhatsappLite, Self::Messenger, Self::Web, Self::Sms];

    /// The name that is stored; of the first two also the `whatsAppProvider` of SPEC 4.7.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WhatsappCloud => "WHATSAPP_CLOUD",
            Self::WhatsappLite => "WHATSAPP_LITE",
            Self::Messenger => "MESSENGER",
            Self::Web => "WEB",
            Self::Sms => "SMS",
        }
    }

    /// The channel of its messages.
    pub fn channel(self) -> Channel {
        match self {
            Self::WhatsappCloud | Self::WhatsappLite => Channel::Whatsapp,
            Self::Messenger => Channel::Facebook,
            Self::Web => Channel::Web,
            Self::Sms => Channel::Sms,
        }
    }

    /// The kinds of address that it can write to, the preferred one first (SPEC 1: the phone number is the primary
    /// identifier; SPEC 2.2: it wins over the BSUID).
    pub fn writes_to(self) -> &'static [AddressKind] {
        match self {
            Self::WhatsappCloud => &[AddressKind::Phone, AddressKind::Bsuid],
            Self::WhatsappLite => &[AddressKind::Phone, AddressKind::Lid, AddressKind::Bsuid],
            Self::Messenger => &[AddressKind::Psid],
            Self::Web => &[AddressKind::Visitor],
            Self::Sms => &[AddressKind::Phone],
        }
    }
}

impl std::str::FromStr for InboxKind {
    type Err = UnknownInboxKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| UnknownInboxKind(text.to_owned()))
    }
}

/// The operator of the device of a paired number (SPEC 4.7, `hostingType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum LiteHosting {
    /// The platform.
    #[default]
    #[serde(rename = "WHATSAPP_GO")]
    WhatsappGo,
}

impl LiteHosting {
    /// The name shown to clients and stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WhatsappGo => "WHATSAPP_GO",
        }
    }

    /// From the name that is stored.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::WhatsappGo].into_iter().find(|hosting| hosting.as_str() == name)
    }
}

/// The billing model of a paired number (SPEC 4.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BillingModel {
    /// Each message.
    #[default]
    Message,
}

impl BillingModel {
    /// The name shown to clients and stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
        }
    }

    /// From the name that is stored.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Message].into_iter().find(|model| model.as_str() == name)
    }
}
