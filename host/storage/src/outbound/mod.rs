//! Messages to customers: their content, their legs, and the queue of their work.

pub mod batches;
pub mod count_changes;
mod due_legs;
pub mod failures;
pub mod fallbacks;
mod keys;
pub mod legs;
pub mod lookups;
pub mod messages;
pub mod messenger;
pub mod named_rows;
pub mod outgoing_rows;
pub mod parts;
pub mod provider_calls;
pub mod provider_ids;
pub mod rates;
pub mod recipient_facts;
pub mod reports;
pub mod steps;
pub mod stories;
pub mod tiers;
pub mod work;
