//! Limits and retention: all numbers that bound the use by one request, client or plugin.

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
        /// Requests of one client per second, with a burst of the same number. More get 429.
        requests_per_second_per_client: u32 = 20_000,
        /// Recipients in sends of one client per second. A send with more delays the next one.
        recipients_per_second_per_client: u32 = 100_000,
        /// Requests in flight in this process. If all are taken, a new one replaces the slowest of the largest share;
        /// if none waits for its caller, it gets 503. Callers without a key have half of them.
        requests_in_flight: u64 = 2_048,
        /// Requests in flight of one client. More get 429.
        requests_in_flight_per_client: u64 = 512,
        /// Requests in flight without a key from one address, or from one /64 IPv6 network (behind
        /// `server.trusted_proxies`: the forwarded address). A new request replaces the slowest one; if none waits for
        /// its caller, it gets 429.
        requests_in_flight_per_source: u64 = 256,
        /// Bytes of received bodies and of unread answers in this process. If the limit is reached, the slowest request
        /// of the largest share ends; if none waits for its caller, new requests get 503. Callers without a key have
        /// half of them.
        bytes_in_flight: u64 = 128 * MIB,
        /// The same for one client. More get 429. A larger body is accepted if the client has little else in flight.
        bytes_in_flight_per_client: u64 = 64 * MIB,
        /// The same for callers without a key from one address, or from one /64 IPv6 network.
        bytes_in_flight_per_source: u64 = 48 * MIB,
        /// Connections to the listeners of this process; fewer if it may not open as many files. If all are taken, idle
        /// ones are closed for new ones, first those of the largest address.
        connections: usize = 8_192,
        /// Connections from one address, or from one /64 IPv6 network. One /48 network has at most half of
        /// `limits.connections`. This machine and `server.trusted_proxies` are exempt.
        connections_per_address: usize = 512,
        /// Time for the head of a request, from its first byte. On a new connection it starts with the connection.
        request_head_timeout: Duration = Duration::from_secs(15),
        /// Time after which a connection without a request is closed.
        idle_timeout: Duration = Duration::from_secs(75),
        /// Time after which an answer is cut off if the caller reads nothing of it, with its HTTP/2 stream or its
        /// connection.
        write_timeout: Duration = Duration::from_secs(30),
        /// Bytes of one media file of a customer.
        inbound_media_max_bytes: u64 = 100 * MIB,
        /// Messages and files of one visitor of a web site per minute, with a burst of the same number. More get 429.
        web_chat_posts_per_minute: u32 = 40,
        /// Calls and messages of web chat per minute from one address, or from one /64 IPv6 network. More get 429.
        web_chat_calls_per_minute_per_address: u32 = 600,
        /// Frames of one visitor of a web site per minute, with a burst of the same number. A page of older messages
        /// counts as five. If they are used up, the sockets are not read.
        web_chat_frames_per_minute: u32 = 240,
        /// The same for all sockets of web chat from one address, or from one /64 IPv6 network.
        web_chat_frames_per_minute_per_address: u32 = 2_400,
        /// Open widgets of one visitor of a web site in this process.
        web_chat_sockets_per_visitor: usize = 10,
        /// Open widgets at one address, or in one /64 IPv6 network, in this process. More get 429.
        web_chat_sockets_per_address: usize = 200,
        /// Bytes of message pages that the widgets of one visitor of a web site have not read yet. Further pages wait.
        web_chat_unread_bytes_per_visitor: u64 = 256 * KIB,
        /// The same for all widgets at one address, or in one /64 IPv6 network.
        web_chat_unread_bytes_per_address: u64 = 2 * MIB,
        /// Time for a widget to accept a frame, and to read a page. After it, the socket ends.
        web_chat_write_timeout: Duration = Duration::from_secs(30),
        /// Connections to `email.listen` at the same time.
        email_connections: usize = 256,
        /// Connections to `email.listen` at the same time from one address, or from one /64 IPv6 network. One /48 network
        /// has at most half of `limits.email_connections`.
        email_connections_per_source: usize = 16,
        /// Connections to PostgreSQL of one process for requests and work. In addition it has a fifth more for slow
        /// chatbots, four for its own checks, and two for notifications.
        database_connections: u32 = 20,
        /// Calls of one webhook URL at the same time.
        webhook_concurrency_per_endpoint: usize = 32,
        /// Time to connect to a webhook.
        webhook_connect_timeout: Duration = Duration::from_secs(5),
        /// Time for a whole webhook call.
        webhook_timeout: Duration = Duration::from_secs(15),
        /// Bytes to read of a webhook's answer. The first 1,024 are stored.
        webhook_max_response_bytes: u64 = 16 * KIB,
        /// Bytes of linear memory of one plugin call, and of the key-values it has read and written.
        plugin_memory_bytes: u64 = 96 * MIB,
        /// Bytes of all plugin calls of one process together, each with its linear memory, key-values, written files until
        /// they are stored, recording and 256 KiB. At least eight times `limits.plugin_memory_bytes`. A call without room
        /// waits or is repeated later.
        plugin_memory_bytes_of_all: u64 = 1_024 * MIB,
        /// Wall-clock time of one plugin call, including HTTP requests.
        plugin_chatbot_timeout: Duration = Duration::from_secs(5),
        /// Processor time of one plugin call.
        plugin_cpu: Duration = Duration::from_secs(1),
        /// Interval after which a running plugin yields to others.
        plugin_epoch_tick: Duration = Duration::from_millis(2),
        /// Processor time per second for the uploaded plugins of one client. After it, its calls run only while no
        /// other call needs a processor.
        plugin_prompt_cpu: Duration = Duration::from_millis(50),
        /// Bytes that a plugin may pass to the host in one host call.
        plugin_hostcall_fuel: u64 = 4 * MIB,
        /// Bytes of log of one call. Of a longer log the beginning and the last line are kept.
        plugin_log_bytes: u64 = 16 * KIB,
        /// Elements of all tables of one plugin call.
        plugin_table_elements: usize = 100_000,
        /// Handles to clocks, streams and other resources of one plugin call.
        plugin_handles: usize = 1_000,
        /// Actions that one chatbot call may return.
        plugin_actions: usize = 32,
        /// Host calls of one plugin call.
        plugin_host_calls: u64 = 256,
        /// Bytes of standard output and standard error of one call: the beginning and the end are kept.
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
        /// Time for one HTTP request of a plugin. It also counts as time of the call, so it is shorter than
        /// `limits.plugin_chatbot_timeout`.
        plugin_http_timeout: Duration = Duration::from_secs(3),
        /// HTTP requests that plugins of one client have started (`http.start`) and that have not ended. Further ones fail.
        plugin_open_requests_per_client: u32 = 200,
        /// Calls of uploaded plugins of one client per second. More calls wait.
        plugin_calls_per_second: u32 = 500,
        /// Plugin calls of one client at the same time.
        plugin_concurrency_per_client: usize = 8,
        /// Plugin calls of one client that wait for a free place.
        plugin_waiting_per_client: usize = 256,
        /// Time that a plugin call waits for a free place.
        plugin_queue_wait: Duration = Duration::from_secs(2),
        /// Events of one client for its shadows at the same time. If there is no room, the comparison is skipped.
        plugin_shadows_per_client: usize = 4,
        /// Consecutive failures of a plugin after which it is suspended for its client, at most 40.
        plugin_failures_in_a_row: u32 = 10,
        /// Percentage of failures in its last 40 calls above which a plugin is suspended for its client.
        plugin_failures_percent: u32 = 50,
        /// Time for which a suspended plugin is not called. Then one call decides if it is used again.
        plugin_suspended_for: Duration = Duration::from_secs(30),
        /// Uploaded plugins that one process keeps ready in memory.
        loaded_plugins: usize = 2_000,
        /// Processor time for compiling one uploaded component.
        plugin_compile_cpu: Duration = Duration::from_secs(30),
        /// Bytes of address space for compiling one uploaded component.
        plugin_compile_memory_bytes: u64 = 2_048 * MIB,
        /// Time for compiling one uploaded component.
        plugin_compile_timeout: Duration = Duration::from_secs(120),
        /// Uploaded plugins that are compiled at the same time, each of another client.
        plugin_compile_places: usize = 2,
        /// Uploads that wait while others are compiled.
        plugin_compile_queue: usize = 8,
        /// Processor time for compiling the uploads of one client in `limits.plugin_compile_budget_period`. If it is
        /// used up, uploads are refused.
        plugin_compile_budget: Duration = Duration::from_secs(120),
        /// Time in which `limits.plugin_compile_budget` returns, evenly.
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
        /// Plugin calls at the same time in one process. Webhook shapers have a quarter as many in addition. Waiting
        /// and slow calls may use three quarters, shared evenly among clients.
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
        /// Time that a send with an unknown outcome waits for a status before it is sent once more.
        unknown_after: Duration = Duration::from_secs(60),
        /// Time that an SMS waits for an SMSC. After it, it fails with code 900503.
        sms_expires_after: Duration = Duration::from_secs(48 * 3600),
        /// Time that a message waits while its WhatsApp Lite number is disconnected or outside its hours. After it, it
        /// fails with code 900503.
        lite_expires_after: Duration = Duration::from_secs(48 * 3600),
        /// Time that a message waits while the provider refuses the token or the account of its inbox. After it, it fails
        /// with the code of the provider.
        refused_expires_after: Duration = Duration::from_secs(4 * 3600),
        /// Time after acceptance by the provider in which a failed message may still cause an SMS.
        fallback_max_age: Duration = Duration::from_secs(3_600),
        /// Time after the last connection of a client for which live events are still recorded.
        live_resume: Duration = Duration::from_secs(3_600),
        /// Connections of one client to live events of this process. More get 429.
        live_connections_per_client: usize = 1_000,
        /// Validity of a ticket for live events.
        live_ticket: Duration = Duration::from_secs(30),
        /// Live events of a client in memory, with at most 16 MiB. A connection that falls further behind must resume.
        live_events_held: usize = 4_096,
        /// Bytes of live events that the connections of one client have not read yet. Further events wait. A connection
        /// that waits too long must resume.
        live_unread_bytes_per_client: u64 = 16 * MIB,
        /// Time for a connection to accept a portion of live events (at most 64 and 128 KiB, unless one is larger);
        /// over a WebSocket, to read it.
        live_write_timeout: Duration = Duration::from_secs(10),
        /// Interval of heartbeats on a quiet connection to live events, with its position.
        live_heartbeat: Duration = Duration::from_secs(20),
        /// Lifetime of a session key that is not used.
        session_idle: Duration = Duration::from_secs(3_600),
        /// Lifetime of a session key that is used.
        session_life: Duration = Duration::from_secs(24 * 3_600),
        /// Lifetime of a long-lived conversation that is not closed. A change does not affect open conversations.
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
