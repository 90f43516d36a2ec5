//! Background work: leases, processes and their reports, loads, partitions, retention, statistics, and the tests for a writable
//! and a durable database.

pub mod depths;
pub mod lane_gate;
pub mod lanes;
pub mod loads;
pub mod message_counts;
pub mod nodes;
pub mod partitions;
pub mod process_reports;
pub mod queue_figures;
pub mod queues;
pub mod retention;
pub mod safeguards;
pub mod statistics;
pub mod trial;
pub mod wait_reasons;
