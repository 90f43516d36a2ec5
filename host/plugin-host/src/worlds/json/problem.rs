//! Problems in the JSON form of a question.

/// The path of a fault, such as `event.message.content.type`, and its description.
pub type Problem = (String, String);
