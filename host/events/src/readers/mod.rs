//! Who reads what happened. Another reader (the live sockets of agents, statistics, the story of a message) is another
//! file here and another line in `record`.

pub(crate) mod live;
pub(crate) mod sms;
pub(crate) mod standing;
pub(crate) mod waiting;
pub(crate) mod webhooks;
