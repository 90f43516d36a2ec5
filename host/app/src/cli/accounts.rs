//! The commands for clients, their users and keys (CONTRACT 3).

use clap::{ArgAction, Args, Subcommand};

use super::client_argument::ClientArgument;
use settings::Secret;

/// `patchbay client ...`
#[derive(Debug, Subcommand)]
pub enum ClientCommand {
    /// Create a client with its first ADMIN user, and print the user's API key
    Create(ClientCreate),
    /// List a client with its descendants, or all clients
    List(ClientList),
    /// Change a setting of a client
    #[command(after_help = CLIENT_SET_EXAMPLE)]
    Set(ClientSet),
    /// Disable a client: its keys and logins are refused and nothing leaves. Input of providers is still stored
    Disable(ClientArgument),
    /// Enable a disabled client. Its waiting work goes on
    Enable(ClientArgument),
    /// Erase a client with all its data. Without --yes it only says what that is
    Remove(ClientRemove),
}

const CLIENT_SET_EXAMPLE: &str = "Example:
  patchbay client set --client acme --at-most-once true";

/// `patchbay client set`
#[derive(Debug, Args)]
pub struct ClientSet {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// true: a message whose outcome is unknown is not sent again. It fails with 900409, and may be lost
    #[arg(long, value_name = "BOOL", action = ArgAction::Set)]
    pub at_most_once: bool,
}

/// `patchbay client remove`
#[derive(Debug, Args)]
pub struct ClientRemove {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// Erase it
    #[arg(long)]
    pub yes: bool,
    /// Erase it also if messages, webhooks or input of providers wait
    #[arg(long)]
    pub force: bool,
}

/// `patchbay client list`
#[derive(Debug, Args)]
pub struct ClientList {
    /// The client. Default: all clients
    #[arg(long, value_name = "REF")]
    pub client: Option<String>,
}

/// `patchbay client create`
#[derive(Debug, Args)]
pub struct ClientCreate {
    /// Short name that identifies the client in requests
    #[arg(long = "ref", value_name = "REF")]
    pub client_ref: String,
    /// Display name
    #[arg(long)]
    pub name: String,
    /// E-mail address of the first user
    #[arg(long)]
    pub email: String,
    /// Password of the first user
    #[command(flatten)]
    pub password: GivenPassword,
    /// Client that this one belongs to
    #[arg(long, value_name = "REF")]
    pub parent: Option<String>,
}

/// A password, given in one of two ways.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct GivenPassword {
    /// Password. Other users of this machine can read it in the process list, so prefer --password-stdin
    #[arg(long)]
    pub password: Option<Secret>,
    /// Read the password from the first line of standard input
    #[arg(long)]
    pub password_stdin: bool,
}

/// `patchbay user ...`
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Create a user, and print the API key
    Create(UserCreate),
    /// List the users with their roles
    List(ClientArgument),
    /// Disable a user: its API key and logins are refused
    Disable(UserArgument),
    /// Enable a disabled user
    Enable(UserArgument),
    /// Remove a user. Its API key ends at once
    Remove(UserArgument),
}

/// A user of a client.
#[derive(Debug, Args)]
pub struct UserArgument {
    /// Client of the user
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// E-mail address of the user
    #[arg(long)]
    pub email: String,
}

/// `patchbay user create`
#[derive(Debug, Args)]
pub struct UserCreate {
    /// Client that the user belongs to
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// E-mail address, unique within the client
    #[arg(long)]
    pub email: String,
    /// Password of the user
    #[command(flatten)]
    pub password: GivenPassword,
    /// Display name
    #[arg(long)]
    pub name: String,
    /// ADMIN, SUPERVISOR, AGENT, DEVELOPER or API
    #[arg(long)]
    pub role: String,
    /// Team of an agent
    #[arg(long)]
    pub team: Option<String>,
}

/// `patchbay key ...`
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// List the users that have an API key, without the keys
    List(ClientArgument),
    /// Disable the API key of a user, who may still log in and replace it
    Disable(UserArgument),
    /// Enable a disabled API key
    Enable(UserArgument),
    /// Remove the API key of a user, who gets a new one with the next login
    Remove(UserArgument),
}
