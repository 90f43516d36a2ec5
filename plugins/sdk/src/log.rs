//! Log lines for the author of the plugin, stored with the trace of the call.

use crate::bindings::chatbot::patchbay::plugin::log::{Level, write};

/// Detail for finding faults.
pub fn debug(message: impl AsRef<str>) {
    write(Level::Debug, message.as_ref());
}

/// Normal events.
pub fn info(message: impl AsRef<str>) {
    write(Level::Info, message.as_ref());
}

/// An unexpected condition that was handled.
pub fn warn(message: impl AsRef<str>) {
    write(Level::Warn, message.as_ref());
}

/// A failure.
pub fn error(message: impl AsRef<str>) {
    write(Level::Error, message.as_ref());
}
