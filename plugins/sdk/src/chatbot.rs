//! World `chatbot`: the types of the interface, with short ways to write the usual answers.

pub use crate::bindings::chatbot::exports::patchbay::plugin::bot::{
    Action, Button, CustomEvent, Event, EventKind, Guest as Chatbot, HandOver, ListRow, ListSection, LocalTime, Rating,
    RatingScore, ReplyButtons, ReplyList, ReplyLocation, ReplyMedia, ReplyTemplate, ReplyText, Session, TemplateHeader,
    Timer, Weekday,
};
pub use crate::bindings::chatbot::patchbay::plugin::types::{
    Channel, Choice, Content, Customer, Error, IncomingMessage, Location, Media, MediaKind, Metadata, QuotedMessage,
    Reaction, TemplateReference,
};

impl Error {
    /// A failure that would happen again: the host does not try the same call once more.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), retry: false }
    }

    /// A failure that may pass: the host makes the same call again a little later.
    pub fn temporary(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), retry: true }
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Self::new("failed", message)
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Self::new("failed", message)
    }
}

impl Event {
    /// What the customer said, in words: the text of a message, or what was written on the chosen button.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            EventKind::Message(message) => message.content.text(),
            _ => None,
        }
    }

    /// The id or payload of the button or list entry that the customer chose.
    pub fn choice(&self) -> Option<&str> {
        match &self.kind {
            EventKind::Message(IncomingMessage {
                content: Content::Button(choice) | Content::Interactive(choice) | Content::Carousel(choice),
                ..
            }) => Some(&choice.payload),
            _ => None,
        }
    }
}

impl Content {
    /// The words of the content, if it has any.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Button(choice) | Self::Interactive(choice) | Self::Carousel(choice) => Some(&choice.text),
            _ => None,
        }
    }
}

impl Action {
    /// Sends a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::ReplyText(ReplyText { text: text.into(), quote: None })
    }

    /// Sends a text with up to three buttons, each an id and a title of at most 20 characters.
    pub fn buttons(text: impl Into<String>, buttons: &[(&str, &str)]) -> Self {
        let buttons = buttons.iter().map(|(id, title)| Button { id: (*id).into(), title: (*title).into() }).collect();
        Self::ReplyButtons(ReplyButtons { text: text.into(), buttons, header: None, footer: None, quote: None })
    }

    /// Sends a text with a list of up to ten entries, each an id and a title of at most 24 characters.
    pub fn list(text: impl Into<String>, button_label: impl Into<String>, rows: &[(&str, &str)]) -> Self {
        let row = |(id, title): &(&str, &str)| ListRow { id: (*id).into(), title: (*title).into(), description: None };
        let sections = vec![ListSection { title: None, rows: rows.iter().map(row).collect() }];
        let (text, button_label) = (text.into(), button_label.into());
        Self::ReplyList(ReplyList { text, button_label, sections, header: None, footer: None, quote: None })
    }

    /// Remembers where the conversation stands; comes back as `session.state`.
    pub fn state(state: impl Into<String>) -> Self {
        Self::SetState(state.into())
    }

    /// Asks to be called back.
    pub fn timer(name: impl Into<String>, after_seconds: u32) -> Self {
        Self::StartTimer(Timer { name: name.into(), after_seconds })
    }

    /// Asks not to be called back: the name of a timer that was started.
    pub fn cancel_timer(name: impl Into<String>) -> Self {
        Self::CancelTimer(name.into())
    }

    /// Puts a tag on the contact.
    pub fn tag(name: impl Into<String>) -> Self {
        Self::AddTag(name.into())
    }

    /// Lets people take over, in the unassigned queue.
    pub fn hand_over(note: impl Into<String>) -> Self {
        Self::HandOver(HandOver { team: None, note: Some(note.into()) })
    }
}
