//! Live chat: states of a participant (SPEC 3.4), messages (SPEC 2.7, 2.8, 6.1), the 24-hour window and the SMS fallback.

mod change;
mod content;
mod event;
mod fallback;
mod message_details;
mod messages;
mod participant;
mod preview;
mod rating;
pub mod readable_text;
mod scope;
#[cfg(test)]
mod tests;
mod ticket;
mod upload;

pub use change::{apply_change, direction_of};
pub use content::{ChatContent, ReceivedContent};
pub use event::{
    ArrivedMessage, ChatbotTimer, CustomEvent, EndedRequest, ParticipantEvent, ParticipantEventKind, RequestEnd,
    SentTemplate,
};
pub use fallback::{
    FallbackFacts, FallbackMode, FallbackRefused, NOT_ON_WHATSAPP, UnknownFallbackMode, automatic_text, fallback_due,
};
pub use message_details::MessageDetails;
pub use messages::{ContentType, Direction, MessageContentType};
pub use participant::{ChatTeam, MoveOutcome, MoveRefused, ParticipantFlags, ParticipantMove, ParticipantState};
pub use preview::{PREVIEW_MAX, preview};
pub use rating::Rating;
pub use scope::{ChatScope, ChatStanding};
pub use ticket::{TicketMove, TicketStatus};
pub use upload::most_bytes;

use chrono::{DateTime, TimeDelta, Utc};

/// How long after a customer's message free-form messages are allowed on WhatsApp Cloud (SPEC 4.1).
pub const SESSION_WINDOW: TimeDelta = TimeDelta::hours(24);

/// Most tags of a chat.
pub const MOST_TAGS: usize = 64;

/// Most requests of a chat that its chatbots have started and that have not ended.
pub const MOST_OPEN_REQUESTS: u8 = 16;

/// The time from which free-form messages are refused on WhatsApp Cloud. `None`: always, because no message of the customer is
/// known. `last_inbound`: the customer's last message.
pub fn window_end(last_inbound: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    last_inbound.map(|last| last + SESSION_WINDOW)
}

/// Whether a `CHAT` message may go out on Cloud (PROVIDERS A.13). `last_inbound`: the customer's last message.
pub fn chat_allowed(last_inbound: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    window_end(last_inbound).is_some_and(|end| now < end)
}
