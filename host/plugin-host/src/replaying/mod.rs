//! Recorded calls: recording, replay from the recording alone, and the difference between the two.

pub(crate) mod base64_bytes;
mod difference;
pub(crate) mod failure;
mod readable_recording;
mod recorded_answers;
pub(crate) mod recorded_limits;
pub(crate) mod recorder;
pub(crate) mod recording;
pub(crate) mod replay;
