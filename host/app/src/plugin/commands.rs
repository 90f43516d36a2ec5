//! clap requires one type for `--config` of a plugin and of the program, which these commands do not need.

use std::path::PathBuf;

use clap::Subcommand;

use super::arguments::{
    ActivateArguments, Bindings, Dev, FlowCommand, GiveBack, HistoryArguments, InvokeArguments, KvArguments,
    LogsArguments, NewArguments, PluginScope, PushArguments, RecordArguments, Rollback, RunArguments, SecretCommand,
    TestArguments, TrustCommand, Verify, WrapArguments, world_names,
};

/// The answer to `--config` of a command that reads no configuration.
pub const NO_SETTINGS: &str = "`--config` names the settings of a server, which this command does not read: leave it out. The \
    configuration of a plugin is an option of `activate`, `dev`, `invoke` and `run`; for `test` it stands in the test files \
    (`config:` or `config file:`)";

impl PluginCommand {
    /// Whether its `--config` is the configuration of a plugin.
    pub fn takes_config(&self) -> bool {
        matches!(self, Self::Activate(_) | Self::Dev(_) | Self::Invoke(_) | Self::Run(_))
    }
}

/// `patchbay plugin ...`
#[derive(Debug, Subcommand)]
pub enum PluginCommand {
    /// Create a small project that builds
    #[command(after_help = format!("Example:\n  patchbay plugin new --lang rust --world chatbot order-bot\n  \
        patchbay plugin new --flow appointment my-flow\n\n\
        Languages: rust, ts, js, python, go, c. Worlds: {}.", world_names()))]
    New(NewArguments),
    /// Check flows and list the ready ones: configurations of the built-in plugin `flow`
    #[command(
        subcommand,
        after_help = "Examples:\n  patchbay plugin flow check flow.json\n  patchbay plugin flow list"
    )]
    Flow(FlowCommand),
    /// Build the component of a project
    #[command(
        after_help = "Example:\n  patchbay plugin build order-bot\n\nThe component is build/NAME.wasm in the project."
    )]
    Build {
        /// The project, a folder with a plugin.toml
        #[arg(value_name = "FOLDER", default_value = ".")]
        project: PathBuf,
    },
    /// Show the world, the imports and the faults of a component
    #[command(after_help = "Example:\n  patchbay plugin check target/wasm32-wasip2/release/my_bot.wasm\n\n\
        A project may be named instead: its last build is checked.")]
    Check {
        /// The component, a .wasm file, or a project
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Build a project and run its conversation tests, without a server and on virtual time
    #[command(
        after_help = "Examples:\n  patchbay plugin test\n  patchbay plugin test order-bot --filter \"order status\"\n  \
        patchbay plugin test tests/order.yaml --component build/order-bot.wasm\n  \
        patchbay plugin test order-bot --from-recording 0199f3c2-0000-7000-8000-000000000001\n\n\
        docs/plugin-tests.md says how a test file is written. The exit status is 1 when a test fails."
    )]
    Test(TestArguments),
    /// Talk to a chatbot in the terminal. It reloads after a source is saved
    #[command(
        after_help = "Examples:\n  patchbay plugin run order-bot\n  printf 'hi\\n1\\n' | patchbay plugin run order-bot\n\n\
        In the chat, /help lists what can be typed."
    )]
    Run(RunArguments),
    /// Upload a component. A project is built first
    #[command(
        after_help = "Example:\n  PATCHBAY_URL=https://patchbay.example PATCHBAY_API_KEY=... patchbay plugin push order-bot\n\n\
        Signed with minisign:\n  minisign -Sm build/order-bot.wasm\n  \
        patchbay plugin push build/order-bot.wasm --signature build/order-bot.wasm.minisig\n\
        From an OCI registry, by the digest of the manifest:\n  \
        patchbay plugin push oci://registry.example/team/order-bot@sha256:DIGEST\n\n\
        Without PATCHBAY_URL, the server is http://127.0.0.1:8080. Uploading activates nothing: see activate."
    )]
    Push(PushArguments),
    /// Activate a version: live, as a shadow next to the live one, or as a canary
    #[command(
        after_help = "Examples:\n  patchbay plugin activate order-bot --allow-host api.example.org --config '{\"shop\": 7}'\n  \
        patchbay plugin activate order-bot --version 4 --mode canary --percent 10"
    )]
    Activate(ActivateArguments),
    /// Build, upload and activate after each change, for one number of a running server, and show its conversations
    #[command(after_help = "Examples:\n  patchbay plugin dev order-bot --number 27110000000\n  \
        patchbay plugin dev build/order-bot.wasm --number 27110000000 --config '{\"shop\": 7}'\n\n\
        Use a number for development: the bot answers each of its customers, and its calls are recorded with their texts.\n\
        Ctrl-C ends the session. The last version stays active: see rollback and deactivate.")]
    Dev(Dev),
    /// Give a chat that waits for an agent back to the chatbot, such as that of your phone after a hand-over
    #[command(after_help = "Example:\n  patchbay plugin give-back 27820000003 --number 27110000000\n\n\
        The chatbot gets the event agent-released. The chat of an agent stays with the agent.")]
    GiveBack(GiveBack),
    /// List the plugins at the server with their activations
    #[command(after_help = "Examples:\n  patchbay plugin list\n  patchbay plugin list --json | jq -r '.[].name'")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show versions, activations, configuration, hosts and the recording of a plugin
    #[command(after_help = "Examples:\n  patchbay plugin status order-bot\n  patchbay plugin status order-bot --json")]
    Status {
        /// Name of the plugin
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Call a plugin at the server once, without effects
    #[command(after_help = "Examples:\n  patchbay plugin invoke order-bot hi\n  \
        patchbay plugin invoke order-bot --event '{\"type\": \"timer\", \"name\": \"reminder\"}' --version 4 --json\n\n\
        A sample fills the fields that are left out. The exit status is 1 when the call fails.")]
    Invoke(InvokeArguments),
    /// Return to the activation before, or to a version, and show the change
    #[command(
        after_help = "Examples:\n  patchbay plugin rollback order-bot\n  patchbay plugin rollback order-bot --to 3\n  \
        patchbay plugin rollback order-bot --dry-run\n\n\
        A version returns with the configuration and the hosts that it had."
    )]
    Rollback(Rollback),
    /// Deactivate a plugin
    #[command(after_help = "Example:\n  patchbay plugin deactivate order-bot")]
    Deactivate(PluginScope),
    /// Delete a plugin with all its versions. It must not be active
    #[command(after_help = "Example:\n  patchbay plugin delete order-bot")]
    Delete {
        /// Name of the plugin
        name: String,
    },
    /// Show the calls of a plugin, oldest first: version, outcome, duration, memory, event, participant, consequence, logs
    #[command(
        after_help = "Examples:\n  patchbay plugin logs order-bot --follow\n  patchbay plugin logs order-bot --outcome trapped\n  \
        patchbay plugin logs order-bot --event timer --participant 0199f3c2-0000-7000-8000-000000000001 --json\n\n\
        Outcomes: answered, refused, trapped, timed-out, limit-exceeded, bad-answer.\n\
        Events: message, conversation-started, timer, rating, agent-released, http-finished, custom."
    )]
    Logs(LogsArguments),
    /// The same as logs: calls of a plugin
    #[command(after_help = "Example:\n  patchbay plugin invocations order-bot")]
    Invocations(LogsArguments),
    /// Show the events of a plugin, newest first: uploads, activations, suspensions, ends of canaries and recordings
    #[command(
        after_help = "Examples:\n  patchbay plugin events order-bot\n  patchbay plugin events order-bot --limit 5 --json"
    )]
    Events(HistoryArguments),
    /// Show the calls in which a shadow answered differently from the live version
    #[command(after_help = "Example:\n  patchbay plugin differences order-bot --limit 20")]
    Differences(HistoryArguments),
    /// Show the values that a plugin has stored
    #[command(after_help = "Examples:\n  patchbay plugin kv order-bot\n  \
        patchbay plugin kv order-bot --participant 0199f3c2-0000-7000-8000-000000000001 --json\n\n\
        `patchbay plugin logs` shows the ids of participants.")]
    Kv(KvArguments),
    /// Record calls with all their input, for replays and tests
    #[command(after_help = "Examples:\n  patchbay plugin record order-bot --max-calls 500 --for 1h\n  \
        patchbay plugin record order-bot --stop\n\n\
        Recordings hold personal data of customers. They end by themselves.")]
    Record(RecordArguments),
    /// Compare a stored version with its upload: SHA-256, size, imports, signature
    #[command(
        after_help = "Examples:\n  patchbay plugin verify order-bot\n  patchbay plugin verify order-bot --version 3 --file build/order-bot.wasm\n\n\
        The exit status is 1 when something differs or the signature is not valid."
    )]
    Verify(Verify),
    /// Keep the keys of minisign that may sign uploads
    #[command(
        subcommand,
        after_help = "Examples:\n  patchbay plugin trust add ci minisign.pub\n  patchbay plugin trust require signatures\n  \
        patchbay plugin trust show"
    )]
    Trust(TrustCommand),
    /// Keep the shared secrets of the client, which configurations of plugins name
    #[command(
        subcommand,
        after_help = "Examples:\n  patchbay plugin secret set crm-key --plugin order-bot < crm-key.txt\n  \
        patchbay plugin activate order-bot --config '{\"apiKey\": {\"$secret\": \"crm-key\"}}'\n  \
        patchbay plugin secret list"
    )]
    Secret(SecretCommand),
    /// Write the bindings of the interface for a language
    #[command(after_help = "Examples:\n  patchbay plugin bindings rust --world router --out bindings\n  \
        patchbay plugin bindings csharp\n\n\
        Languages: rust, c, go, ts, js, python; with the program wit-bindgen: cpp, csharp, d, moonbit.")]
    Bindings(Bindings),
    /// Make a component of a core module
    #[command(after_help = "Examples:\n  patchbay plugin wrap module.wasm --out bot.wasm\n  \
        patchbay plugin wrap module.wasm --world chatbot\n\n\
        A module with C bindings describes its world itself.")]
    Wrap(WrapArguments),
    /// Repeat recorded calls with another version or with your own build
    #[command(after_help = "Examples:\n  patchbay plugin replay order-bot --version 4\n  \
        patchbay plugin replay order-bot build/order-bot.wasm --limit 1000\n\n\
        The exit status is 1 when a call gives something else than it did.")]
    Replay {
        /// Name of the plugin whose calls were recorded
        name: String,
        /// A local component for the replay
        #[arg(value_name = "FILE", required_unless_present = "version", conflicts_with = "version")]
        file: Option<PathBuf>,
        /// An uploaded version for the replay, which runs at the server
        #[arg(long)]
        version: Option<u32>,
        /// Maximum number of calls, the latest ones
        #[arg(long, default_value_t = 1_000)]
        limit: u32,
    },
}
