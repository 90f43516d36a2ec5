//! One call of a plugin: input, fresh instance with clock, random numbers and limits, host functions, output.

pub(crate) mod call;
pub(crate) mod caller_runtime;
pub(crate) mod clock;
mod conclude;
mod conversation;
pub(crate) mod conversation_facts;
mod dry_run;
pub(crate) mod end;
pub(crate) mod grants;
pub(crate) mod guest;
mod guest_clock;
pub(crate) mod hints;
pub(crate) mod host_calls;
pub(crate) mod http;
pub(crate) mod http_limits;
mod imports;
pub(crate) mod key_values;
pub(crate) mod limits;
pub(crate) mod log_line;
mod meter;
pub(crate) mod outgoing_http;
pub(crate) mod output;
pub(crate) mod run;
pub(crate) mod secrets;
pub(crate) mod started_requests;
mod stop;
