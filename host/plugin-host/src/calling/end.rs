//! The end of a call.

use super::{call::CallTrace, key_values::KeyValueWrite};
use crate::worlds::PluginResult;

/// An answer that passed every check.
pub(crate) struct CheckedAnswer<A> {
    pub(crate) answer: A,
    pub(crate) writes: Vec<KeyValueWrite>,
    pub(crate) trace: CallTrace,
}

/// The end of the call, seen from outside the instance.
pub(super) enum CallEnd<A> {
    InTime(PluginResult<A>),
    TooLate,
    Recorded,
}
