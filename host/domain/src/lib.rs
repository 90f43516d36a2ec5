//! Rules and types of Patchbay. No I/O, no async, no clock: everything here is a value or a pure function, so every
//! rule can be read and tested by itself.

pub mod address;
pub mod analytics;
pub mod body;
pub mod carriage;
pub mod channel;
pub mod chat;
pub mod clock;
pub mod content;
pub mod conversation;
pub mod delivery;
pub mod event;
pub mod ids;
pub mod inbound;
pub mod inbox;
pub mod lite;
pub mod opaque;
pub mod page;
pub mod phone;
pub mod rate;
pub mod recipient;
pub mod registration;
pub mod segments;
pub mod send;
pub mod sms_products;
pub mod source;
pub mod template;
pub mod tier;
pub mod webhook;
