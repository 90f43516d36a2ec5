//! The channels of messages.

use serde::{Deserialize, Serialize};

/// The kind of network that a message goes over, as clients see it (SPEC 2.3, 2.8). Which software carries it there is the
/// business of an inbox ([`crate::inbox::InboxKind`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Channel {
    /// WhatsApp, Cloud or Lite.
    Whatsapp,
    /// The social messenger.
    Facebook,
    /// The web chat widget.
    Web,
    /// Bots of Telegram.
    Telegram,
    /// Text messages to phones.
    Sms,
}

/// A channel that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown channel `{0}`")]
pub struct UnknownChannel(String);

impl Channel {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Whatsapp, Self::Web, Self::Facebook, Self::Telegram, Self::Sms];

    /// The name that is stored and shown.
    pub fn as_str(self) -> &'static str {
        self.facts().name
    }
}

impl std::str::FromStr for Channel {
    type Err = UnknownChannel;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == text).ok_or_else(|| UnknownChannel(text.to_owned()))
    }
}
