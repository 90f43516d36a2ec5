//! Where a chat takes place.

/// Where a chat takes place (SPEC 2.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChatChannel {
    /// WhatsApp, Cloud or Lite.
    Whatsapp,
    /// The web chat widget.
    Web,
    /// The social messenger.
    Facebook,
}

impl ChatChannel {
    /// The name that is stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Whatsapp => "WHATSAPP",
            Self::Web => "WEB",
            Self::Facebook => "FACEBOOK",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        [Self::Whatsapp, Self::Web, Self::Facebook].into_iter().find(|channel| channel.as_str() == name)
    }
}
