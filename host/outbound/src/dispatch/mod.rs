//! Takes queued legs to their carriers. A lane is one inbox of one client. The process that holds it keeps pace and
//! order on every channel. The differences between channels are behind [`channels::carrier::Carrier`], and rules that need
//! the database behind [`ChannelHook`].
//!
//! If the provider refuses the account of an inbox, its lane is closed for a minute (`AccountHold`), and then one message
//! is tried. Its messages wait for `limits.refused_expires_after`, and fail with the code of the provider (ADR 0078).
//!
//! One round takes places from the carrier, commits the marks of at most that many legs (`mark`), makes the calls, and
//! stores their outcomes (`settle`). These steps overlap. Every mark belongs to a call that starts at once.

mod account_state;
mod call_figures;
mod doubt;
mod due_legs;
mod fault_changes;
mod files;
mod hook;
mod lane;
mod link_types;
mod mark;
mod offers;
mod outcome;
mod outcomes;
mod own_reports;
mod pick;
mod picked_legs;
mod postponement;
pub mod presence;
mod sender;
mod settle;
mod stopped_recipients;
mod wait_notes;

pub use due_legs::next_legs;
pub use hook::{ChannelHook, DispatchHooks, LaneHook, LegKey, LegPart, MarkHook};
pub use lane::run as work;
pub use picked_legs::PickedLegs;

/// Queue position of a one-time PIN: before everything else.
pub const PIN_PRIORITY: i16 = -1;
/// Queue position of a chat reply: before all API sends.
pub const REPLY_PRIORITY: i16 = 0;
/// Queue position of an API send.
pub const SEND_PRIORITY: i16 = 1;
