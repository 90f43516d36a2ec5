//! Callbacks of providers are on disk before they are answered ([`Intake`]). Statuses are applied on arrival. Other
//! items are stored and worked off in order per business number ([`work`]).

mod account;
mod authenticity;
pub mod failed_items;
mod group;
mod intake;
mod item;
mod known_numbers;
mod lite_ids;
mod message_changes;
mod message_runs;
mod messages;
mod messenger;
mod names;
mod number_news;
mod owners;
mod preferences;
mod senders;
mod stray_adoption;
mod strays;
mod template_news;
mod template_parts;
mod waiting_senders;
mod work;

pub use authenticity::{CallbackRefused, Handshake, HandshakeAnswer, handshake, is_signature, open_callback};
pub(crate) use intake::take_of_inbox;
pub use intake::{Intake, IntakeRefused};
pub(crate) use lite_ids::scope as scope_lite_ids;
pub use messenger::{handshake as messenger_handshake, open_callback as open_messenger_callback};
pub use stray_adoption::take_in_strays;
pub use work::work;
