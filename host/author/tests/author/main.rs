//! The author's tools through their public interface: conversation tests of real components, new projects, the chat in
//! the terminal.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests: a failure here is a failed test")]

mod attributes;
mod cases;
mod configurations;
mod conversations;
mod costs;
mod differences;
mod flows;
mod limits;
mod merging;
mod projects;
mod support;
mod terminal;
mod unlisted_numbers;
mod web;
