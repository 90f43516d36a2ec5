//! The commands for SMS: senders of e-mail to SMS, source addresses, credits and opt-outs.

use clap::{Args, Subcommand};

use super::ClientArgument;

/// `patchbay sender ...`
#[derive(Debug, Subcommand)]
pub enum SenderCommand {
    /// Register an address, which enables e-mail to SMS for the client
    Add(SenderAdd),
    /// Remove an address
    Remove(SenderRemove),
    /// List the addresses, each with the user whose password its mails use
    List(ClientArgument),
}

/// `patchbay sender add`
#[derive(Debug, Args)]
pub struct SenderAdd {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// Address that sends the mails. It belongs to one client only
    #[arg(long, value_name = "ADDRESS")]
    pub email: String,
    /// User whose password is the subject of the mails. Default: the client's first ADMIN
    #[arg(long, value_name = "EMAIL")]
    pub user: Option<String>,
}

/// `patchbay sender remove`
#[derive(Debug, Args)]
pub struct SenderRemove {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The address
    #[arg(long, value_name = "ADDRESS")]
    pub email: String,
}

/// `patchbay sms-source ...`
#[derive(Debug, Subcommand)]
pub enum SmsSourceCommand {
    /// Add an address, in addition to sms.default_source
    Add(SmsSourceAdd),
    /// Remove an address. Messages accepted before still use it
    Remove(SmsSourceRemove),
    /// List the addresses
    List(ClientArgument),
}

/// `patchbay sms-source add`
#[derive(Debug, Args)]
pub struct SmsSourceAdd {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// A number of 3 to 15 digits, or at most 11 letters, digits, spaces and characters of `._-&`
    #[arg(long, value_name = "ADDRESS")]
    pub address: String,
}

/// `patchbay sms-source remove`
#[derive(Debug, Args)]
pub struct SmsSourceRemove {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The address
    #[arg(long, value_name = "ADDRESS")]
    pub address: String,
}

/// `patchbay credits ...`
#[derive(Debug, Subcommand)]
pub enum CreditsCommand {
    /// Add SMS credits, and print the balance
    Add(CreditsAdd),
    /// Set the price of a segment to a country. The default is 1
    Price(CreditsPrice),
}

/// `patchbay credits add`
#[derive(Debug, Args)]
pub struct CreditsAdd {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// Number of credits
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub amount: i64,
}

/// `patchbay credits price`
#[derive(Debug, Args)]
pub struct CreditsPrice {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// First digits of the numbers, such as 44
    #[arg(long, value_name = "DIGITS")]
    pub prefix: String,
    /// Credits for one segment
    #[arg(long, value_name = "N")]
    pub credits: i32,
}

/// `patchbay opt-out ...`
#[derive(Debug, Subcommand)]
pub enum OptOutCommand {
    /// Remove the opt-out of a number from a client's SMS
    Remove(OptOutRemove),
}

/// `patchbay opt-out remove`
#[derive(Debug, Args)]
pub struct OptOutRemove {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The subscriber, in digits
    #[arg(long, value_name = "MSISDN")]
    pub number: String,
}
