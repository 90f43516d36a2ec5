//! The view of a conversation that receiving, routing and chatbots share: events, messages and the active chatbot.

pub(crate) mod assignment;
pub(crate) mod event_facts;
pub(crate) mod message;
pub(crate) mod plugin_view;
pub(crate) mod ratings;
pub(crate) mod responsible_plugin;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod site_team;
pub(crate) mod templates;
pub(crate) mod ticketing;
pub(crate) mod waiting_events;
pub(crate) mod window;

pub(crate) use domain::chat::readable_text;
