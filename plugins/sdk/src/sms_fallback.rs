//! World `sms-fallback`: the types of the interface.

pub use crate::bindings::chatbot::patchbay::plugin::types::{Error, LocalTime, Metadata, Weekday};
pub use crate::bindings::sms_fallback::exports::patchbay::plugin::fallback::{
    Decision, Guest as SmsFallback, RequestedFallback, Sms, Undeliverable,
};

impl Decision {
    /// Sends nothing, for this reason.
    pub fn skip(reason: impl Into<String>) -> Self {
        Self::Skip(reason.into())
    }
}
