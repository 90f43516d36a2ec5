//! How messages leave and enter: provider adapters, and the one guarded HTTP client that everything outgoing passes through.
//!
//! Nothing here knows the database. Adapters translate between `domain` types and a provider's protocol, and say in their
//! error types what a caller may do next: try again, give up, or wait because nobody knows what happened.

pub mod carrier;
pub mod email;
pub mod http;
pub mod media_store;
pub mod messenger;
pub mod object_media;
pub mod provider_json;
pub mod smpp;
pub mod standard_webhooks;
mod unmodelled;
mod unreadable;
pub mod web;
pub mod whatsapp_cloud;
pub mod whatsapp_lite;
