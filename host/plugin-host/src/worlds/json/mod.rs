//! Questions and answers as readable JSON. Left-out fields come from a sample. One walk along `wit/` translates to the
//! form of recordings.

mod answer;
mod form;
mod node;
mod question;
mod read;
mod samples;
#[cfg(test)]
mod tests;
mod write;

pub use super::world_question::{DryResult, WorldQuestion};
pub use answer::DryAnswer;
pub(crate) use answer::{in_newest_words, insert_bytes, readable_result, scope_name};
pub use node::Problem;
