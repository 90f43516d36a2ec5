//! Recorded calls: writing down what a call was told and what it answered, making it again from that alone, and saying
//! where the two differ.

mod difference;
mod readable;
pub(crate) mod recorded_limits;
pub(crate) mod recorder;
pub(crate) mod recording;
pub(crate) mod replay;
mod tape;
