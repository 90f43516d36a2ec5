//! The commands for the data of one person.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// `patchbay person ...`
#[derive(Debug, Subcommand)]
pub enum PersonCommand {
    /// Print all data of a person
    Export(PersonExport),
    /// Erase all data of a person, and print a certificate
    Erase(PersonErase),
    /// Remove the bytes of erased rows from the files of PostgreSQL, of all clients
    Rewrite(PersonRewrite),
    /// Add the erasures that are missing in a file to it, for a restore of an older backup
    #[command(after_help = "Example:\n  patchbay person ledger --file /safe/erasures.jsonl")]
    Ledger(PersonLedger),
}

/// The person: a customer of a client.
#[derive(Debug, Args)]
pub struct GivenPerson {
    /// Client of the person
    #[arg(long, value_name = "REF")]
    pub client: String,
    #[command(flatten)]
    pub address: GivenAddress,
}

/// The address of a person, given in one of two ways.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct GivenAddress {
    /// Phone number of the person
    #[arg(long, value_name = "MSISDN")]
    pub number: Option<String>,
    /// User id (BSUID) of the person
    #[arg(long, value_name = "BSUID")]
    pub user_id: Option<String>,
}

/// `patchbay person export`
#[derive(Debug, Args)]
pub struct PersonExport {
    #[command(flatten)]
    pub person: GivenPerson,
    /// Also write the files of the person into this folder, which is made if needed
    #[arg(long, value_name = "FOLDER")]
    pub files: Option<PathBuf>,
}

/// `patchbay person erase`
#[derive(Debug, Args)]
pub struct PersonErase {
    #[command(flatten)]
    pub person: GivenPerson,
    /// Also erase blocklist entries and opt-outs. The person can then be written to again
    #[arg(long)]
    pub with_stops: bool,
    /// Tables that are then rewritten, so that no erased byte stays in their files
    #[arg(long, value_enum, default_value_t = RewriteScope::Small)]
    pub rewrite: RewriteScope,
}

/// `patchbay person rewrite`
#[derive(Debug, Args)]
pub struct PersonRewrite {
    /// Tables that are rewritten
    #[arg(long, value_enum, default_value_t = RewriteScope::All)]
    pub rewrite: RewriteScope,
}

/// `patchbay person ledger`
#[derive(Debug, Args)]
pub struct PersonLedger {
    /// The file, which is made if it is missing. It holds no address of a person
    #[arg(long, value_name = "FILE")]
    pub file: PathBuf,
}

/// The tables that are rewritten after an erasure. Nothing else can use a table while it is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RewriteScope {
    /// None, and the write-ahead log stays as it is
    None,
    /// Tables and partitions of at most 256 MiB
    Small,
    /// All
    All,
}
