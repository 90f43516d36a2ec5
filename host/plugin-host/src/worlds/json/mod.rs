//! Questions and answers as readable JSON: camelCase names and variants by their `type`. If a question leaves a field
//! out, a sample gives its value. One walk along the types in `wit/` translates between this form and that of
//! recordings, which is the serialised form of the generated types.

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
pub(crate) use answer::{binary, in_newest_words, readable_result, scope_name};
pub use node::Problem;
