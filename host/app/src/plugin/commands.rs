//! The command line of `patchbay plugin` (CONTRACT 8).
//!
//! `--config` of a plugin replaces that of the program, which these commands do not need. clap requires the same type
//! for both.

use std::path::PathBuf;

use author::Lang;
use clap::{Args, Subcommand};
use plugin_host::World;

/// `patchbay plugin ...`
#[derive(Debug, Subcommand)]
pub enum PluginCommand {
    /// Create a small project that builds
    #[command(after_help = "Example:\n  patchbay plugin new --lang rust --world chatbot order-bot\n\n\
        Languages: rust, ts, js, python, go, c. Worlds: chatbot, sms-fallback, webhook-shaper, router, sms-router.")]
    New(New),
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
        patchbay plugin test tests/order.yaml --component build/order-bot.wasm\n\n\
        docs/plugins.md says how a test file is written. The exit status is 1 when a test fails."
    )]
    Test(Test),
    /// Talk to a chatbot in the terminal. It reloads after a source is saved
    #[command(
        after_help = "Examples:\n  patchbay plugin run order-bot\n  printf 'hi\\n1\\n' | patchbay plugin run order-bot\n\n\
        In the chat, /help lists what can be typed."
    )]
    Run(Run),
    /// Upload a component. A project is built first
    #[command(
        after_help = "Example:\n  PATCHBAY_URL=https://patchbay.example PATCHBAY_API_KEY=... patchbay plugin push order-bot\n\n\
        Without PATCHBAY_URL, the server is http://127.0.0.1:8080. Uploading puts nothing in charge: see activate."
    )]
    Push {
        /// The project, or a .wasm file
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
        /// Name of the upload. Default: that of the project or file
        #[arg(long)]
        name: Option<String>,
    },
    /// Activate a version: live, as a shadow next to the live one, or as a canary
    #[command(
        after_help = "Examples:\n  patchbay plugin activate order-bot --allow-host api.example.org --config '{\"shop\": 7}'\n  \
        patchbay plugin activate order-bot --version 4 --mode canary --percent 10"
    )]
    Activate(Activate),
    /// Go back to the version that was active before
    #[command(after_help = "Example:\n  patchbay plugin rollback order-bot")]
    Rollback(Place),
    /// Deactivate a plugin
    #[command(after_help = "Example:\n  patchbay plugin deactivate order-bot")]
    Deactivate(Place),
    /// Show the calls of a plugin: time, version, outcome, duration, log lines
    #[command(
        after_help = "Examples:\n  patchbay plugin logs order-bot --follow\n  patchbay plugin logs order-bot --outcome trapped\n\n\
        Outcomes: answered, refused, trapped, timed-out, limit-exceeded, bad-answer."
    )]
    Logs {
        /// Name of the plugin
        name: String,
        /// Show new calls until Ctrl-C
        #[arg(long, short)]
        follow: bool,
        /// Only calls with this outcome
        #[arg(long)]
        outcome: Option<String>,
    },
    /// The same as logs: calls of a plugin
    #[command(after_help = "Example:\n  patchbay plugin invocations order-bot")]
    Invocations {
        /// Name of the plugin
        name: String,
        /// Only calls with this outcome
        #[arg(long)]
        outcome: Option<String>,
    },
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

/// `patchbay plugin new`
#[derive(Debug, Args)]
pub struct New {
    /// Language: rust, ts, js, python, go or c
    #[arg(long)]
    pub lang: Lang,
    /// World: chatbot, sms-fallback, webhook-shaper, router or sms-router
    #[arg(long, default_value = "chatbot", value_parser = world)]
    pub world: World,
    /// Folder to create. Its last part is the name of the plugin
    #[arg(value_name = "NAME")]
    pub folder: PathBuf,
}

fn world(text: &str) -> Result<World, String> {
    let known = World::ALL.map(World::as_str).join(", ");
    let found = World::ALL.into_iter().find(|world| world.as_str() == text);
    found.ok_or_else(|| format!("`{text}` is not a world; there are: {known}"))
}

/// `patchbay plugin test`
#[derive(Debug, Args)]
pub struct Test {
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
    #[arg(long)]
    pub no_build: bool,
}

/// `patchbay plugin run`
#[derive(Debug, Args)]
pub struct Run {
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

/// `patchbay plugin activate`
#[derive(Debug, Args)]
pub struct Activate {
    /// Name of the plugin
    pub name: String,
    /// The version. Default: the newest
    #[arg(long)]
    pub version: Option<u32>,
    /// Only for this WhatsApp number, by its id
    #[arg(long, value_name = "ID")]
    pub number: Option<String>,
    /// live, shadow or canary
    #[arg(long, default_value = "live", value_parser = ["live", "shadow", "canary"])]
    pub mode: String,
    /// Percentage of conversations for a canary
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub percent: Option<u8>,
    /// Configuration: JSON, or a file with it. Default: that of the active version
    #[arg(long, value_name = "JSON|FILE")]
    pub config: Option<PathBuf>,
    /// A host that it may reach: api.example.org, *.example.org or host:port
    #[arg(long = "allow-host", value_name = "HOST")]
    pub allow_host: Vec<String>,
    /// Percentage of failed calls after which a canary is withdrawn
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub error_threshold: Option<u8>,
    /// Calls of a canary before it is judged
    #[arg(long)]
    pub minimum_calls: Option<u32>,
}

/// A plugin and its scope.
#[derive(Debug, Args)]
pub struct Place {
    /// Name of the plugin
    pub name: String,
    /// Only for this WhatsApp number, by its id
    #[arg(long, value_name = "ID")]
    pub number: Option<String>,
}
