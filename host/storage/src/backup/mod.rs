//! The whole database at one moment, for `patchbay backup` and `patchbay restore`. Each table is the text of COPY, which every
//! version of PostgreSQL writes and reads, so that no client program of PostgreSQL is needed. Unlike the other modules, this one
//! begins and commits transactions: their isolation and their locks belong to the statements.

mod catalog;
mod error;
mod lineage;
mod load;
mod session;
mod snapshot;
mod target;

pub use catalog::{CopiedPartition, CopiedSequence, CopiedTable};
pub use error::CopyError;
pub use lineage::{AppliedMigration, Lineage, applied, lineage};
pub use load::{LoadTransaction, TableLoad};
pub use snapshot::{DatabaseSnapshot, SnapshotContents};
pub use target::{prepare, sessions_of_others};
