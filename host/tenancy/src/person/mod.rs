//! The data of one customer of a client: given out as a whole, or erased.
//!
//! `storage::personal_data::REGISTRY` says which rows are the person's and what becomes of them. [`erase`] works in small
//! transactions and can be repeated: rows by which a person is found go last. [`rewrite`] removes the bytes of erased rows
//! from the files of PostgreSQL.

mod certificate;
mod erasure;
mod export;
mod leftovers;
mod repetition;
mod search;

pub use certificate::{Certificate, ErasedTable, ErasureAction};
pub use erasure::{EraseError, WantedErasure, erase};
pub use storage::personal_data::StopEntries;

pub use export::{Export, ExportedFile, export};
pub use leftovers::{Leftovers, REWRITTEN_MOST, rewrite};
pub use repetition::{installation, repeat};
