//! The simulator from outside: over HTTP, over SMPP, and with third-party clients.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod callbacks;
mod controls;
mod host;
mod live_views;
mod media;
mod messenger;
mod page;
mod peers;
mod phones;
mod sends;
mod smsc;
mod telegram;
mod templates;
