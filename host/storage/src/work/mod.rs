//! What background work rests on: leases, the processes that hold them, partitions and what is forgotten.

pub mod lanes;
pub mod nodes;
pub mod partitions;
pub mod retention;
