//! Input from outside: callbacks of providers, sessions of WhatsApp Lite, files of customers, visitors of web chat.
//!
//! # A callback
//!
//! 1. `api_gateways::providers` refuses a body without a signature and reads the raw bytes. `open_callback` verifies
//!    `X-Hub-Signature-256` with the app secret, or else with the secret of the first number and account in the body
//!    (`callbacks/names.rs`). Then the items are parsed; each must belong to a number or account with that secret.
//!    Large bodies are parsed outside the threads that serve requests (`base/heavy_work.rs`). Each item is read separately
//!    (ADR 0045): an unreadable one becomes `Unreadable`, one without effect `Ignored`.
//! 2. `Intake::take` finds the client and inbox of each item and joins callbacks of a client that arrive together. One
//!    transaction applies the statuses of a group. It does not wait for locks: a status with an unknown or locked leg
//!    is stored in `callback` with the other items, unless `callback_seen` has it. `callbacks/failed_items.rs` counts and
//!    keeps unreadable items, `callbacks/strays.rs` those for a number that no client has. After the commit lanes are woken, and the provider gets its 200.
//! 3. `callbacks::work` takes a page of `callback` in order. `callbacks/waiting_senders.rs` puts off the items behind an
//!    earlier one of their customer that waits. Neighbouring statuses share a transaction (`take_group`);
//!    if a group fails, each item is taken alone. The row of the callback is removed in the same transaction. Messages
//!    go to `chat::receive::receive_all`. `callbacks/message_changes.rs` takes edits, deletions, imported messages and
//!    referrals. Messages in groups are only counted.
//!
//! # Files
//!
//! A file of a customer gets a row in `media` and an address at once. `media::work` or the first reader fetches it.
//! `media.store` decides where the bytes are kept: `base::DatabaseMediaStore`, a folder, or a bucket
//! (`channels::object_media`). After a change of the store, older files are served from their old place
//! (`base::MovedMediaStore`). The first bytes correct the type and extension that the provider named
//! (`media/fetch.rs`). All file names pass `domain::file_name`.

pub mod accounts;
pub mod callbacks;
pub mod lite;
pub mod media;
pub mod number_quality;
pub mod test_messages;
pub mod web_chat;
