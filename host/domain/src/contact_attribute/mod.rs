//! Attributes of contacts: facts that a client defines, such as a plan or a birthday, each with a type.

mod attribute_type;
mod change;
mod definition;
mod value;

pub use attribute_type::AttributeType;
pub use change::{AttributeChange, AttributeChanges};
pub use definition::{AttributeDefinition, AttributeName};
pub use value::{AttributeValue, TEXT_MAX};

/// Attributes of one client.
pub const MOST_ATTRIBUTES: usize = 50;
