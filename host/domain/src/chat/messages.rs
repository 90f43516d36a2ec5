use serde::{Deserialize, Serialize};

use crate::{
    content::{MediaKind, OutboundContent},
    inbound::InboundContent,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Direction {
    Incoming,
    Outgoing,
}

impl Direction {
    pub const ALL: [Self; 2] = [Self::Incoming, Self::Outgoing];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Incoming => "INCOMING",
            Self::Outgoing => "OUTGOING",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|direction| direction.as_str() == name)
    }
}

macro_rules! named_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "UPPERCASE")]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

named_enum!(
    /// `contentType` of a chat message (SPEC 2.8).
    ContentType {
        /// Text, and content without a type of its own: reactions and contacts in a readable form.
        Text = "TEXT",
        /// Picture, sticker.
        Image = "IMAGE",
        Document = "DOCUMENT",
        Video = "VIDEO",
        Audio = "AUDIO",
        Voice = "VOICE",
        File = "FILE",
        Location = "LOCATION",
        /// Buttons or a list, or a tap on them.
        Button = "BUTTON",
        /// Carousel, or a tap on one of its buttons.
        Carousel = "CAROUSEL",
        Rating = "RATING",
        /// Default when a `mediaUrl` is given on send.
        Media = "MEDIA",
    }
);

named_enum!(
    /// `messageContentType` of an incoming message webhook (SPEC 6.1).
    MessageContentType {
        Text = "TEXT",
        Media = "MEDIA",
        Location = "LOCATION",
        /// Tap on a template's quick reply.
        Button = "BUTTON",
        /// Tap on a reply button or list row.
        Interactive = "INTERACTIVE",
        Contact = "CONTACT",
        Reaction = "REACTION",
        /// Tap on a button of a carousel card.
        Carousel = "CAROUSEL",
    }
);

impl MessageContentType {
    /// `answers_carousel`: the tapped button belongs to a carousel template (PROVIDERS A.8).
    pub fn of_inbound(content: &InboundContent, answers_carousel: bool) -> Self {
        match content {
            InboundContent::Text { .. } | InboundContent::Unmodelled(_) => Self::Text,
            InboundContent::Media(_) => Self::Media,
            InboundContent::Location(_) => Self::Location,
            InboundContent::Button { .. } if answers_carousel => Self::Carousel,
            InboundContent::Button { .. } => Self::Button,
            InboundContent::Interactive { .. } => Self::Interactive,
            InboundContent::Reaction { .. } => Self::Reaction,
            InboundContent::Contact { .. } => Self::Contact,
        }
    }
}

impl ContentType {
    pub fn of_inbound(content: &InboundContent, answers_carousel: bool) -> Self {
        match content {
            InboundContent::Text { .. }
            | InboundContent::Reaction { .. }
            | InboundContent::Contact { .. }
            | InboundContent::Unmodelled(_) => Self::Text,
            InboundContent::Media(media) => Self::of_media(media.media_kind),
            InboundContent::Location(_) => Self::Location,
            InboundContent::Button { .. } if answers_carousel => Self::Carousel,
            InboundContent::Button { .. } | InboundContent::Interactive { .. } => Self::Button,
        }
    }

    pub fn of_outbound(content: &OutboundContent) -> Self {
        match content {
            OutboundContent::Text { .. } | OutboundContent::Sms(_) | OutboundContent::Reaction(_) => Self::Text,
            OutboundContent::Media(media) => Self::of_media(media.kind),
            OutboundContent::Template(template) if !template.cards.is_empty() => Self::Carousel,
            OutboundContent::Template(_) => Self::Text,
            OutboundContent::Buttons(_) | OutboundContent::List(_) => Self::Button,
            OutboundContent::Location(_) => Self::Location,
        }
    }

    pub fn of_media(kind: MediaKind) -> Self {
        match kind {
            MediaKind::Image | MediaKind::Sticker => Self::Image,
            MediaKind::Video => Self::Video,
            MediaKind::Audio => Self::Audio,
            MediaKind::Voice => Self::Voice,
            MediaKind::Document => Self::Document,
        }
    }
}
