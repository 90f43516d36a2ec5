//! Adapters of providers, and the one guarded HTTP client for all outgoing requests. Nothing here knows the database.
//! An adapter translates between `domain` types and the protocol of a provider. Its error types tell the caller to try
//! again, to give up, or to wait because the result is unknown.
//!
//! The dispatcher and the trait `Carrier` are described in `docs/ARCHITECTURE.md` 4.1. Details of the carriers:
//!
//! - `whatsapp_cloud`: `carrier/inbox_pace.rs` has a token bucket per number, and one per recipient behind `admit`. An answer "too
//!   fast" pauses the number; a refused account pauses it for a minute. Some refusals cause a new read of the template
//!   catalogue. Statuses are callbacks that name the leg. If the provider cannot fetch our files (`server.public_url`
//!   is not public https), they are uploaded and their ids remembered (`files.rs`, ADR 0040).
//! - `smpp`: all inboxes of a process share the windows of the binds evenly (`window/`, ADR 0035). At most one window
//!   of messages is without a stored outcome (ADR 0043). Each accepted part goes to the `PartJournal` at once; parts in
//!   `OutgoingMessage::taken` are not sent again. Templates, choices, files and places become text (`plain_text.rs`).
//!   `session` speaks SMPP, `pdu` parses, `text` decodes (ADR 0044). `bind_choice.rs` finds the bind of a route.
//! - `whatsapp_lite`: a place is one message of the number's batch (`throttling.rs`). The recipient is looked up
//!   before each send; a BSUID alone fails with 900415. Templates and buttons become text with numbered lines. While
//!   the number is disconnected or outside its hours, its lane is shut (`lite_session.sends_from`). A device in our own
//!   process (crate `lite-native`, ADR 0037) sends only from the process that holds the session.
//! - `messenger`: an accepted message counts as sent. The 24-hour window is checked before the call. Reports name
//!   moments, so the mark notes messages as unread (`outbound::watermarks`). Buttons become quick replies, lists become
//!   numbered text (ADR 0028).
//! - `telegram`: an accepted message counts as sent, because no other report comes. A chat takes one message per
//!   second (`admit`). Buttons are inline keyboards whose payload is the place of a choice (ADR 0051).
//! - `sandbox`: messages of test keys stay in the process. The number of the recipient decides their outcome (ADR 0058).
//! - `openid` is no channel: it is the provider that people log in at (ADR 0073).
//! - `web`: a message is taken at once, because it is already in its chat and sockets read it there (ADR 0029).

pub mod account;
pub mod carrier;
pub mod code_meaning;
pub mod email;
pub mod http;
mod ignored_items;
pub mod media_download;
pub mod media_store;
pub mod messenger;
pub mod object_media;
pub mod openid;
pub mod provider_json;
pub mod sandbox;
pub mod shares;
pub mod smpp;
pub mod standard_webhooks;
pub mod telegram;
pub mod unknown_content;
pub mod web;
pub mod whatsapp_cloud;
pub mod whatsapp_lite;
