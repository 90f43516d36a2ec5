//! The whole database at one moment, for `patchbay backup` and `patchbay restore`. Tables are texts of COPY, which
//! every version of PostgreSQL reads. This module begins and commits transactions, because it sets their isolation.

mod catalog;
mod error;
mod lineage;
mod load;
mod restore_mark;
mod session;
mod snapshot;
mod target;

pub use catalog::{CopiedPartition, CopiedSequence, CopiedTable};
pub use error::CopyError;
pub use lineage::{AppliedMigration, Lineage, applied, lineage};
pub use load::{LoadTransaction, TableFill};
pub use restore_mark::{find_unfinished, finish};
pub use snapshot::{DatabaseSnapshot, SnapshotContents};
pub use target::{prepare, refuse_if_in_use, sessions_of_others};
