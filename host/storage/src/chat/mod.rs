//! Live chats: participants, their messages, the events and values of their chatbots, and routing decisions.

pub mod agents;
pub mod canned_replies;
pub mod chat_messages;
pub mod chat_viewers;
pub mod chatbot_value_lists;
pub mod chatbot_values;
pub mod common_words;
pub mod conversations;
pub mod due_work;
pub mod episodes;
pub mod figures;
pub mod history;
pub mod last_messages;
mod list_conditions;
pub mod list_counts;
pub mod lists;
pub mod notes;
pub mod originals;
pub mod participant_events;
pub mod participants;
pub mod plugin_requests;
pub mod routing_decisions;
pub mod scheduled_templates;
pub mod search;
pub mod teams;
pub mod tickets;
pub mod versions;
