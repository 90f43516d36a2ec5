use serde::{Deserialize, Serialize};

/// The network of a message, as clients see it (SPEC 2.3, 2.8). Its carrier follows from [`crate::inbox::InboxKind`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Channel {
    /// WhatsApp, Cloud or Lite.
    Whatsapp,
    Facebook,
    Web,
    Telegram,
    Sms,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown channel `{0}`")]
pub struct UnknownChannel(String);

impl Channel {
    pub const ALL: [Self; 5] = [Self::Whatsapp, Self::Web, Self::Facebook, Self::Telegram, Self::Sms];

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
