//! What happens, in our own words: a closed set of events, each recorded once in the transaction of what happened. Webhooks,
//! the live sockets of agents, statistics and the story of a message are readers of it. No event is made for one reader:
//! what a reader shows, it derives from these.
//!
//! Stored events outlive the program that wrote them, so [`Recorded`] says its version. What changes the shape of a case
//! raises [`VERSION`] and goes on reading the old one; another case is a new name within it.

mod changed;
mod chat;
mod inbox;
mod message;
mod plugin;
mod stored;
#[cfg(test)]
mod tests;
mod webhook;

pub use changed::MessageChanged;
pub use chat::{
    Agent, Assignment, Chat, ChatAfterHours, ChatChangedHands, ChatClosed, ChatMissed, ChatOpened, ChatRated, Customer,
    CustomerTypes, TicketMoved, TicketStatus,
};
pub use inbox::{
    ChannelStatus, CustomerNumberChanged, InboxQualityChanged, PreferenceChanged, Quality, SessionChanged,
    SessionStatus, TemplateApproval, TemplateChange, TemplateChanged, TemplateElement,
};
pub use message::{
    AnsweredMessage, AnsweredTemplate, MessageCame, MessageMoved, MessageSaid, Speaker, StepTimes, Tracking,
};
pub use plugin::{PluginMode, PluginSuspended, PluginSwapped, PluginVersion, PluginWorld, Swap};
pub use stored::{Recorded, VERSION, Written};
pub use webhook::WebhookDisabled;

use serde::{Deserialize, Serialize};

/// Something that happened. When, and in which inbox, is said beside it.
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
    /// Somebody else has the chat now.
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
