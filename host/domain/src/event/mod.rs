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
mod plugin;
mod stored_event;
#[cfg(test)]
mod tests;
mod webhook;

pub use chat::{
    AssignmentEffects, ChatAfterHours, ChatChangedHands, ChatClosed, ChatMissed, ChatOpened, ChatRated, CustomerTypes,
    EventAgent, EventChat, EventCustomer, TicketMoved, TicketStatus,
};
pub use inbox::{
    ChannelStatus, ConnectionStatus, CustomerNumberChanged, InboxQualityChanged, PreferenceChanged, Quality,
    SessionChanged, TemplateApproval, TemplateChange, TemplateChanged, TemplateElement,
};
pub use message::{
    AnsweredMessage, AnsweredTemplate, MessageCame, MessageMoved, MessageSaid, Speaker, StepTimes, Tracking,
};
pub use message_change::MessageChanged;
pub use plugin::{PluginMode, PluginSuspended, PluginSwapped, PluginVersion, PluginWorld, Swap};
pub use stored_event::{EventRecord, StoredEvent, VERSION};
pub use webhook::WebhookDisabled;

use serde::{Deserialize, Serialize};

/// An event. Its time and inbox are stored separately.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Event {
    /// A customer wrote.
    MessageCame(Box<MessageCame>),
    /// A chatbot or an agent put a message into a chat.
    MessageSaid(Box<MessageSaid>),
    /// The author of a message edited or deleted it.
    MessageChanged(Box<MessageChanged>),
    /// An outbound message took a step towards its recipient (SPEC 3.2).
    MessageMoved(Box<MessageMoved>),
    /// A conversation began, or began again.
    ChatOpened(ChatOpened),
    /// The chat has another owner.
    ChatChangedHands(ChatChangedHands),
    /// A conversation ended.
    ChatClosed(ChatClosed),
    /// No agent answered in time.
    ChatMissed(ChatMissed),
    /// A chat came to wait for a team outside its hours.
    ChatAfterHours(ChatAfterHours),
    /// The customer of a chat is writing.
    CustomerTypes(CustomerTypes),
    /// The customer rated a conversation.
    ChatRated(ChatRated),
    /// A ticket has another status.
    TicketMoved(TicketMoved),
    /// The provider changed something about a template.
    TemplateChanged(TemplateChanged),
    /// A customer has another phone number.
    CustomerNumberChanged(CustomerNumberChanged),
    /// The provider thinks otherwise of a business number.
    InboxQualityChanged(InboxQualityChanged),
    /// A customer wants, or no longer wants, messages of a category.
    PreferenceChanged(PreferenceChanged),
    /// Another version of a plugin is in force.
    PluginSwapped(PluginSwapped),
    /// A plugin failed so often that it is not asked for a while.
    PluginSuspended(PluginSuspended),
    /// The connection of a paired number changed (SPEC 3.3).
    SessionChanged(SessionChanged),
    /// A webhook was turned off because its receiver does not take it.
    WebhookDisabled(WebhookDisabled),
}
