//! Web chat: visitors of a site have a message as soon as it is on disk, and the sockets are woken (ADR 0029).

mod carrier;
mod doorbell;

pub use carrier::{WebCarrier, message_id};
pub use doorbell::{Doorbell, VisitorKey};
