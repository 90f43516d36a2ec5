use std::io::{IsTerminal as _, Read as _, Write as _};

use anyhow::{Context as _, bail};
use author::server::RemoteServer;

use super::{
    arguments::{SecretCommand, SetSecret},
    output::{print_line, tell},
};

/// More than a secret may have, so that the server names the limit.
const MOST_READ: u64 = 64 * 1024;

pub(super) async fn run(command: SecretCommand) -> anyhow::Result<()> {
    let server = RemoteServer::from_environment()?;
    match command {
        SecretCommand::List { json } => tell(&server.secrets().await?, json),
        SecretCommand::Set(SetSecret { name, plugins, all_plugins, keep_value, json }) => {
            let granted = if all_plugins { vec!["*".to_owned()] } else { plugins };
            let granted = Some(granted).filter(|granted| !granted.is_empty());
            let value = if keep_value { None } else { Some(read_value()?) };
            tell(&server.put_secret(&name, value.as_deref(), granted.as_deref()).await?, json)
        }
        SecretCommand::Remove { name } => {
            server.remove_secret(&name).await?;
            print_line(format_args!("{name} is removed"))
        }
    }
}

/// All of standard input, without the end of its last line.
fn read_value() -> anyhow::Result<String> {
    if std::io::stdin().is_terminal() {
        writeln!(std::io::stderr(), "Type the value, then Enter and Ctrl-D:").context("cannot ask for the value")?;
    }
    let mut value = String::new();
    std::io::stdin().lock().take(MOST_READ).read_to_string(&mut value).context("the value is not a text in UTF-8")?;
    let line = value.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let length = line.map_or(value.len(), str::len);
    value.truncate(length);
    if value.is_empty() {
        bail!("no value on standard input: pipe it in, for example with `< crm-key.txt`");
    }
    Ok(value)
}
