//! Events in our own terms: a closed set, each recorded once in the transaction of its cause. Webhooks, the live
//! sockets of agents, statistics and the story of a message are readers. No event is made for one reader: a reader
//! derives its view from these events.
//!
//! Stored events outlive the program that wrote them, so [`StoredEvent`] has a version. A change of the shape of a case
//! raises [`VERSION`] and still reads the old one. A new case is a new name within the version.

mod chat;
mod inbox;
mod message;
mod message_change;
mod new_event;
mod plugin;
mod stored_event;
#[cfg(test)]
mod tests;
mod webhook;

pub use chat::{
    AssignmentEffects, ChatAfterHours, ChatChangedHands, ChatClosed, ChatMissed, ChatOpened, ChatRated, ChatViewed,
    CustomerTypes, EventAgent, EventChat, EventCustomer, NoteWritten, TicketMoved, TicketStatus,
};
pub use inbox::{
    ChannelStatus, ConnectionStatus, CustomerNumberChanged, InboxQualityChanged, PreferenceChanged, Quality,
    SessionChanged, TemplateApproval, TemplateChange, TemplateChanged, TemplateElement,
};
pub use message::{
    AnsweredMessage, AnsweredTemplate, MessageCame, MessageMoved, MessageSaid, Speaker, StepTimes, Tracking,
};
pub use message_change::MessageChanged;
pub use new_event::NewEvent;
pub use plugin::{PluginMode, PluginSuspended, PluginSwapped, PluginVersion, Swap};
pub use stored_event::{EventRecord, StoredEvent, VERSION};
pub use webhook::WebhookDisabled;

use serde::{Deserialize, Serialize};

/// An event. Its time and inbox are stored separately.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Event {
    MessageCame(Box<MessageCame>),
    MessageSaid(Box<MessageSaid>),
    MessageChanged(Box<MessageChanged>),
    /// An outbound message took a step towards its recipient (SPEC 3.2).
    MessageMoved(Box<MessageMoved>),
    ChatOpened(ChatOpened),
    ChatChangedHands(ChatChangedHands),
    ChatClosed(ChatClosed),
    ChatMissed(ChatMissed),
    ChatAfterHours(ChatAfterHours),
    CustomerTypes(CustomerTypes),
    NoteWritten(NoteWritten),
    ChatViewed(ChatViewed),
    ChatRated(ChatRated),
    TicketMoved(TicketMoved),
    TemplateChanged(TemplateChanged),
    CustomerNumberChanged(CustomerNumberChanged),
    InboxQualityChanged(InboxQualityChanged),
    PreferenceChanged(PreferenceChanged),
    PluginSwapped(PluginSwapped),
    PluginSuspended(PluginSuspended),
    SessionChanged(SessionChanged),
    WebhookDisabled(WebhookDisabled),
}
