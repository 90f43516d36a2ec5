//! The stored facts of the conversation, as they are now.

pub use crate::bindings::chatbot::patchbay::plugin::conversation::{
    Author, PastMessage, RunningTimer, history, tags, timers,
};
