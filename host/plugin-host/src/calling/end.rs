//! The end of a call.

use super::{call::CallTrace, key_values::KeyValueWrite};
use crate::worlds::Given;

/// An answer that passed every check.
pub(crate) struct Answered<A> {
    pub(crate) answer: A,
    pub(crate) writes: Vec<KeyValueWrite>,
    pub(crate) trace: CallTrace,
}

/// The end of the call, seen from outside the instance.
pub(super) enum End<A> {
    InTime(Given<A>),
    TooLate,
    Recorded,
}
