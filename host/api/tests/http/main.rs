//! The HTTP surface over a real database: the rules of every request, and each part of the API.
#![recursion_limit = "256"]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic, in its helper functions too")]

mod admission;
mod callbacks;
mod console;
mod docs;
mod document;
mod documented_webhooks;
mod errors;
mod every_request;
mod guides;
mod keys;
mod linters;
mod lists;
mod media;
mod originals;
mod pages;
mod plugins;
mod requests;
mod round_trips;
mod sending;
mod service;
mod web_chat;
mod webhooks;
mod wrong_types;
