//! The statements of this crate in a real database: one program, so that one PostgreSQL serves all of them.
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

mod agents;
mod batch_lists;
mod callbacks;
mod chat_lists;
mod chatbot_values;
mod contacts;
mod conversations;
mod credits;
mod customers;
mod documented;
mod fixtures;
mod folded;
mod inboxes;
mod large_lists;
mod live_chat;
mod mails;
mod messenger;
mod migration;
mod nodes;
mod outbound;
mod personal_data;
mod plans;
mod plugins;
mod ready;
mod sending;
mod settings;
mod silence;
mod sms;
mod spellings;
mod statements;
mod stored_values;
mod teams;
mod tickets;
mod upkeep;
mod webhooks;
