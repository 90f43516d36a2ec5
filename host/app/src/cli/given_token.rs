use clap::Args;
use settings::Secret;

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
