//! The commands for bots of Telegram (CONTRACT 9).

use clap::{Args, Subcommand};

use super::ClientArgument;
use settings::Secret;

/// `patchbay telegram ...`
#[derive(Debug, Subcommand)]
pub enum TelegramCommand {
    /// Connect a bot. For a bot of the client, this replaces its token and the way of its updates
    Add(TelegramAdd),
    /// List the bots with their ids
    List(ClientArgument),
}

/// `patchbay telegram add`
#[derive(Debug, Args)]
pub struct TelegramAdd {
    /// Client that answers for the bot
    #[arg(long, value_name = "REF")]
    pub client: String,
    #[command(flatten)]
    pub token: GivenBotToken,
    #[command(flatten)]
    pub way: UpdateWay,
}

/// The token of a bot, given in one of two ways.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct GivenBotToken {
    /// The token from @BotFather. Other users of this machine can read it in the process list
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<Secret>,
    /// Read the token from the first line of standard input
    #[arg(long)]
    pub token_stdin: bool,
}

/// How the updates of a bot arrive. Default: a webhook if `server.public_url` is https, otherwise polling.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct UpdateWay {
    /// Telegram posts updates to `server.public_url`. Default if that is https
    #[arg(long)]
    pub webhook: bool,
    /// Patchbay asks for updates, so that no public address is needed
    #[arg(long)]
    pub polling: bool,
}
