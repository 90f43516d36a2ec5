//! Support of background work: leases, the processes that hold them, partitions, retention, statistics of tables, and
//! the test if the database takes writes.

pub mod depths;
pub mod lane_gate;
pub mod lanes;
pub mod message_counts;
pub mod nodes;
pub mod partitions;
pub mod queue_figures;
pub mod queues;
pub mod retention;
pub mod statistics;
pub mod trial;
