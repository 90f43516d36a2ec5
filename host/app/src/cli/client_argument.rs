use clap::Args;

/// The client of a list.
#[derive(Debug, Args)]
pub struct ClientArgument {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
}
