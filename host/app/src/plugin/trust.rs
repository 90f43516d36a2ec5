use std::path::Path;

use anyhow::Context as _;
use author::server::RemoteServer;

use super::{
    arguments::TrustCommand,
    output::{print_line, tell},
};

pub(super) async fn run(command: TrustCommand) -> anyhow::Result<()> {
    let server = RemoteServer::from_environment()?;
    match command {
        TrustCommand::Show { json } => tell(&server.trust().await?, json),
        TrustCommand::Add { name, key } => {
            let added = server.add_key(&name, &public_key(&key)?).await?.value;
            print_line(format_args!("{} may sign uploads: key {}", added.name, added.key_id))
        }
        TrustCommand::Remove { name } => {
            server.remove_key(&name).await?;
            print_line(format_args!("{name} may no longer sign uploads"))
        }
        TrustCommand::Require { what } => tell(&server.set_signed_only(what == "signatures").await?, false),
    }
}

/// The content of a file of this name, otherwise the argument itself.
fn public_key(given: &str) -> anyhow::Result<String> {
    match Path::new(given).is_file() {
        true => std::fs::read_to_string(given).with_context(|| format!("cannot read {given}")),
        false => Ok(given.to_owned()),
    }
}
