//! All limits of calls.

use std::{fmt, time::Duration};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

#[derive(Debug, Clone)]
pub struct CallLimits {
    /// Bytes of all linear memories of an instance and of key-values. At most 128 MiB, the size of a pool slot.
    pub memory_bytes: usize,
    /// Bytes of all calls together, each with 256 KiB of its own. Webhook shapers have one eighth and shadows another.
    pub memory_bytes_of_all: usize,
    /// Elements of all tables of one instance.
    pub table_elements: usize,
    /// Processor time of one call, in steps of `epoch_tick`.
    pub cpu: Duration,
    /// Time from the start of the instance to the answer, including waits.
    pub wall_clock: Duration,
    /// Interval at which a running guest is interrupted, so that other work can run.
    pub epoch_tick: Duration,
    /// Processor time per second for a client's calls of its uploaded plugins; that of five seconds may be used at
    /// once. A client that has used it up waits for an idle processor, one call at a time.
    pub prompt_cpu: Duration,
    /// Bytes of one transfer from guest to host: the arguments of an import, or the answer.
    pub transfer_bytes: usize,
    pub host_calls: u32,
    /// Bytes of log lines that are kept. The rest is dropped, and the trace says so.
    pub log_bytes: usize,
    /// Bytes of standard output and standard error together that are kept. The rest is dropped.
    pub output_bytes: usize,
    /// Handles to WASI resources that are open at once. A pollable takes two.
    pub handles: usize,
    pub actions: usize,
    pub body_bytes: usize,
    pub value_bytes: usize,
    pub written_keys: usize,
    pub http_requests: u32,
    pub http_request_bytes: usize,
    pub http_response_bytes: usize,
    pub http_headers: usize,
    pub http_header_bytes: usize,
    /// Longest wait for one HTTP response. The wall clock of the call continues during the wait.
    pub http_timeout: Duration,
    /// Calls per second of a client's uploaded plugins, those of two seconds at once. Others wait for `queue_wait`.
    pub calls_per_second: u32,
    pub calls_per_client: usize,
    pub waiting_per_client: usize,
    pub queue_wait: Duration,
    /// Calls of all clients at once. Heavy calls get three quarters. Webhook shapers have a quarter as many in
    /// addition.
    pub calls: usize,
    /// Replays of one client's shadows at once. They do not wait: without a free place the replay is left out.
    pub shadows_per_client: usize,
    pub component_bytes: usize,
    /// Uploaded plugins that are kept loaded in memory. The one with the oldest call is removed first.
    pub loaded_plugins: usize,
    /// Consecutive failed calls after which a plugin is suspended for a client. At most 40.
    pub failures_in_a_row: u32,
    /// If more than this percentage of the last 40 calls failed, the plugin is suspended for the client.
    pub failures_percent: u32,
    /// Duration of a suspension. After it, one call decides whether the plugin is called again.
    pub suspended_for: Duration,
    pub compile_cpu: Duration,
    pub compile_memory_bytes: usize,
    pub compile_wall_clock: Duration,
    pub compile_places: usize,
    pub compile_queue: usize,
    /// Processor time for compiling the uploads of one client per `compile_budget_period`. It refills evenly.
    pub compile_budget: Duration,
    pub compile_budget_period: Duration,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            memory_bytes: 96 * MIB,
            memory_bytes_of_all: 1_024 * MIB,
            table_elements: 100_000,
            cpu: Duration::from_secs(1),
            wall_clock: Duration::from_secs(5),
            epoch_tick: Duration::from_millis(2),
            prompt_cpu: Duration::from_millis(50),
            transfer_bytes: 4 * MIB,
            host_calls: 256,
            log_bytes: 16 * KIB,
            output_bytes: 16 * KIB,
            handles: 1_000,
            actions: 32,
            body_bytes: 256 * KIB,
            value_bytes: 64 * KIB,
            written_keys: 64,
            http_requests: 8,
            http_request_bytes: 256 * KIB,
            http_response_bytes: MIB,
            http_headers: 64,
            http_header_bytes: 16 * KIB,
            http_timeout: Duration::from_secs(3),
            calls_per_second: 500,
            calls_per_client: 16,
            waiting_per_client: 256,
            queue_wait: Duration::from_secs(2),
            calls: 200,
            shadows_per_client: 4,
            component_bytes: 32 * MIB,
            loaded_plugins: 2_000,
            failures_in_a_row: 10,
            failures_percent: 50,
            suspended_for: Duration::from_secs(30),
            compile_cpu: Duration::from_secs(30),
            compile_memory_bytes: 2_048 * MIB,
            compile_wall_clock: Duration::from_secs(120),
            compile_places: 2,
            compile_queue: 8,
            compile_budget: Duration::from_secs(120),
            compile_budget_period: Duration::from_secs(600),
        }
    }
}

