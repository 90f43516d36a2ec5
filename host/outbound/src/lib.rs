//! Messages on their way out: accepted, dispatched to a carrier, followed until they arrive or fail, and tried again by
//! SMS.

pub mod accept;
mod alarms;
pub mod analytics;
pub mod batches;
pub mod blocklist;
pub mod delivery;
pub mod dispatch;
pub mod fallback;
mod moved;
mod opt_out;
pub mod rates;
mod reached;
pub mod reply;
pub mod reports;
mod second_address;
mod sms_parts;
mod sms_receipts;
pub mod sms_routing;
pub mod story;
pub mod watermarks;

pub use sms_parts::UNDELIVERED_SMS;
pub use sms_receipts::SmscEvents;
