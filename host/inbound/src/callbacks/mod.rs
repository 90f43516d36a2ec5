//! Provider callbacks: on disk before they are answered ([`Intake`]). Statuses of messages are applied as they come in; the
//! rest is stored, and worked off in order per business number ([`work`]).

mod account;
mod account_standing;
mod authenticity;
mod intake;
mod template_news;
mod work;

pub use authenticity::{CallbackRefused, Handshake, Handshaken, handshake, is_signature, open_callback};
pub use intake::{Intake, NotTaken};
pub use work::work;
