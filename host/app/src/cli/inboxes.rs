//! The commands for inboxes: numbers and pages (CONTRACT 3).

use clap::{Args, Subcommand, ValueEnum};

use super::ClientArgument;
use settings::Secret;

/// `patchbay number ...`
#[derive(Debug, Subcommand)]
pub enum NumberCommand {
    /// Connect a WhatsApp number
    Add(NumberAdd),
    /// Replace the access token of a WhatsApp Cloud number after Meta no longer accepts the old one
    RenewToken(NumberRenewToken),
    /// Set the send rate of a WhatsApp Cloud number
    SetRate(NumberSetRate),
    /// List the numbers with their ids
    List(ClientArgument),
}

/// `patchbay number add`
#[derive(Debug, Args)]
pub struct NumberAdd {
    /// Client that sends from the number
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The number in international form
    #[arg(long, value_name = "MSISDN")]
    pub number: String,
    /// How the number is connected
    #[arg(long)]
    pub provider: NumberProvider,
    /// Meta's id of the number
    #[arg(long, value_name = "ID")]
    pub phone_number_id: Option<String>,
    /// Meta's id of the WhatsApp Business account
    #[arg(long, value_name = "ID")]
    pub waba_id: Option<String>,
    /// Access token of the account. Other users of this machine can read it in the process list
    #[arg(long, value_name = "TOKEN", conflicts_with = "access_token_stdin")]
    pub access_token: Option<Secret>,
    /// Read the access token from the first line of standard input
    #[arg(long)]
    pub access_token_stdin: bool,
}

/// `patchbay number renew-token`
#[derive(Debug, Args)]
pub struct NumberRenewToken {
    /// Client that sends from the number
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The number in international form
    #[arg(long, value_name = "MSISDN")]
    pub number: String,
    /// Access token of its account
    #[command(flatten)]
    pub token: GivenToken,
}

/// `patchbay number set-rate`
#[derive(Debug, Args)]
pub struct NumberSetRate {
    /// Client that sends from the number
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The number in international form
    #[arg(long, value_name = "MSISDN")]
    pub number: String,
    /// Messages per second, 1 to 1000. Default: `limits.cloud_rate_per_number`
    #[arg(long, value_name = "N")]
    pub per_second: Option<u16>,
}

/// The connection of a WhatsApp number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NumberProvider {
    /// Meta's Cloud API
    #[value(name = "WHATSAPP_CLOUD")]
    WhatsappCloud,
    /// A paired device
    #[value(name = "WHATSAPP_LITE")]
    WhatsappLite,
}

/// `patchbay page ...`
#[derive(Debug, Subcommand)]
pub enum PageCommand {
    /// Connect a Facebook page, whose customers write over Messenger
    Add(PageAdd),
    /// Replace the access token of a page after Meta no longer accepts the old one
    RenewToken(PageRenewToken),
    /// List the pages with their ids
    List(ClientArgument),
}

/// `patchbay page add`
#[derive(Debug, Args)]
pub struct PageAdd {
    /// Client that answers for the page
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// Meta's id of the page
    #[arg(long, value_name = "ID")]
    pub page_id: String,
    /// Access token of the page
    #[command(flatten)]
    pub token: GivenToken,
}

/// `patchbay page renew-token`
#[derive(Debug, Args)]
pub struct PageRenewToken {
    /// Client that answers for the page
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// Meta's id of the page
    #[arg(long, value_name = "ID")]
    pub page_id: String,
    /// Access token of the page
    #[command(flatten)]
    pub token: GivenToken,
}

/// An access token, given in one of two ways.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct GivenToken {
    /// The access token. Other users of this machine can read it in the process list
    #[arg(long, value_name = "TOKEN")]
    pub access_token: Option<Secret>,
    /// Read the access token from the first line of standard input
    #[arg(long)]
    pub access_token_stdin: bool,
}
