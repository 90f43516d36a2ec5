//! What background work rests on: leases, the processes that hold them, partitions, what is forgotten, what PostgreSQL knows
//! of its tables, and whether anything can be written at all.

pub mod lanes;
pub mod message_counts;
pub mod nodes;
pub mod partitions;
pub mod retention;
pub mod statistics;
pub mod trial;
