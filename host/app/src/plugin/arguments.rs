//! The arguments of `patchbay plugin ...`.

use std::path::PathBuf;

use author::{Lang, build::BindingsLang};
use clap::{Args, Subcommand};
use plugin_host::World;

/// `patchbay plugin new`
#[derive(Debug, Args)]
pub struct NewArguments {
    /// Language: rust, ts, js, python, go or c
    #[arg(long, required_unless_present = "flow")]
    pub lang: Option<Lang>,
    #[arg(long, default_value = "chatbot", value_parser = world, help = format!("World: {}", world_names()))]
    pub world: World,
    /// Copy a ready flow instead: see `patchbay plugin flow list`
    #[arg(long, value_name = "FLOW", conflicts_with_all = ["lang", "world"])]
    pub flow: Option<String>,
    /// Folder to create. Its last part is the name of the plugin
    #[arg(value_name = "NAME")]
    pub folder: PathBuf,
}

/// `patchbay plugin flow ...`
#[derive(Debug, Subcommand)]
pub enum FlowCommand {
    /// Name the faults of a flow: dead ends, unreachable nodes, loops, missing translations, texts that are too long
    #[command(
        after_help = "Example:\n  patchbay plugin flow check flow.json\n\nThe exit status is 1 when there is a fault."
    )]
    Check {
        /// The flow, a JSON file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the ready flows
    #[command(after_help = "Example:\n  patchbay plugin flow list\n  patchbay plugin new --flow appointment my-flow")]
    List,
}

/// The names of all worlds, with commas.
pub(super) fn world_names() -> String {
    World::ALL.map(World::as_str).join(", ")
}

fn world(text: &str) -> Result<World, String> {
    let known = world_names();
    let found = World::ALL.into_iter().find(|world| world.as_str() == text);
    found.ok_or_else(|| format!("`{text}` is not a world; there are: {known}"))
}

/// `patchbay plugin test`
#[derive(Debug, Args)]
pub struct TestArguments {
    /// A project, or test files and folders
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,
    /// Test this component instead of building the project
    #[arg(long, value_name = "FILE")]
    pub component: Option<PathBuf>,
    /// Only tests whose name contains this text
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Test the last build
    #[arg(long, conflicts_with = "component")]
    pub no_build: bool,
    /// Make a test file from the recorded calls of a participant instead: the id of a recorded call or of a participant
    #[arg(long, value_name = "ID", conflicts_with_all = ["component", "filter", "no_build"])]
    pub from_recording: Option<String>,
    /// With --from-recording: name of the plugin. Default: that of the project
    #[arg(long, requires = "from_recording")]
    pub name: Option<String>,
}

/// `patchbay plugin run`
#[derive(Debug, Args)]
pub struct RunArguments {
    /// The project, or a .wasm file
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Configuration: JSON, or a file with it
    #[arg(long, value_name = "JSON|FILE")]
    pub config: Option<PathBuf>,
    /// A host that it may reach, as at activation. Default: all hosts
    #[arg(long = "allow-host", value_name = "HOST")]
    pub allow_host: Vec<String>,
    /// Run the last build. It reloads when the component changes
    #[arg(long)]
    pub no_build: bool,
}

/// `patchbay plugin push`
#[derive(Debug, Args)]
pub struct PushArguments {
    /// The project, a .wasm file, or oci://REGISTRY/REPOSITORY@sha256:DIGEST
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Name of the upload. Default: that of the project, file or repository
    #[arg(long)]
    pub name: Option<String>,
    /// Upload the last build, such as the one that was just tested
    #[arg(long)]
    pub no_build: bool,
    /// The signature over the component: the file that `minisign -S` writes. It is of the last build, which is uploaded
    #[arg(long, value_name = "FILE")]
    pub signature: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `patchbay plugin trust ...`
#[derive(Debug, Subcommand)]
pub enum TrustCommand {
    /// Show the keys, and whether uploads must be signed
    #[command(after_help = "Example:\n  patchbay plugin trust show")]
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Add a public key of minisign
    #[command(after_help = "Examples:\n  patchbay plugin trust add ci minisign.pub\n  \
        patchbay plugin trust add ci RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3")]
    Add {
        /// Name of the key
        name: String,
        /// The public key file, or its second line
        #[arg(value_name = "FILE|KEY")]
        key: String,
    },
    /// Remove a key. Versions that it signed stay usable
    #[command(after_help = "Example:\n  patchbay plugin trust remove ci")]
    Remove {
        /// Name of the key
        name: String,
    },
    /// Set whether uploads must be signed
    #[command(
        after_help = "Examples:\n  patchbay plugin trust require signatures\n  patchbay plugin trust require nothing"
    )]
    Require {
        /// signatures or nothing
        #[arg(value_parser = ["signatures", "nothing"])]
        what: String,
    },
}

