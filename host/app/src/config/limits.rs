//! Limits and retention: every number that bounds what one request, client or plugin can use.

use std::time::Duration;

use super::section::section;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

section! {
    /// Rates, sizes, memory, time and concurrency.
    Limits {
        /// Recipients of one send request, over all its messages.
        max_recipients: usize = 1_000,
        /// Bytes of a request body.
        max_body_bytes: u64 = 8 * MIB,
        /// Bytes of one media file that a customer sends.
        inbound_media_max_bytes: u64 = 100 * MIB,
        /// Connections to PostgreSQL that one process holds.
        database_connections: u32 = 20,
        /// Calls of one webhook URL at the same time.
        webhook_concurrency_per_endpoint: usize = 32,
        /// Time to connect to a webhook.
        webhook_connect_timeout: Duration = Duration::from_secs(5),
        /// Time for a whole webhook call.
        webhook_timeout: Duration = Duration::from_secs(15),
        /// Bytes of a webhook's answer that are read.
        webhook_max_response_bytes: u64 = 16 * KIB,
        /// Bytes of linear memory of one plugin call.
        plugin_memory_bytes: u64 = 96 * MIB,
        /// Wall-clock time of one chatbot call.
        plugin_chatbot_timeout: Duration = Duration::from_secs(2),
        /// Interval after which a running plugin yields to others.
        plugin_epoch_tick: Duration = Duration::from_millis(10),
        /// Bytes that a plugin may pass to the host in one host call.
        plugin_hostcall_fuel: u64 = 4 * MIB,
        /// Bytes of log that one call keeps.
        plugin_log_bytes: u64 = 16 * KIB,
        /// Actions that one chatbot call may return.
        plugin_actions: usize = 32,
        /// Calls of one plugin call to the host.
        plugin_host_calls: u64 = 256,
        /// Plugin calls of one client at the same time.
        plugin_concurrency_per_client: usize = 8,
        /// Plugin instances that can exist at the same time in one process.
        plugin_pool_size: u32 = 64,
        /// Calls to the Cloud API in flight per business number.
        cloud_in_flight_per_number: usize = 64,
        /// Messages per second and business number through the Cloud API.
        cloud_rate_per_number: u32 = 80,
        /// Time for a whole call of the Cloud API; the outcome of a send that is not answered in it is unknown.
        cloud_timeout: Duration = Duration::from_secs(30),
        /// How long a send whose outcome is unknown waits for a status before it is sent once more.
        unknown_after: Duration = Duration::from_secs(60),
        /// Age after which an undeliverable message no longer falls back to SMS.
        fallback_max_age: Duration = Duration::from_secs(3_600),
    }
}

section! {
    /// Days after which rows are dropped.
    Retention {
        /// Days that messages are kept.
        message_days: u32 = 365,
        /// Days that receipts are kept.
        receipt_days: u32 = 90,
        /// Days that attempts to call webhooks are kept.
        webhook_attempt_days: u32 = 30,
        /// Days that traces of plugin calls are kept.
        invocation_days: u32 = 30,
        /// Days that raw provider callbacks are kept.
        callback_days: u32 = 14,
    }
}
