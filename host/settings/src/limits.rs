//! Limits and retention: all numbers that bound the use by one request, client or plugin.

use std::time::Duration;

use super::section::section;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

section! {
    /// Rates, sizes, memory, time and concurrency. Requests, connections and calls are counted per process.
    Limits {
        /// Recipients of one send request, over all its messages.
        max_recipients: usize = 1_000,
        /// Bytes of a request body.
        max_body_bytes: u64 = 8 * MIB,
        /// Requests of one client per second.
        requests_per_second_per_client: u32 = 20_000,
        /// Recipients in sends of one client per second, counted after acceptance: at 100, a send of 1,000 blocks the
        /// next for 10 s.
        recipients_per_second_per_client: u32 = 100_000,
        /// Requests in flight. Callers without a key have half of them.
        requests_in_flight: u64 = 2_048,
        /// Requests in flight of one client.
        requests_in_flight_per_client: u64 = 512,
        /// Requests in flight of one source without a key.
        requests_in_flight_per_source: u64 = 256,
        /// Bytes of received bodies and of unread answers. Callers without a key have half of them.
        bytes_in_flight: u64 = 128 * MIB,
        /// The same for one client. A larger body is accepted if the client has little else in flight.
        bytes_in_flight_per_client: u64 = 64 * MIB,
        /// The same for one source without a key.
        bytes_in_flight_per_source: u64 = 48 * MIB,
        /// Connections to the listeners; fewer if the process may not open as many files.
        connections: usize = 8_192,
        /// Connections of one source. This machine and `server.trusted_proxies` are exempt.
        connections_per_address: usize = 512,
        /// Time for the head of a request, from its first byte or from a new connection.
        request_head_timeout: Duration = Duration::from_secs(15),
        /// Time after which a connection without a request is closed.
        idle_timeout: Duration = Duration::from_secs(75),
        /// Time after which an answer is cut off if the caller reads nothing of it.
        write_timeout: Duration = Duration::from_secs(30),
        /// Bytes of one media file of a customer.
        inbound_media_max_bytes: u64 = 100 * MIB,
        /// Messages and files of one visitor of a web site per minute.
        web_chat_posts_per_minute: u32 = 40,
        /// Calls and messages of web chat of one source per minute.
        web_chat_calls_per_minute_per_address: u32 = 600,
        /// Frames of one visitor per minute. A page of older messages counts as five. If they are used up, the sockets
        /// are not read.
        web_chat_frames_per_minute: u32 = 240,
        /// The same for one source.
        web_chat_frames_per_minute_per_address: u32 = 2_400,
        /// Open widgets of one visitor.
        web_chat_sockets_per_visitor: usize = 10,
        /// The same for one source.
        web_chat_sockets_per_address: usize = 200,
        /// Bytes of message pages that the widgets of one visitor have not read yet. Further pages wait.
        web_chat_unread_bytes_per_visitor: u64 = 256 * KIB,
        /// The same for one source.
        web_chat_unread_bytes_per_address: u64 = 2 * MIB,
        /// Time for a widget to accept a frame, and to read a page. After it, the socket ends.
        web_chat_write_timeout: Duration = Duration::from_secs(30),
        /// Connections to `email.listen`.
        email_connections: usize = 256,
        /// The same of one source.
        email_connections_per_source: usize = 16,
        /// Connections to PostgreSQL. In addition the process has a fifth more for slow chatbots, four for its own
        /// checks, and two for notifications.
        database_connections: u32 = 20,
        /// Calls of one webhook URL at once.
        webhook_concurrency_per_endpoint: usize = 32,
        /// Time to connect to a webhook.
        webhook_connect_timeout: Duration = Duration::from_secs(5),
        /// Time for a whole webhook call.
        webhook_timeout: Duration = Duration::from_secs(15),
        /// Bytes to read of a webhook's answer. The first 1,024 are stored.
        webhook_max_response_bytes: u64 = 16 * KIB,
        /// Bytes of linear memory of one plugin call, and of the key-values it has read and written.
        plugin_memory_bytes: u64 = 96 * MIB,
        /// Bytes of all plugin calls, each with its key-values, unstored files, recording and 256 KiB. At least eight
        /// times `limits.plugin_memory_bytes`. A call without room waits or is repeated later.
        plugin_memory_bytes_of_all: u64 = 1_024 * MIB,
        /// Wall-clock time of one plugin call, including HTTP requests.
        plugin_chatbot_timeout: Duration = Duration::from_secs(5),
        /// Processor time of one plugin call.
        plugin_cpu: Duration = Duration::from_secs(1),
        /// Interval after which a running plugin yields to others.
        plugin_epoch_tick: Duration = Duration::from_millis(2),
        /// Processor time per second of the uploaded plugins of one client. After it, they run only while no other call
        /// needs a processor.
        plugin_prompt_cpu: Duration = Duration::from_millis(50),
        /// Bytes that a plugin may pass to the host in one host call.
        plugin_hostcall_fuel: u64 = 4 * MIB,
        /// Bytes of log of one call. The beginning and the last line are kept.
        plugin_log_bytes: u64 = 16 * KIB,
        /// Elements of all tables of one plugin call.
        plugin_table_elements: usize = 100_000,
        /// Handles to clocks, streams and other resources of one plugin call.
        plugin_handles: usize = 1_000,
        /// Actions that one chatbot call may return.
        plugin_actions: usize = 32,
        /// Host calls of one plugin call.
        plugin_host_calls: u64 = 256,
        /// Bytes of standard output and standard error of one call. The beginning and the end are kept.
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
        /// Bytes of these headers together.
        plugin_http_header_bytes: u64 = 16 * KIB,
        /// Time for one HTTP request of a plugin. It also counts as time of the call.
        plugin_http_timeout: Duration = Duration::from_secs(3),
        /// Started HTTP requests (`http.start`) of the plugins of one client. Further ones fail.
        plugin_open_requests_per_client: u32 = 200,
        /// Calls of uploaded plugins of one client per second. More wait.
        plugin_calls_per_second: u32 = 500,
        /// Plugin calls of one client at once.
        plugin_concurrency_per_client: usize = 8,
        /// Plugin calls of one client that wait for a place.
        plugin_waiting_per_client: usize = 256,
        /// Time that a plugin call waits for a place.
        plugin_queue_wait: Duration = Duration::from_secs(2),
        /// Events of one client for its shadows at once. Further ones are not compared.
        plugin_shadows_per_client: usize = 4,
        /// Consecutive failures of a plugin after which it is suspended for its client, at most 40.
        plugin_failures_in_a_row: u32 = 10,
        /// Percentage of failures in its last 40 calls above which it is suspended.
        plugin_failures_percent: u32 = 50,
        /// Time for which a suspended plugin is not called. Then one call decides if it is used again.
        plugin_suspended_for: Duration = Duration::from_secs(30),
        /// Uploaded plugins that are kept ready in memory.
        loaded_plugins: usize = 2_000,
        /// Processor time for compiling one uploaded component.
        plugin_compile_cpu: Duration = Duration::from_secs(30),
        /// Bytes of address space for the same.
        plugin_compile_memory_bytes: u64 = 2_048 * MIB,
        /// Wall-clock time for the same.
        plugin_compile_timeout: Duration = Duration::from_secs(120),
        /// Uploaded plugins that are compiled at once, each of another client.
        plugin_compile_places: usize = 2,
        /// Uploads that wait while others are compiled.
        plugin_compile_queue: usize = 8,
        /// Processor time for compiling the uploads of one client in `limits.plugin_compile_budget_period`. After it,
        /// uploads are refused.
        plugin_compile_budget: Duration = Duration::from_secs(120),
        /// Time in which the budget returns, evenly.
        plugin_compile_budget_period: Duration = Duration::from_secs(600),
        /// Bytes of one uploaded plugin.
        plugin_bytes: u64 = 32 * MIB,
        /// Bytes of all plugins that one client has uploaded.
        plugin_storage_bytes_per_client: u64 = 1024 * MIB,
        /// Names under which one client can upload plugins.
        plugins_per_client: u64 = 500,
        /// Versions of a plugin that are kept, in addition to active ones and those for a rollback. At least 100.
        plugin_versions_kept: u32 = 200,
        /// Bytes that one recording of the calls of an activation keeps.
        plugin_recording_bytes: u64 = 64 * MIB,
        /// Plugin calls at once; webhook shapers have a quarter as many in addition. Waiting and slow calls may use
        /// three quarters.
        plugin_pool_size: u32 = 384,
        /// Bytes of key-values of the plugins of one client: keys, values, and 64 for each key.
        kv_bytes_per_client: u64 = 64 * MIB,
        /// Keys of one plugin for one participant.
        kv_keys_per_participant: u32 = 256,
        /// Calls to the Cloud API in flight per business number.
        cloud_in_flight_per_number: usize = 64,
        /// Messages per second and business number through the Cloud API.
        cloud_rate_per_number: u32 = 80,
        /// Messages per second and page through Messenger.
        messenger_rate_per_page: u32 = 200,
        /// Calls in flight per page to Messenger.
        messenger_in_flight_per_page: usize = 32,
        /// Time for a whole call of the Cloud API. If a send gets no answer in it, its outcome is unknown.
        cloud_timeout: Duration = Duration::from_secs(30),
        /// Time that a send with an unknown outcome waits for a status. Then it is repeated once, or fails if its client wants no
        /// message twice (`atMostOnce`).
        unknown_after: Duration = Duration::from_secs(60),
        /// Time that an SMS waits for an SMSC. After it, it fails with code 900503.
        sms_expires_after: Duration = Duration::from_secs(48 * 3600),
        /// The same for a message whose WhatsApp Lite number is disconnected or outside its hours.
        lite_expires_after: Duration = Duration::from_secs(48 * 3600),
        /// The same for a message whose provider refuses the token or the account. It fails with the code of the
        /// provider.
        refused_expires_after: Duration = Duration::from_secs(4 * 3600),
        /// Time after acceptance by the provider in which a failed message may cause an SMS.
        fallback_max_age: Duration = Duration::from_secs(3_600),
        /// Time after the last connection of a client for which live events are recorded.
        live_resume: Duration = Duration::from_secs(3_600),
        /// Connections of one client to live events.
        live_connections_per_client: usize = 1_000,
        /// Validity of a ticket for live events.
        live_ticket: Duration = Duration::from_secs(30),
        /// Live events of a client in memory, with at most 16 MiB. A connection that falls further behind must resume.
        live_events_held: usize = 4_096,
        /// Bytes of live events that the connections of one client have not read yet. Further events wait.
        live_unread_bytes_per_client: u64 = 16 * MIB,
        /// Time for a connection to accept a portion of live events; over a WebSocket, to read it.
        live_write_timeout: Duration = Duration::from_secs(10),
        /// Interval of heartbeats on a quiet connection to live events.
        live_heartbeat: Duration = Duration::from_secs(20),
        /// Lifetime of a session key that is not used.
        session_idle: Duration = Duration::from_secs(3_600),
        /// Lifetime of a session key that is used.
        session_life: Duration = Duration::from_secs(24 * 3_600),
        /// Lifetime of a new long-lived conversation that is not closed.
        conversation_lifetime: Duration = Duration::from_secs(30 * 24 * 3_600),
        /// Time that a customer waits for an agent's answer before the chat is missed.
        missed_after: Duration = Duration::from_secs(600),
        /// Chats at a time of an agent without a limit of its own.
        agent_chats: u32 = 20,
        /// Messages of a chat in one hour, of both sides, at which its chatbot is not asked any more and agents get the
        /// chat: two programs may be answering each other. 0: no bound.
        bot_chat_messages_per_hour: u32 = 1_000,
    }
}

section! {
    /// Days after which rows are dropped.
    Retention {
        /// Days that messages are kept.
        message_days: u32 = 365,
        /// Days that receipts are kept.
        receipt_days: u32 = 90,
        /// Days that webhook attempts are kept.
        webhook_attempt_days: u32 = 30,
        /// Days that traces of plugin calls are kept.
        invocation_days: u32 = 30,
        /// Days that recorded plugin calls are kept.
        recording_days: u32 = 14,
        /// Days that raw provider callbacks are kept.
        callback_days: u32 = 14,
        /// Days that live events are kept. They are dropped in whole weeks.
        live_event_days: u32 = 1,
        /// Days of the request log that are shown. They are dropped in whole weeks.
        request_log_days: u32 = 7,
    }
}