impl CallLimits {
    pub(crate) fn calls_for_bodies(&self) -> usize {
        (self.calls / 4).max(1)
    }

    /// Number of interruptions that use up `cpu`.
    pub(crate) fn cpu_ticks(&self) -> u64 {
        let ticks = self.cpu.as_nanos().div_ceil(self.epoch_tick.as_nanos().max(1));
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }
}

/// A limit that a call exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExceededLimit {
    Memory,
    Tables,
    Cpu,
    Transfer,
    Handles,
    HostCalls,
    Actions,
    Body,
}

impl fmt::Display for ExceededLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory",
            Self::Tables => "table elements",
            Self::Cpu => "processor time",
            Self::Transfer => "bytes handed to the host at once",
            Self::Handles => "open handles",
            Self::HostCalls => "calls of host functions",
            Self::Actions => "actions in one answer",
            Self::Body => "bytes of a webhook body",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use domain::contact_attribute;

    use super::*;
    use crate::{
        calling::{conversation, file_part, files, key_values, started_requests::DEADLINES, written_file},
        config_schema,
        worlds::answer::{self, chatbot, finding},
    };

    const DOCUMENTED: &str = include_str!("../../../../wit/plugin-0.3.0/types.wit");

    fn bytes(count: usize) -> String {
        match count {
            count if count.is_multiple_of(MIB) => format!("{} MiB", count / MIB),
            count if count.is_multiple_of(KIB) => format!("{} KiB", count / KIB),
            count => format!("{count} bytes"),
        }
    }

    fn seconds(time: Duration) -> String {
        format!("{} s", time.as_secs_f64())
    }

    /// The rows of the settings, as the interface has to show them.
    fn rows(limits: &CallLimits) -> Vec<String> {
        let row = |limit: &str, value: String, setting: &str| format!("/// | {limit} | {value} | `{setting}` |");
        vec![
            row("time of a call", seconds(limits.wall_clock), "plugin_chatbot_timeout"),
            row("processor time of a call", seconds(limits.cpu), "plugin_cpu"),
            row("memory of a call", bytes(limits.memory_bytes), "plugin_memory_bytes"),
            row("functions of the host in a call", limits.host_calls.to_string(), "plugin_host_calls"),
            row("bytes that pass to the host at once", bytes(limits.transfer_bytes), "plugin_hostcall_fuel"),
            row("actions in an answer", limits.actions.to_string(), "plugin_actions"),
            row("value of `kv`", bytes(limits.value_bytes), "plugin_value_bytes"),
            row("keys written in a call", limits.written_keys.to_string(), "plugin_written_keys"),
            row(
                "`http`: requests of a call, `send` and `start` together",
                limits.http_requests.to_string(),
                "plugin_http_requests",
            ),
            row("`http`: body of a request", bytes(limits.http_request_bytes), "plugin_http_request_bytes"),
            row("`http`: body of a response", bytes(limits.http_response_bytes), "plugin_http_response_bytes"),
            row("`http`: headers of a request, of a response", limits.http_headers.to_string(), "plugin_http_headers"),
            row("`http`: bytes of these headers", bytes(limits.http_header_bytes), "plugin_http_header_bytes"),
            row("`http.send`: wait", seconds(limits.http_timeout), "plugin_http_timeout"),
            row("body of a webhook", bytes(limits.body_bytes), "plugin_body_bytes"),
            row("lines of the log", bytes(limits.log_bytes), "plugin_log_bytes"),
            row("standard output and standard error", bytes(limits.output_bytes), "plugin_output_bytes"),
        ]
    }

    /// The rows of the limits that are constants.
    fn constant_rows() -> Vec<String> {
        let row = |limit: &str, value: String| format!("/// | {limit} | {value} | |");
        let part = usize::try_from(files::PART_BYTES).unwrap();
        let read = usize::try_from(file_part::CALL_BYTES).unwrap();
        let texts = [chatbot::TEXT, chatbot::INTERACTIVE_TEXT, chatbot::CAPTION].map(|most| most.to_string());
        let days = |span: &RangeInclusive<u32>| format!("{} s to {} days", span.start(), span.end() / 86_400);
        let (messages, said) = (conversation::MOST_MESSAGES, conversation::TEXT);
        vec![
            row("state of a conversation", format!("{} characters", chatbot::STATE)),
            row("JSON text of `custom`", format!("{} characters", answer::CUSTOM)),
            row("text; with buttons; caption", format!("{} characters", texts.join("; "))),
            row(
                "title of a button; of a list entry",
                format!("{}; {} characters", chatbot::BUTTON_TITLE, chatbot::ROW_TITLE),
            ),
            row("time of a timer", days(&chatbot::TIMER_SECONDS)),
            row("time of a scheduled template", days(&chatbot::SCHEDULE_SECONDS)),
            row(
                "attributes of a contact; text of a value",
                format!("{}; {} characters", contact_attribute::MOST_ATTRIBUTES, contact_attribute::TEXT_MAX),
            ),
            row("key of `kv`", bytes(key_values::KEY_BYTES)),
            row("`http.start`: deadline", format!("{} to {}", seconds(*DEADLINES.start()), seconds(*DEADLINES.end()))),
            row("`files.read`: bytes of a part; of all parts in a call", format!("{}; {}", bytes(part), bytes(read))),
            row(
                "`files.write`: bytes of a file; files in a call",
                format!("{}; {}", bytes(written_file::MOST_BYTES), written_file::MOST),
            ),
            row("`conversation.history`", format!("{messages} messages of {said} characters")),
            row(
                "schema; configuration",
                format!("{}; {}", bytes(config_schema::MOST_BYTES), bytes(config_schema::CONFIG_BYTES)),
            ),
            row("findings of `validate`", finding::FINDINGS.to_string()),
        ]
    }

    /// Limits of other crates, which compare them: three of `chat`, then four of `settings`. The last one is no number.
    const ELSEWHERE: [&str; 8] = [
        "scheduled templates of a conversation",
        "`http.start`: open requests of a chat",
        "tags of a chat",
        "`http.start`: open requests of a client",
        "messages of a chat in an hour, both ways; then agents take over",
        "`kv`: keys of a plugin for one participant",
        "`kv`: bytes of all plugins of a client, with 64 for each key",
        "`files.read`: wait for a file that has not arrived",
    ];

    #[test]
    fn the_interface_shows_the_limits_of_a_call() {
        for row in rows(&CallLimits::default()) {
            assert!(DOCUMENTED.lines().any(|line| line == row), "wit/plugin-0.3.0/types.wit has no line\n{row}");
        }
    }

    #[test]
    fn the_interface_shows_the_limits_without_a_setting() {
        for row in constant_rows() {
            assert!(DOCUMENTED.lines().any(|line| line == row), "wit/plugin-0.3.0/types.wit has no line\n{row}");
        }
    }

    #[test]
    fn every_limit_that_the_interface_shows_is_compared_with_the_code() {
        let compared = [rows(&CallLimits::default()), constant_rows()].concat();
        let shown: Vec<&str> = DOCUMENTED.lines().filter(|line| line.starts_with("/// | ")).skip(1).collect();
        for row in &shown {
            let limit = row.trim_start_matches("/// | ").split(" | ").next().unwrap();
            let is_known = compared.iter().any(|known| known == row) || ELSEWHERE.contains(&limit);
            assert!(is_known, "compare this limit with its constant:\n{row}");
        }
        assert_eq!(shown.len(), compared.len() + ELSEWHERE.len());
    }
}
