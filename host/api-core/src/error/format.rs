//! The formats of error answers.

/// The form of a product's errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorFormat {
    /// The body of DESIGN 6.
    Json,
    /// The `result` of the batch gateway (SPEC 2.15), with a code for the fault.
    Xml,
}
