//! What happened, recorded once, in the transaction of what happened. A use case says what happened and knows no reader;
//! each reader is one file in `readers` and decides there what it stores. An event that nobody reads costs no row, and
//! no statement either.
//!
//! The events themselves are in `domain::event`.

mod folded;
pub mod live;
mod readers;
mod record;
pub mod scene;

pub use folded::{of_folded, record_folded};
pub use readers::webhooks::{ChatbotReport, Report, ReportKind, Scene, told_of_step};
pub use record::{NewEvent, record, record_told};
