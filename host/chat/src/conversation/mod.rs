//! The view of a conversation that receiving, routing and chatbots share: events, messages and the active chatbot.

pub(crate) mod as_event;
pub(crate) mod giving;
pub(crate) mod in_charge;
pub(crate) mod message;
pub(crate) mod plugin_view;
pub(crate) mod ratings;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod site_team;
pub(crate) mod ticketing;
pub(crate) mod waiting;
pub(crate) mod window;

pub(crate) use domain::chat::words;
