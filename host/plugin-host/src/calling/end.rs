//! The end of a call.

use super::{call::CallTrace, key_values::KeyValueWrite, started_requests::StartedRequest, written_file::WrittenFile};
use crate::worlds::PluginResult;

pub(crate) struct CheckedAnswer<A> {
    pub(crate) answer: A,
    pub(crate) writes: Vec<KeyValueWrite>,
    pub(crate) requests: Vec<StartedRequest>,
    pub(crate) files: Vec<WrittenFile>,
    pub(crate) trace: CallTrace,
}

pub(super) enum CallEnd<A> {
    InTime(PluginResult<A>),
    TooLate,
    Recorded,
}
