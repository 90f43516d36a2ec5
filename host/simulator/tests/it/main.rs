//! The simulator from outside: over HTTP, over SMPP, and with third-party clients.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod callbacks;
mod controls;
mod media;
mod messenger;
mod outside;
mod peers;
mod phones;
mod sends;
mod smsc;
mod telegram;
mod templates;
