//! The end of a call.

use super::{call::CallTrace, key_values::KeyValueWrite, started_requests::StartedRequest};
use crate::worlds::PluginResult;

pub(crate) struct CheckedAnswer<A> {
    pub(crate) answer: A,
    pub(crate) writes: Vec<KeyValueWrite>,
    pub(crate) requests: Vec<StartedRequest>,
    pub(crate) trace: CallTrace,
}

pub(super) enum CallEnd<A> {
    InTime(PluginResult<A>),
    TooLate,
    Recorded,
}
