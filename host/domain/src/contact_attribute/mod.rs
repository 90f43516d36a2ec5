//! Attributes of contacts: facts that a client defines, such as a plan or a birthday, each with a type.

mod change;
mod definition;
mod value;

pub use change::{AttributeChange, AttributeChanges};
pub use definition::{AttributeDefinition, AttributeName, AttributeType};
pub use value::AttributeValue;

/// Attributes of one client.
pub const MOST_ATTRIBUTES: usize = 50;
