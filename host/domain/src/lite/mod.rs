//! WhatsApp Lite: numbers that are paired like a phone (SPEC 3.3, 6.3, 8 "Lite throughput"; PROVIDERS D).

mod choices;
mod message_id;
mod same_words;
mod session;
mod throttle;

use crate::failure_code::OwnCode;
pub use choices::{ChoiceKind, NumberedChoice, chosen, offered, place_of, place_payload, tapped, text_of, words_of};
pub use message_id::{bare_id, id_at_whatsapp, is_scoped, placeholder_id, scoped_id};
pub use same_words::says_the_same;
pub use session::{SessionNews, SessionState, WantedSession};
pub use throttle::{DailySchedule, Throttle, ThrottleRequest};

pub const NOT_REGISTERED: i64 = OwnCode::NotRegistered.code();
