//! The commands about what clients are reached at: numbers and pages (CONTRACT 3).

use clap::{Args, Subcommand, ValueEnum};

use crate::config::Secret;

/// `patchbay number ...`
#[derive(Debug, Subcommand)]
pub enum NumberCommand {
    /// Connect a WhatsApp number
    Add(NumberAdd),
    /// Give a number of WhatsApp Cloud another access token: for when Meta takes the one that it has no longer
    RenewToken(NumberRenewToken),
    /// Say how fast a number of WhatsApp Cloud sends
    SetRate(NumberSetRate),
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
    pub provider: Provider,
    /// Meta's id of the number
    #[arg(long, value_name = "ID")]
    pub phone_number_id: Option<String>,
    /// Meta's id of the WhatsApp Business account
    #[arg(long, value_name = "ID")]
    pub waba_id: Option<String>,
    /// Access token of the account; others on this machine can read it in the list of processes
    #[arg(long, value_name = "TOKEN", conflicts_with = "access_token_stdin")]
    pub access_token: Option<Secret>,
    /// Read the access token from standard input, to the end of the first line
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
    /// How its account is opened
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
    /// Messages per second, 1 to 1000; without it `limits.cloud_rate_per_number` counts
    #[arg(long, value_name = "N")]
    pub per_second: Option<u16>,
}

/// How a WhatsApp number is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Provider {
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
    /// Give a page another access token: for when Meta takes the one that it has no longer
    RenewToken(PageRenewToken),
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
    /// How the page is opened
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
    /// How the page is opened
    #[command(flatten)]
    pub token: GivenToken,
}

/// An access token, in the one way or the other.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct GivenToken {
    /// The access token; others on this machine can read it in the list of processes
    #[arg(long, value_name = "TOKEN")]
    pub access_token: Option<Secret>,
    /// Read the access token from standard input, to the end of the first line
    #[arg(long)]
    pub access_token_stdin: bool,
}