/// `patchbay plugin secret ...`
#[derive(Debug, Subcommand)]
pub enum SecretCommand {
    /// Make a secret, or replace its value or its plugins. The value is read from standard input
    #[command(after_help = "Examples:\n  patchbay plugin secret set crm-key --plugin order-bot < crm-key.txt\n  \
        patchbay plugin secret set crm-key < new-key.txt\n  \
        patchbay plugin secret set crm-key --plugin order-bot --plugin crm-shaper --keep-value\n\n\
        One end of line at the end of the input is left out. A new value counts from the next call on.")]
    Set(SetSecret),
    /// List the secrets, their plugins and the activations that use them. Values are never shown
    #[command(after_help = "Example:\n  patchbay plugin secret list")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a secret that no activation uses
    #[command(after_help = "Example:\n  patchbay plugin secret remove crm-key")]
    Remove {
        /// Name of the secret
        name: String,
    },
}

/// `patchbay plugin secret set`
#[derive(Debug, Args)]
pub struct SetSecret {
    /// Name of the secret
    pub name: String,
    /// A plugin that may use it. It replaces the present ones. Default: the present ones stay
    #[arg(long = "plugin", value_name = "PLUGIN")]
    pub plugins: Vec<String>,
    /// All plugins may use it
    #[arg(long, conflicts_with = "plugins")]
    pub all_plugins: bool,
    /// Keep the present value, and read none
    #[arg(long)]
    pub keep_value: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `patchbay plugin activate`
#[derive(Debug, Args)]
pub struct ActivateArguments {
    /// Name of the plugin
    pub name: String,
    /// The version. Default: the newest
    #[arg(long)]
    pub version: Option<u32>,
    /// Only for this WhatsApp number
    #[arg(long, value_name = "NUMBER")]
    pub number: Option<String>,
    /// live, shadow or canary
    #[arg(long, default_value = "live", value_parser = ["live", "shadow", "canary"])]
    pub mode: String,
    /// Share of the participants for a canary, in percent. Default: that of the running canary, else 10
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub percent: Option<u8>,
    /// Configuration: JSON, or a file with it. Default: that of the active version
    #[arg(long, value_name = "JSON|FILE")]
    pub config: Option<PathBuf>,
    /// A host that it may reach: api.example.org, *.example.org or host:port
    #[arg(long = "allow-host", value_name = "HOST")]
    pub allow_host: Vec<String>,
    /// Longest wait for an HTTP response, in milliseconds
    #[arg(long, value_name = "MS")]
    pub http_timeout_ms: Option<u32>,
    /// Largest HTTP response, in bytes
    #[arg(long, value_name = "BYTES")]
    pub http_response_bytes: Option<u64>,
    /// HTTP requests of one call
    #[arg(long, value_name = "COUNT")]
    pub http_requests: Option<u32>,
    /// Percentage of failed calls after which a canary is withdrawn. Default: that of the running canary, else 10
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub error_threshold: Option<u8>,
    /// Calls of a canary before it is judged. Default: that of the running canary, else 20
    #[arg(long)]
    pub minimum_calls: Option<u32>,
    /// Run all checks, show the result, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A plugin and its scope.
#[derive(Debug, Args)]
pub struct PluginScope {
    /// Name of the plugin
    pub name: String,
    /// Only for this WhatsApp number
    #[arg(long, value_name = "NUMBER")]
    pub number: Option<String>,
}

/// `patchbay plugin rollback`
#[derive(Debug, Args)]
pub struct Rollback {
    #[command(flatten)]
    pub place: PluginScope,
    /// Return to this version. Default: the activation before
    #[arg(long, value_name = "VERSION")]
    pub to: Option<u32>,
    /// Show the change, and make none
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `patchbay plugin dev`
#[derive(Debug, Args)]
pub struct Dev {
    /// The project, or a .wasm file
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// The WhatsApp number for development
    #[arg(long, value_name = "NUMBER")]
    pub number: String,
    /// Name of the upload. Default: that of the project or file
    #[arg(long)]
    pub name: Option<String>,
    /// Configuration: JSON, or a file with it. Default: that of the active version
    #[arg(long, value_name = "JSON|FILE")]
    pub config: Option<PathBuf>,
    /// A host that it may reach: api.example.org, *.example.org or host:port
    #[arg(long = "allow-host", value_name = "HOST")]
    pub allow_host: Vec<String>,
}

/// `patchbay plugin give-back`
#[derive(Debug, Args)]
pub struct GiveBack {
    /// The customer: a phone number in international format, or a user id
    #[arg(value_name = "PHONE")]
    pub customer: String,
    /// The WhatsApp number to which the customer writes
    #[arg(long, value_name = "NUMBER")]
    pub number: String,
}

/// `patchbay plugin invoke`
#[derive(Debug, Args)]
pub struct InvokeArguments {
    /// Name of the plugin
    pub name: String,
    /// A text of the customer
    #[arg(value_name = "TEXT", conflicts_with = "event")]
    pub text: Option<String>,
    /// The event: JSON, or a file with it. Default: a sample
    #[arg(long, value_name = "JSON|FILE")]
    pub event: Option<PathBuf>,
    /// For a chatbot, the conversation: JSON, or a file with it. Default: a sample
    #[arg(long, value_name = "JSON|FILE")]
    pub session: Option<PathBuf>,
    /// Configuration: JSON, or a file with it. Default: that of the live version
    #[arg(long, value_name = "JSON|FILE")]
    pub config: Option<PathBuf>,
    /// The version. Default: the newest
    #[arg(long)]
    pub version: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `patchbay plugin logs`
#[derive(Debug, Args)]
pub struct LogsArguments {
    /// Name of the plugin
    pub name: String,
    /// Show new calls until Ctrl-C
    #[arg(long, short)]
    pub follow: bool,
    /// Only calls with this outcome
    #[arg(long)]
    pub outcome: Option<String>,
    /// Only calls for this event
    #[arg(long)]
    pub event: Option<String>,
    /// Only calls about this participant, message or delivery
    #[arg(long, value_name = "ID")]
    pub participant: Option<String>,
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
}

/// `patchbay plugin events`, `patchbay plugin differences`, and part of `patchbay plugin kv`
#[derive(Debug, Args)]
pub struct HistoryArguments {
    /// Name of the plugin
    pub name: String,
    /// Maximum number: of a history, the latest ones
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `patchbay plugin kv`
#[derive(Debug, Args)]
pub struct KvArguments {
    #[command(flatten)]
    pub of: HistoryArguments,
    /// The values of this participant. Default: those that all participants share
    #[arg(long, value_name = "ID")]
    pub participant: Option<String>,
}

/// `patchbay plugin record`
#[derive(Debug, Args)]
pub struct RecordArguments {
    #[command(flatten)]
    pub place: PluginScope,
    /// The activation to record: live, shadow or canary
    #[arg(long, default_value = "live", value_parser = ["live", "shadow", "canary"])]
    pub mode: String,
    /// Share of the calls, above 0 and up to 1
    #[arg(long, default_value_t = 1.0)]
    pub sample: f64,
    /// Number of calls after which it ends
    #[arg(long)]
    pub max_calls: Option<u32>,
    /// Number of bytes after which it ends
    #[arg(long)]
    pub max_bytes: Option<u64>,
    /// Time after which it ends, such as 30m, 1h or 2d. Default: a day
    #[arg(long = "for", value_name = "TIME", value_parser = seconds)]
    pub seconds: Option<u64>,
    /// End the recording. Recorded calls stay
    #[arg(long, conflicts_with_all = ["mode", "sample", "max_calls", "max_bytes", "seconds", "json"])]
    pub stop: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

fn seconds(text: &str) -> Result<u64, String> {
    let span = author::span(text).and_then(|span| u64::try_from(span.num_seconds()).ok());
    span.ok_or_else(|| format!("`{text}` is not a duration; write one such as 30m, 1h30m or 2d"))
}

/// `patchbay plugin verify`
#[derive(Debug, Args)]
pub struct Verify {
    /// Name of the plugin
    pub name: String,
    /// The version. Default: the newest
    #[arg(long)]
    pub version: Option<u32>,
    /// A local component that must have the same bytes
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `patchbay plugin bindings`
#[derive(Debug, Args)]
pub struct Bindings {
    /// The language
    pub lang: BindingsLang,
    #[arg(long, default_value = "chatbot", value_parser = world, help = format!("World: {}", world_names()))]
    pub world: World,
    /// Add the export validation: the plugin judges its configurations
    #[arg(long)]
    pub validates: bool,
    /// Folder for the bindings and the interface
    #[arg(long, value_name = "FOLDER", default_value = "bindings")]
    pub out: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `patchbay plugin wrap`
#[derive(Debug, Args)]
pub struct WrapArguments {
    /// The core module
    #[arg(value_name = "MODULE")]
    pub module: PathBuf,
    /// The component to write. Default: MODULE with the ending .component.wasm
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The world of a module that does not describe it
    #[arg(long, value_parser = world)]
    pub world: Option<World>,
}
