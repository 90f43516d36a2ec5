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
        /// Requests of one client in a second, of which as many may come at once; more are answered with 429.
        requests_per_second_per_client: u32 = 20_000,
        /// Recipients of one client's sends in a second; a send that has more delays the next one.
        recipients_per_second_per_client: u32 = 100_000,
        /// Requests in flight in this process. When there are as many, a new one takes the place of the slowest one of the client or address that has the most; if none of them waits for its caller, it is answered with 503. Callers without a key have half of them.
        requests_in_flight: u64 = 2_048,
        /// Requests in flight of one client; more are answered with 429.
        requests_in_flight_per_client: u64 = 512,
        /// Requests in flight without a key from one address, or from one IPv6 network of 64 bits; behind `server.trusted_proxies`, from one forwarded address. A new one takes the place of the slowest one; if none of them waits for its caller, it is answered with 429.
        requests_in_flight_per_source: u64 = 256,
        /// Bytes of bodies that have arrived and of answers that are not taken yet, in this process. When there are as many, the slowest request of the client or address that has the most is ended; if none waits for its caller, new requests are answered with 503. Callers without a key have half of them.
        bytes_in_flight: u64 = 128 * MIB,
        /// Those of one client; more are answered with 429. A larger body of a client is taken when it has little else in flight.
        bytes_in_flight_per_client: u64 = 64 * MIB,
        /// Those without a key from one address, or from one IPv6 network of 64 bits; more are answered with 429.
        bytes_in_flight_per_source: u64 = 48 * MIB,
        /// Connections to the listeners of this process; fewer when it may not open as many files. When all are taken, idle ones are closed for new ones, first those of the address that has the most.
        connections: usize = 8_192,
        /// Connections from one address, or from one IPv6 network of 64 bits; this machine and `server.trusted_proxies` excepted.
        connections_per_address: usize = 512,
        /// Time for the head of a request, from its first byte; on a new connection, from its beginning.
        request_head_timeout: Duration = Duration::from_secs(15),
        /// Time after which a connection without a request is closed.
        idle_timeout: Duration = Duration::from_secs(75),
        /// Time after which an answer is cut off of which nothing is taken, with its HTTP/2 stream or its connection.
        write_timeout: Duration = Duration::from_secs(30),
        /// Bytes of one media file that a customer sends.
        inbound_media_max_bytes: u64 = 100 * MIB,
        /// Messages and files of one visitor of a web site in a minute, of which as many may come at once; more are refused with 429.
        web_chat_posts_per_minute: u32 = 40,
        /// Calls and messages of web chat from one address, or from one IPv6 network of 64 bits, in a minute; more are refused with 429.
        web_chat_calls_per_minute_per_address: u32 = 600,
        /// Frames of one visitor of a web site over its sockets in a minute, of which as many may come at once; a page of older messages counts as five. Its sockets are not read while it has used them up.
        web_chat_frames_per_minute: u32 = 240,
        /// The same of all sockets of web chat from one address, or from one IPv6 network of 64 bits.
        web_chat_frames_per_minute_per_address: u32 = 2_400,
        /// Open widgets of one visitor of a web site in this process.
        web_chat_sockets_per_visitor: usize = 10,
        /// Open widgets at one address, or in one IPv6 network of 64 bits, in this process; more are refused with 429.
        web_chat_sockets_per_address: usize = 200,
        /// Bytes of pages of messages that were sent to the widgets of one visitor of a web site and that these have not read; further pages wait.
        web_chat_unread_bytes_per_visitor: u64 = 256 * KIB,
        /// The same of all widgets at one address, or in one IPv6 network of 64 bits.
        web_chat_unread_bytes_per_address: u64 = 2 * MIB,
        /// Time in which a widget must take a frame, and must have read a page; then its socket ends.
        web_chat_write_timeout: Duration = Duration::from_secs(30),
        /// Connections to `email.listen` at the same time.
        email_connections: usize = 256,
        /// Connections to `email.listen` at the same time from one address, or from one IPv6 network of 64 bits.
        email_connections_per_source: usize = 16,
        /// Connections to PostgreSQL that one process holds for requests and work. A fifth as many more are for chats with chatbots that take long, and four look for work, say that it lives, and look whether the database answers and takes changes. Two more hear what other processes tell.
        database_connections: u32 = 20,
        /// Calls of one webhook URL at the same time.
        webhook_concurrency_per_endpoint: usize = 32,
        /// Time to connect to a webhook.
        webhook_connect_timeout: Duration = Duration::from_secs(5),
        /// Time for a whole webhook call.
        webhook_timeout: Duration = Duration::from_secs(15),
        /// Bytes of a webhook's answer that are read; the first 1,024 are kept.
        webhook_max_response_bytes: u64 = 16 * KIB,
        /// Bytes of linear memory of one plugin call, and of the key-values that it has read and written.
        plugin_memory_bytes: u64 = 96 * MIB,
        /// Bytes that all plugin calls of one process have together, whoever's they are, 256 KiB for each beside its linear memory, its key-values, and what is written down of it while it is recorded; at least eight times `limits.plugin_memory_bytes`. A call that finds none waits, or is made again later.
        plugin_memory_bytes_of_all: u64 = 1_024 * MIB,
        /// Wall-clock time of one plugin call, waiting for HTTP included.
        plugin_chatbot_timeout: Duration = Duration::from_secs(5),
        /// Processor time of one plugin call.
        plugin_cpu: Duration = Duration::from_secs(1),
        /// Interval after which a running plugin yields to others.
        plugin_epoch_tick: Duration = Duration::from_millis(2),
        /// Processor time per second that one client's uploaded plugins get; the calls of a client that has used it up run when nobody else wants a processor.
        plugin_prompt_cpu: Duration = Duration::from_millis(50),
        /// Bytes that a plugin may pass to the host in one host call.
        plugin_hostcall_fuel: u64 = 4 * MIB,
        /// Bytes of log that one call keeps. Of what is longer the beginning and the last line are kept.
        plugin_log_bytes: u64 = 16 * KIB,
        /// Elements of all tables of one plugin call.
        plugin_table_elements: usize = 100_000,
        /// Handles to clocks, streams and the like that one plugin call may hold.
        plugin_handles: usize = 1_000,
        /// Actions that one chatbot call may return.
        plugin_actions: usize = 32,
        /// Calls of one plugin call to the host.
        plugin_host_calls: u64 = 256,
        /// Bytes of standard output and standard error that one call keeps: the beginning and the end.
        plugin_output_bytes: u64 = 16 * KIB,
        /// Bytes of one webhook body.
        plugin_body_bytes: u64 = 256 * KIB,
        /// Bytes of one key-value value.
        plugin_value_bytes: u64 = 64 * KIB,
        /// Different keys that one plugin call may write.
        plugin_written_keys: usize = 64,
        /// HTTP requests of one plugin call.
        plugin_http_requests: u32 = 8,
        /// Bytes of the body of one HTTP request of a plugin.
        plugin_http_request_bytes: u64 = 256 * KIB,
        /// Bytes of the body of one HTTP response to a plugin.
        plugin_http_response_bytes: u64 = MIB,
        /// Headers of one HTTP request of a plugin, and of its response.
        plugin_http_headers: usize = 64,
        /// Bytes of all headers of one HTTP request of a plugin, and of its response.
        plugin_http_header_bytes: u64 = 16 * KIB,
        /// Time for one HTTP request of a plugin; the time of the call goes on meanwhile.
        plugin_http_timeout: Duration = Duration::from_secs(3),
        /// Calls of uploaded plugins that one client may make in a second; those beyond it wait.
        plugin_calls_per_second: u32 = 500,
        /// Plugin calls of one client at the same time.
        plugin_concurrency_per_client: usize = 8,
        /// Plugin calls of one client that wait for a free place.
        plugin_waiting_per_client: usize = 256,
        /// How long a plugin call waits for a free place.
        plugin_queue_wait: Duration = Duration::from_secs(2),
        /// Events of one client that its shadows are asked about at the same time, beside its live calls; a comparison that finds no room is skipped.
        plugin_shadows_per_client: usize = 4,
        /// Calls of a plugin that fail one after another before it is suspended for its client, at most 40.
        plugin_failures_in_a_row: u32 = 10,
        /// Percentage of its last 40 calls above which failures suspend a plugin for its client.
        plugin_failures_percent: u32 = 50,
        /// How long a suspended plugin is not called; then one call decides whether it is called again.
        plugin_suspended_for: Duration = Duration::from_secs(30),
        /// Uploaded plugins that one process keeps ready in memory.
        loaded_plugins: usize = 2_000,
        /// Processor time for compiling one uploaded component.
        plugin_compile_cpu: Duration = Duration::from_secs(30),
        /// Bytes of address space for compiling one uploaded component.
        plugin_compile_memory_bytes: u64 = 2_048 * MIB,
        /// Time for compiling one uploaded component.
        plugin_compile_timeout: Duration = Duration::from_secs(120),
        /// Uploaded plugins that are compiled at once, each of another client and each with `limits.plugin_compile_memory_bytes`.
        plugin_compile_places: usize = 2,
        /// Uploads that wait while others are compiled.
        plugin_compile_queue: usize = 8,
        /// Processor time for compiling the uploads of one client in `limits.plugin_compile_budget_period`; those beyond it are refused until it has come back.
        plugin_compile_budget: Duration = Duration::from_secs(120),
        /// Time in which `limits.plugin_compile_budget` comes back, evenly.
        plugin_compile_budget_period: Duration = Duration::from_secs(600),
        /// Bytes of one uploaded plugin.
        plugin_bytes: u64 = 32 * MIB,
        /// Bytes of all plugins that one client has uploaded.
        plugin_storage_bytes_per_client: u64 = 1024 * MIB,
        /// Names that one client can upload plugins under.
        plugins_per_client: u64 = 500,
        /// Versions of a plugin that are kept, beside those that are in force or that a rollback may want; at least 100.
        plugin_versions_kept: u32 = 200,
        /// Bytes that one recording of the calls of an activation keeps.
        plugin_recording_bytes: u64 = 64 * MIB,
        /// Plugin calls under way at the same time in one process; webhook shapers have a quarter as many places of their own beside them. Calls that wait or take long have three quarters of the places, shared evenly among clients.
        plugin_pool_size: u32 = 384,
        /// Bytes that the plugins of one client keep in key-values: keys, values, and 64 for each key.
        kv_bytes_per_client: u64 = 64 * MIB,
        /// Keys that one plugin keeps of one participant.
        kv_keys_per_participant: u32 = 256,
        /// Calls to the Cloud API in flight per business number.
        cloud_in_flight_per_number: usize = 64,
        /// Messages per second and business number through the Cloud API.
        cloud_rate_per_number: u32 = 80,
        /// Messages per second and page through Messenger.
        messenger_rate_per_page: u32 = 200,
        /// Calls in flight per page to Messenger.
        messenger_in_flight_per_page: usize = 32,
        /// Time for a whole call of the Cloud API; the outcome of a send that is not answered in it is unknown.
        cloud_timeout: Duration = Duration::from_secs(30),
        /// How long a send whose outcome is unknown waits for a status before it is sent once more.
        unknown_after: Duration = Duration::from_secs(60),
        /// How long an SMS waits for an SMSC to take it; then it fails with code 900503.
        sms_expires_after: Duration = Duration::from_secs(48 * 3600),
        /// How long a message of a WhatsApp Lite number waits while that is disconnected, or outside its hours; then it fails with code 900503.
        lite_expires_after: Duration = Duration::from_secs(48 * 3600),
        /// How long after the provider took a message its failure may still bring an SMS.
        fallback_max_age: Duration = Duration::from_secs(3_600),
        /// How long after the last connection of a client its live events are still written down for who comes back.
        live_resume: Duration = Duration::from_secs(3_600),
        /// Connections of one client to live events of this process; more are answered with 429.
        live_connections_per_client: usize = 1_000,
        /// How long a ticket for live events is good.
        live_ticket: Duration = Duration::from_secs(30),
        /// Live events of a client that are held in memory, as long as they have at most 16 MiB; a connection that falls further behind is told to resume.
        live_events_held: usize = 4_096,
        /// Bytes of live events that were sent to the connections of one client and that these have not read; further events wait, and who waits too long is told to resume.
        live_unread_bytes_per_client: u64 = 16 * MIB,
        /// Time in which a connection must take the live events that it is sent at once, at most 64 and 128 KiB unless one has more; over a WebSocket, in which it must have read them.
        live_write_timeout: Duration = Duration::from_secs(10),
        /// How often a quiet connection to live events is tried, and told where it stands.
        live_heartbeat: Duration = Duration::from_secs(20),
        /// How long a long-lived conversation lasts unless it is closed; those that are open keep the time that they began with.
        conversation_lifetime: Duration = Duration::from_secs(30 * 24 * 3_600),
        /// How long a customer waits for an agent's answer, in the queue or with an agent, before the chat is missed.
        missed_after: Duration = Duration::from_secs(600),
        /// Chats that an agent without a limit of their own may have at a time.
        agent_chats: u32 = 20,
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
        /// Days that recorded plugin calls are kept.
        recording_days: u32 = 14,
        /// Days that raw provider callbacks are kept.
        callback_days: u32 = 14,
        /// Days that live events are kept; a week of them goes at once.
        live_event_days: u32 = 1,
    }
}
