//! Readers of events. A further reader is another file here and another line in `record`.

pub(crate) mod live;
pub(crate) mod sms;
pub(crate) mod standing;
pub(crate) mod waiting;
pub(crate) mod webhooks;
