//! What comes in from outside: the callbacks of providers, and the files that customers send.

pub mod callbacks;
pub mod lite;
pub mod media;
pub mod number_quality;
pub mod web_chat;
