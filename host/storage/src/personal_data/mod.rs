//! Personal data: the registry of its columns, the rows of one person, and the rewriting of their storage. A test
//! compares the registry with the schema.

mod discovery;
pub mod erasures;
mod marks;
mod person;
mod registry;
mod rewrite;
mod rows;
mod rule;

pub use discovery::{add_unnamed_files, find};
pub use person::KnownPerson;
pub use registry::REGISTRY;
pub use rewrite::{
    Relation, ahead_of_log, analyze, checkpoint, discard_statistics, is_not_permitted, is_seen_by_older, kept_in_log,
    limit_waits, relations_to_rewrite, rewrite, rewrite_catalog, switch_log, vacuum, youngest_transaction,
};
pub use rows::{
    TableRelation, TableRows, begin_search, cancel_waiting, erase_page, erased_last, in_flight, kept_stops, relations,
    release, rows,
};
pub use rule::{ColumnForm, PersonLink, PersonalTable, RowScope, RowTreatment, StopEntries, TableRule};
