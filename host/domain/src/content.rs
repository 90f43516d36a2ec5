//! The content of one provider call: neutral to providers, fully resolved, stored once per element of `messages`.

use serde::{Deserialize, Serialize};

/// The content of an outbound message. A channel adapter only translates it; nothing has to be looked up any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum OutboundContent {
    Text {
        /// The text, at most 4096 characters on WhatsApp.
        body: String,
    },
    Media(OutboundMedia),
    Template(TemplateSend),
    Buttons(ReplyButtons),
    List(ReplyList),
    Location(Location),
    /// A text message that was asked for as such.
    Sms(SmsContent),
    /// A reaction to a message, or taking one back.
    Reaction(Reaction),
}

impl OutboundContent {
    /// True if it answers a customer that waits: every content but a reaction.
    pub fn is_answer(&self) -> bool {
        !matches!(self, Self::Reaction(_))
    }

    /// The SMS that it is, with the text that a router gave it.
    #[must_use]
    pub fn saying(&self, text: String) -> Self {
        match self {
            Self::Sms(sms) => Self::Sms(SmsContent { text, ..sms.clone() }),
            _ => Self::Text { body: text },
        }
    }
}

/// The content of one leg, if it differs from that of its part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LegContent {
    Sms(SmsContent),
    Message(Box<OutboundContent>),
}

impl LegContent {
    #[must_use]
    pub fn saying(self, text: String) -> Self {
        match self {
            Self::Sms(sms) => Self::Sms(SmsContent { text, ..sms }),
            Self::Message(content) => Self::Message(Box::new(content.saying(text))),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reaction {
    pub message_id: String,
    /// The emoji; `None` takes the reaction back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmsContent {
    pub text: String,
    /// Force UTF-16. A text outside the GSM alphabet switches by itself.
    pub unicode: bool,
    /// Source address in the place of that of the inbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// A long text goes out as several messages that each say their place, in the place of parts that phones join.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub numbered: bool,
    /// Goes before others on its way: one-time pins.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub urgent: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutboundMedia {
    /// How the provider must show it. Its name in JSON leaves `kind` to the tag of [`OutboundContent`].
    #[serde(rename = "mediaKind")]
    pub kind: MediaKind,
    pub url: String,
    pub caption: Option<String>,
    /// File name of a document. Without a known type, the server of the link is asked before sending.
    pub filename: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum MediaKind {
    /// JPEG, PNG.
    Image,
    /// MP4, 3GP.
    Video,
    Audio,
    /// A voice note (ogg/opus): the only kind that yields `PLAYED`.
    Voice,
    Document,
    /// WebP sticker.
    Sticker,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateSend {
    pub id: String,
    pub name: String,
    pub language: String,
    /// Media header, when the template has one.
    pub header: Option<HeaderParameter>,
    /// Parameters of a text header with a placeholder: text parameters of the `header` component.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub header_text: Vec<TextParameter>,
    pub body: Vec<TextParameter>,
    /// One entry per button that takes a parameter.
    pub buttons: Vec<ButtonParameter>,
    pub cards: Vec<CardParameters>,
    /// Header text, body and footer with all placeholders replaced: the text of an automatic fallback and of the chat.
    pub rendered_text: String,
    /// The labels of its quick replies, in order, those of cards last: for channels without buttons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<QuickReply>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuickReply {
    pub label: String,
    /// The payload of a tap: the parameter as the provider gets it, or the label if there is none.
    pub payload: String,
}

impl ButtonParameter {
    /// The value for the provider: the token if there is one, else the value.
    pub fn provider_value(&self) -> &str {
        self.token.as_deref().unwrap_or(&self.value)
    }
}

impl TemplateSend {
    /// The readable text without the cards, if each card is shown on its own.
    pub fn text_without_cards(&self) -> String {
        let of_cards = lines(self.cards.iter().map(|card| card.rendered_text.as_str()));
        if of_cards.is_empty() {
            return self.rendered_text.clone();
        }
        // Cards stand together, after the body and before the footer.
        match self.rendered_text.split_once(&of_cards) {
            Some((before, after)) => lines([before.trim_end_matches('\n'), after.trim_start_matches('\n')].into_iter()),
            None => self.rendered_text.clone(),
        }
    }

    pub fn replies_without_cards(&self) -> &[QuickReply] {
        let of_cards: usize = self.cards.iter().map(|card| card.replies.len()).sum();
        self.replies.get(..self.replies.len().saturating_sub(of_cards)).unwrap_or_default()
    }

    /// All buttons whose taps are recognised by a token, with those of carousel cards.
    pub fn tokened_buttons(&self) -> impl Iterator<Item = &ButtonParameter> {
        let of_cards = self.cards.iter().flat_map(|card| &card.buttons);
        self.buttons.iter().chain(of_cards).filter(|button| button.token.is_some())
    }
}

/// One below the other, without empty ones.
pub fn lines<'a>(all: impl Iterator<Item = &'a str>) -> String {
    all.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeaderParameter {
    /// `IMAGE`, `VIDEO` or `DOCUMENT`.
    pub kind: MediaKind,
    pub url: String,
    pub filename: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextParameter {
    /// Set when the template says `parameter_format: NAMED`.
    pub name: Option<String>,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ButtonParameter {
    /// Position of the button in the template, from 0.
    pub index: u8,
    pub kind: ButtonKind,
    /// URL suffix, quick-reply payload or coupon code.
    pub value: String,
    /// The effect of a tap on a long-lived conversation (SPEC 2.3 `conversationParameters`).
    pub conversation_state: Option<ConversationEffect>,
    /// Set exactly when `conversation_state` is: the payload for the provider in place of `value`, by which a tap finds
    /// its effect (PROVIDERS A.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// Kinds of template button that take a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ButtonKind {
    QuickReply,
    Url,
    CopyCode,
}

/// `conversationState` of a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConversationEffect {
    /// Keeps the conversation open.
    Start,
    /// Closes it.
    End,
}

impl ConversationEffect {
    pub const ALL: [Self; 2] = [Self::Start, Self::End];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::End => "end",
        }
    }
}

/// Parameters of one carousel card.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CardParameters {
    pub header: Option<HeaderParameter>,
    pub body: Vec<TextParameter>,
    pub buttons: Vec<ButtonParameter>,
    /// The readable text of the card: its lines as in `rendered_text` of the template.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rendered_text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<QuickReply>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyButtons {
    pub header: Option<String>,
    /// The message, at most 1024 characters.
    pub body: String,
    pub footer: Option<String>,
    /// One to three buttons.
    pub buttons: Vec<ReplyButton>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyButton {
    /// At most 256 characters.
    pub id: String,
    /// At most 20 characters.
    pub title: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyList {
    pub header: Option<String>,
    /// The message, at most 1024 characters.
    pub body: String,
    pub footer: Option<String>,
    /// The text of the button that opens the list, at most 20 characters.
    pub button: String,
    /// One to ten sections with at most ten rows in all.
    pub sections: Vec<ListSection>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListSection {
    /// At most 24 characters.
    pub title: String,
    pub rows: Vec<ListRow>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListRow {
    /// At most 200 characters.
    pub id: String,
    /// At most 24 characters.
    pub title: String,
    /// At most 72 characters.
    pub description: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    pub latitude: f64,
    pub longitude: f64,
    pub name: Option<String>,
    pub address: Option<String>,
}
