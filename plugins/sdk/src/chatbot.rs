//! World `chatbot`: the types of the interface, with short constructors for the usual answers.

pub use crate::bindings::chatbot::exports::patchbay::plugin::bot::{
    Action, Attribute, AttributeChange, AttributeValue, Button, CustomEvent, Event, EventKind, Guest as Chatbot,
    HandOver, HttpFinished, HttpOutcome, ListRow, ListSection, Rating, RatingScore, ReplyButtons, ReplyList,
    ReplyLocation, ReplyMedia, ReplyTemplate, ReplyText, ScheduledTemplate, Session, TemplateHeader, Timer,
};
pub use crate::bindings::chatbot::patchbay::plugin::types::{
    Channel, Choice, ChoiceSource, Content, Customer, Error, IncomingMessage, LocalTime, Location, Media, MediaKind,
    Metadata, QuotedMessage, Reaction, TemplateReference, Weekday,
};

impl Error {
    /// A permanent failure: the host does not repeat the call.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), retry: false }
    }

    /// A temporary failure: the host repeats the call a little later.
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
    /// The customer's words: the text of a message, or the title of the chosen button.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            EventKind::Message(message) => message.content.text(),
            _ => None,
        }
    }

    /// The end of a request that [`crate::http::start`] sent: the id of its job, and the response or the failure.
    pub fn finished(&self) -> Option<(&str, Result<&crate::http::Response, Error>)> {
        let EventKind::HttpFinished(HttpFinished { job, outcome }) = &self.kind else { return None };
        let result = match outcome {
            HttpOutcome::Response(response) => Ok(response),
            HttpOutcome::Failed(fault) => Err(Error::from(fault.clone())),
        };
        Some((job, result))
    }

    /// The id of a message with a file, for [`crate::files::read_all`], and the facts of the file.
    pub fn file(&self) -> Option<(&str, &Media)> {
        match &self.kind {
            EventKind::Message(IncomingMessage { id, content: Content::Media(media), .. }) => Some((id, media)),
            _ => None,
        }
    }

    /// The id or payload of the button or list entry that the customer chose.
    pub fn choice(&self) -> Option<&str> {
        match &self.kind {
            EventKind::Message(IncomingMessage { content: Content::Choice(choice), .. }) => Some(&choice.payload),
            _ => None,
        }
    }
}

impl Session {
    /// The value of an attribute of the contact.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| &attribute.value)
    }
}

impl AttributeValue {
    /// A choice of an attribute.
    pub fn choice(choice: impl Into<String>) -> Self {
        Self::Choice(choice.into())
    }

    /// A date such as `1990-05-31`.
    pub fn date(date: impl Into<String>) -> Self {
        Self::Date(date.into())
    }

    /// The words of a text, a date, a choice or another value.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(words) | Self::Date(words) | Self::Choice(words) | Self::Other(words) => Some(words),
            Self::Number(_) | Self::Boolean(_) => None,
        }
    }
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for AttributeValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for AttributeValue {
    fn from(yes: bool) -> Self {
        Self::Boolean(yes)
    }
}

impl Content {
    /// The text of the content, if it has any.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Choice(choice) => Some(&choice.text),
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

    /// Stores the state of the conversation. The next call gets it as `session.state`.
    pub fn state(state: impl Into<String>) -> Self {
        Self::SetState(state.into())
    }

    /// Starts a timer that calls the bot again.
    pub fn timer(name: impl Into<String>, after_seconds: u32) -> Self {
        Self::StartTimer(Timer { name: name.into(), after_seconds })
    }

    /// Cancels the timer with this name.
    pub fn cancel_timer(name: impl Into<String>) -> Self {
        Self::CancelTimer(name.into())
    }

    /// Sends a template once, later. `parameters` are the values of its body.
    pub fn template_later(
        name: impl Into<String>,
        after_seconds: u32,
        template: (&str, &str),
        parameters: &[&str],
    ) -> Self {
        let (id, template_name) = template;
        let template = ReplyTemplate {
            id: id.to_owned(),
            name: template_name.to_owned(),
            parameters: parameters.iter().map(|value| (*value).to_owned()).collect(),
            header: None,
            button_parameters: Vec::new(),
        };
        Self::ScheduleTemplate(ScheduledTemplate { name: name.into(), after_seconds, template })
    }

    /// Takes back a template that waits under this name.
    pub fn cancel_template(name: impl Into<String>) -> Self {
        Self::CancelTemplate(name.into())
    }

    /// Puts a tag on the chat.
    pub fn tag(name: impl Into<String>) -> Self {
        Self::AddTag(name.into())
    }

    /// Takes a tag off the chat.
    pub fn remove_tag(name: impl Into<String>) -> Self {
        Self::RemoveTag(name.into())
    }

    /// Sets an attribute of the contact. The value has the type that the client defined: a text, a number, true or false,
    /// [`AttributeValue::date`] or [`AttributeValue::choice`].
    pub fn set_attribute(name: impl Into<String>, value: impl Into<AttributeValue>) -> Self {
        Self::SetAttribute(AttributeChange { name: name.into(), value: Some(value.into()) })
    }

    /// Removes the value of an attribute of the contact.
    pub fn remove_attribute(name: impl Into<String>) -> Self {
        Self::SetAttribute(AttributeChange { name: name.into(), value: None })
    }

    /// Puts an emoji on a message of the conversation.
    pub fn react(message_id: impl Into<String>, emoji: impl Into<String>) -> Self {
        Self::React(Reaction { emoji: Some(emoji.into()), message_id: message_id.into() })
    }

    /// Hands the conversation over to agents, in the unassigned queue.
    pub fn hand_over(note: impl Into<String>) -> Self {
        Self::HandOver(HandOver { team: None, note: Some(note.into()) })
    }

    /// Hands the conversation over to a team. If the client has no team of that name, the chat goes to the unassigned
    /// queue.
    pub fn hand_over_to(team: impl Into<String>, note: impl Into<String>) -> Self {
        Self::HandOver(HandOver { team: Some(team.into()), note: Some(note.into()) })
    }
}
