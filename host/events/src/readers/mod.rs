//! Readers of events. A further reader is another file here and another line in `record`.

pub(crate) mod live_events;
pub(crate) mod provider_facts;
pub(crate) mod sms;
pub(crate) mod waiting_customers;
pub(crate) mod webhooks;
