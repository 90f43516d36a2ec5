//! Questions and answers as readable JSON: camelCase names and variants by their `type`. If a question leaves a field
//! out, a sample gives its value. One file per world.

mod answer;
mod chatbot;
mod content;
mod event;
mod forms;
mod problem;
mod question;
mod read;
mod router;
mod samples;
mod sms_fallback;
mod sms_router;
#[cfg(test)]
mod tests;
mod webhook_shaper;

pub use answer::{DryAnswer, DryResult};
pub(crate) use answer::{binary, readable_result, scope_name};
pub use problem::Problem;
pub use question::WorldQuestion;
pub(crate) use read::{JsonNode, JsonObject, JsonRecord, ReadableJson};
