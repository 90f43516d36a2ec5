//! Readers of events: a file here and a line in `record`, or a `base::EventReader` that the program registers.

pub(crate) mod chat_episodes;
pub(crate) mod live_events;
pub(crate) mod provider_facts;
pub(crate) mod waiting_customers;
pub(crate) mod webhooks;
