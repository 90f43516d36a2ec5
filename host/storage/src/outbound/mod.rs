//! Messages to customers: their content, their legs, and the queue of their work.

pub mod batches;
pub mod count_changes;
mod due;
pub mod failures;
pub mod fallbacks;
mod keys;
pub mod legs;
pub mod lookups;
pub mod messages;
pub mod messenger;
pub mod named;
pub mod outgoing;
pub mod parts;
pub mod provider_calls;
pub mod provider_ids;
pub mod rates;
pub mod reports;
pub mod standing;
pub mod steps;
pub mod stories;
pub mod tiers;
pub mod work;
