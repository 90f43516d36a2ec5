//! Outgoing messages: accepts them, hands them to a carrier, follows their states, and tries a failed message again by
//! SMS.
//!
//! # Sending
//!
//! How a send is accepted and dispatched is in `docs/ARCHITECTURE.md` 5.1. Details:
//!
//! 1. `accept`: a group has up to 128 requests and 4,000 recipients. If it fails, it is tried again one request at a
//!    time. Requests of a group with the same key are one send. If all recipients of a request are rejected, the answer
//!    is a 202 and the key stays free. A text into a conversation holds the conversation in a transaction around the
//!    group (`accept/conversations.rs`). `outgoing_rows::insert` stores nothing if another group was first; then the group
//!    looks again.
//! 2. `dispatch::work` loads the inbox, its secrets and its carrier (`SenderInbox::load`). If the inbox has no carrier, due
//!    legs are put off for a minute.
//! 3. `pick::pick` defers (`PACED`) a leg that `Carrier::admit` holds back and a leg behind eight others to the
//!    same recipient. So one recipient's messages never stand before another's. A leg in doubt of a client with
//!    `atMostOnce` fails (`dispatch/doubt.rs`). If this version cannot read a leg, the leg is deferred for ten minutes with
//!    an error in the log (`postponement::postpone_unreadable`).
//! 4. `lane::call` gives the carrier the leg with `delivery::opaque` (client, message, leg). The Cloud API returns this
//!    text with each status. Before a repetition it asks `Carrier::lookup` if the provider can be asked. If neither the
//!    request nor a link names the type of a file, `link_types.rs` asks the server of the link once per round.
//! 5. `settle::settle` keeps outcomes that the database refuses (`dispatch/outcomes.rs`) and tries again. No leg is
//!    marked until an outcome is written. A passing refusal comes back with a later `due_at`; the seventh, after ten
//!    minutes, fails the leg. Throttled calls and calls that did not reach the provider do not count. `fault_changes.rs`
//!    writes the faults of the inbox in the same transaction.
//!    If the provider refuses the account, the lane is closed for a minute and one leg is tried (ADR 0078,
//!    `account_state.rs`); legs that have waited for `limits.refused_expires_after` fail (`postponement::expire_refused`).
//! 6. While a carrier has no place, due legs are put off with their lane (`postponement::postpone`). An SMS waits for
//!    `limits.sms_expires_after` (48 h) after it was queued. Then it fails with 900503, or with 900451 if it was called
//!    for and may have arrived (`postponement::expiry_failure`, `delivery::in_doubt`).
//!
//! # Statuses
//!
//! `delivery::apply_statuses` finds the leg by our correlation text or by the id of the provider.
//! `DeliveryState::advance` computes the steps from the present state: none for an old status, and the missing steps
//! for `READ` without `DELIVERED`. One statement stores the steps, webhooks and reached recipients of a group
//! (`storage::outbound::steps`). A status of an unknown message is looked at again every 5 s for 10 minutes.
//! The device of a Lite number reports by recipient and text what it sent: `own_echoes` finds the message whose answer
//! was lost.
//!
//! # Fallback to SMS
//!
//! 1. When a WhatsApp leg fails, `delivery::advance` first tries a second address (`second_address.rs`): the user id of
//!    the send if the number is unknown, or the customer's number if a message for numbers only was refused for a user
//!    id (131062).
//! 2. `fallback::due_fallbacks::follows` asks for these conditions: code 131026, a requested fallback, a known phone number, a
//!    number that was never seen alive on WhatsApp (mode `STRICT`; `ANY_131026` does not ask this), and a message that
//!    the provider took at most `limits.fallback_max_age` ago. A reason against a fallback is kept for the story of the
//!    message.
//! 3. `fallbacks::request` inserts the row of this message, at most once, and `FAILED` is not reported yet.
//! 4. `fallback::work` asks the plugin in world `sms-fallback`. If the plugin fails three times, `written_rule`
//!    decides. If a version on trial fails, the live version decides at once.
//! 5. `fallback::apply` is one transaction: it appends an SMS leg (`legs::append`), or reports `FAILED`
//!    (`delivery::fail_for_good`).
//! 6. The leg is sent like any other.
//!
//! # Hooks
//!
//! `dispatch::hook` has the traits for rules of one kind of inbox (ADR 0056). The dispatcher asks the hook before a
//! mark, in its transaction, and with outcomes. `LegJournal` collects the parts that a carrier reports, and the hook
//! stores them before the outcome of their leg, or with it. The crate `sms` implements the hook of SMS.

pub mod accept;
mod alarms;
pub mod analytics;
pub mod batches;
pub mod blocklist;
pub mod delivery;
mod delivery_step;
pub mod dispatch;
pub mod fallback;
pub mod lookup;
mod message_span;
pub mod open_calls;
mod opt_out;
pub mod own_echoes;
pub mod rates;
mod reached_customers;
pub mod reply;
pub mod reports;
mod second_address;
mod stale_catalogues;
mod step_events;
pub mod story;
pub mod watermarks;

pub use message_span::message_span;
