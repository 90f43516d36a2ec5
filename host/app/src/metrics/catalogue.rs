//! Every metric of `/metrics`, with its type and its meaning. `docs/metrics.md` is made of it.

use metrics::{KeyName, Recorder};

/// The type of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MetricKind {
    Counter,
    Gauge,
    Histogram,
}

impl MetricKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

use MetricKind::{Counter, Gauge, Histogram};

/// Name, type and meaning. The meaning names the labels in braces.
pub(super) const CATALOGUE: &[(&str, MetricKind, &str)] = &[
    ("patchbay_accept_group_requests", Histogram, "Send requests that were stored in one transaction."),
    (
        "patchbay_bot_chats_given_up_total",
        Counter,
        "Chats that agents got because their chatbot failed, by {reason}: the outcome of the call, no-chatbot, conflicts, endless-answers, unreadable-event, broken.",
    ),
    ("patchbay_bot_turn_seconds", Histogram, "Duration of a turn of a chatbot."),
    ("patchbay_build_info", Gauge, "Always 1: {version} and {commit} of the program."),
    ("patchbay_callback_bytes", Histogram, "Size of a callback of a provider."),
    ("patchbay_callback_items_ignored_total", Counter, "Items of callbacks without effect, by {channel} and {kind}."),
    (
        "patchbay_callback_items_stray_total",
        Counter,
        "Items of callbacks for a {source} of no client: number, account, page. They are kept for seven days.",
    ),
    ("patchbay_callback_items_total", Counter, "Items of callbacks by {taken}, the way in which they were taken."),
    (
        "patchbay_callback_items_unreadable_total",
        Counter,
        "Unreadable items of callbacks, by {channel} and {kind}. They are kept: /messaging-service/WhatsApp/failed-callbacks.",
    ),
    ("patchbay_callbacks_refused_total", Counter, "Refused callbacks by {reason}: signature, unreadable, too_many."),
    (
        "patchbay_certificate_expiry_timestamp_seconds",
        Gauge,
        "End of the certificate of server.tls_cert, in seconds since 1970.",
    ),
    ("patchbay_database_connections", Gauge, "Connections to the database by {state}: used, idle."),
    ("patchbay_database_connections_max", Gauge, "Limit of connections to the database."),
    ("patchbay_database_silent", Gauge, "1 while the database does not answer."),
    ("patchbay_disk_free_bytes", Gauge, "Free space of the file system of {place}: data_dir."),
    ("patchbay_disk_size_bytes", Gauge, "Size of the file system of {place}: data_dir."),
    ("patchbay_email_received_total", Counter, "Received mails by {outcome}."),
    ("patchbay_email_sent_total", Counter, "Mails to the relay by {outcome}."),
    ("patchbay_http_bytes_in_flight", Gauge, "Bytes of received bodies and unread answers."),
    ("patchbay_http_connections", Gauge, "Open connections of the listeners."),
    (
        "patchbay_http_connections_ended_total",
        Counter,
        "Connections that were ended, by {reason}: control_frames, unfinished_heads.",
    ),
    ("patchbay_http_connections_refused_total", Counter, "Refused connections by {limit}."),
    ("patchbay_http_request_duration_seconds", Histogram, "Duration of requests by {route}."),
    ("patchbay_http_requests_ended_total", Counter, "Requests that were ended, by {reason}: slowest, not taken."),
    ("patchbay_http_requests_in_flight", Gauge, "Requests in flight."),
    ("patchbay_http_requests_refused_total", Counter, "Refused requests by {limit}."),
    ("patchbay_http_requests_total", Counter, "Answered requests by {method}, {route} and {status}."),
    (
        "patchbay_inboxes_waiting",
        Gauge,
        "Inboxes whose messages wait in this process, by {reason}: window, rate, closed (such as without a bind), call_failed.",
    ),
    ("patchbay_lane_failures_total", Counter, "Failures of work on a lane, by {queue}."),
    ("patchbay_lanes_active", Gauge, "Lanes that this process works on."),
    (
        "patchbay_legs_failed_total",
        Counter,
        "Failed legs by {channel} and {code}; `other`: a code that is not in errors.md.",
    ),
    (
        "patchbay_lite_messages_unread_total",
        Counter,
        "Messages that the device of a WhatsApp Lite number could not decrypt, by {kind}: waiting.",
    ),
    (
        "patchbay_lite_sessions",
        Gauge,
        "Wanted sessions of WhatsApp Lite by {state}: connected, connecting, disconnected (all processes).",
    ),
    ("patchbay_live_connections", Gauge, "Connections of agents for live events."),
    ("patchbay_logins_waiting", Gauge, "Logins that wait for their turn."),
    ("patchbay_message_changes_total", Counter, "Changes and deletions of messages by customers, by {taken}."),
    ("patchbay_messages_accepted_total", Counter, "Messages of accepted send requests."),
    ("patchbay_messages_unreadable_total", Counter, "Stored messages that this version cannot read."),
    ("patchbay_outbound_pauses_total", Counter, "Times that an inbox had due messages and its {provider} took none."),
    ("patchbay_plugin_call_seconds", Histogram, "Duration of a call of a plugin, by {world}."),
    (
        "patchbay_plugin_calls_apart_total",
        Counter,
        "Long calls that moved to other threads, by {threads}: apart, last.",
    ),
    ("patchbay_plugin_calls_begun_again_total", Counter, "Calls of plugins that began again to make room."),
    ("patchbay_plugin_calls_total", Counter, "Calls of plugins by {world} and {outcome}."),
    ("patchbay_plugin_canaries_taken_back_total", Counter, "Canary versions that were taken back because they failed."),
    ("patchbay_plugin_circuits_total", Counter, "Suspensions of plugins by {kind}: CIRCUIT_OPENED, CIRCUIT_CLOSED."),
    ("patchbay_plugin_http_requests_total", Counter, "HTTP requests of plugins by {result}: answered, failed."),
    (
        "patchbay_plugin_scheduled_templates_total",
        Counter,
        "Templates that chatbots scheduled and that became due, by {result}: accepted, refused.",
    ),
    ("patchbay_plugin_shadow_calls_total", Counter, "Calls of shadow versions by {result}."),
    (
        "patchbay_plugin_started_requests_total",
        Counter,
        "HTTP requests that plugins started, by {result}: answered, timed-out, too-large, refused, failed.",
    ),
    ("patchbay_plugins_suspended", Gauge, "Plugins that this process suspends, per client."),
    ("patchbay_provider_call_seconds", Histogram, "Duration of a call that sends a message, by {provider}."),
    (
        "patchbay_provider_calls_total",
        Counter,
        "Calls that send a message, by {provider}, {outcome} (accepted, rejected, unreachable, retry, slow_down, \
         recipient_limited, account_stopped: a refused token or account, not_sent, unknown) and {code}.",
    ),
    (
        "patchbay_provider_last_success_timestamp_seconds",
        Gauge,
        "Time of the last message that {provider} took from this process, in seconds since 1970.",
    ),
    (
        "patchbay_queue_lanes",
        Gauge,
        "Lanes with rows by {queue} and {state}: held by a process, free (no process has taken it), closed (disabled, \
         refused by the provider, or a Lite number without session), later (waits for news). At most 1,000 (all processes).",
    ),
    ("patchbay_queue_oldest_due_seconds", Gauge, "Age of the oldest due row, by {queue} (all processes)."),
    ("patchbay_queue_rows", Gauge, "Rows by {queue} and {state}: ready, later. Counted up to 100,000 (all processes)."),
    ("patchbay_request_log_left_out_total", Counter, "Requests that are missing in the log of requests."),
    ("patchbay_sms_accepted_total", Counter, "Messages that SMS gateways accepted, by {product}."),
    ("patchbay_sms_callbacks_total", Counter, "Callbacks of the JSON SMS gateway by {outcome}."),
    ("patchbay_sms_receipts_unmatched_total", Counter, "Receipts of SMS centres that matched no SMS for a day."),
    ("patchbay_sms_repetitions_total", Counter, "Repeated SMS of subscribers. They are stored once."),
    ("patchbay_sms_router_failures_total", Counter, "Failed calls of SMS routers. The default route was used."),
    ("patchbay_smpp_bind_up", Gauge, "1 if {bind} has a session with its SMS centre, else 0."),
    (
        "patchbay_smpp_pdus_unusable_total",
        Counter,
        "Unusable PDUs by {kind}: delivery, receipt, unsupported, unasked_answer.",
    ),
    (
        "patchbay_tokens_refused",
        Gauge,
        "Inboxes whose provider refused the token or account in the last day, without a success since (all \
         processes).",
    ),
    (
        "patchbay_trace_spans_total",
        Counter,
        "Spans of traces by {outcome}: exported, failed (the collector), dropped (the queue is full).",
    ),
    ("patchbay_webhook_attempt_seconds", Histogram, "Duration of an attempt to deliver a webhook."),
    ("patchbay_webhook_attempts_total", Counter, "Attempts to deliver webhooks by {result}."),
    ("patchbay_webhook_endpoints_disabled_total", Counter, "Webhook endpoints that were turned off."),
    ("patchbay_worker_processes", Gauge, "Processes with background work on the database (all processes)."),
    ("process_cpu_seconds_total", Counter, "Processor time of the process."),
    ("process_max_fds", Gauge, "Limit of open files."),
    ("process_open_fds", Gauge, "Open files, connections among them."),
    ("process_resident_memory_bytes", Gauge, "Resident memory of the process."),
    ("process_start_time_seconds", Gauge, "Start of the process, in seconds since 1970."),
];

/// Gives the recorder the meaning of each metric.
pub(super) fn describe(recorder: &impl Recorder) {
    for &(name, kind, meaning) in CATALOGUE {
        let name = KeyName::from_const_str(name);
        match kind {
            Counter => recorder.describe_counter(name, None, meaning.into()),
            Gauge => recorder.describe_gauge(name, None, meaning.into()),
            Histogram => recorder.describe_histogram(name, None, meaning.into()),
        }
    }
}
