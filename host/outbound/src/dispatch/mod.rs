//! Takes queued legs to their carriers. A lane is one inbox of one client: whoever holds it keeps the pace and the order,
//! whatever the channel. What differs between channels is behind [`channels::carrier::Carrier`].
//!
//! One round: take places from the carrier, commit the marks of at most that many legs (`mark`), make the calls, and write
//! down how they ended (`settle`). Marking, calling and settling overlap; every mark belongs to a call that starts at once.

mod asked_ahead;
mod files;
mod lane;
mod link_types;
mod mark;
mod offers;
mod outcomes;
mod pick;
pub mod presence;
mod route;
mod scheduled;
mod sender;
mod settle;
mod stopped;
mod waits;

pub use lane::run as work;
pub use scheduled::SCHEDULED_FROM;
pub use stopped::STOPPED_SMS;

/// Queue position of a one-time pin: before whatever else is sent.
pub const PIN_PRIORITY: i16 = -1;
/// Queue position of a chat reply: before any batch of API sends.
pub const REPLY_PRIORITY: i16 = 0;
/// Queue position of an API send.
pub const SEND_PRIORITY: i16 = 1;
