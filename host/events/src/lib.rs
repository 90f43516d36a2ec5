//! What happened, recorded once, in the transaction of what happened. Readers (webhooks today, the live sockets of agents
//! and statistics next) go by what is recorded here, and no use case knows them.

mod record;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub use record::{NewEvent, enqueue};
