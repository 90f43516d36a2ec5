//! `patchbay operator add|list|remove`: the keys of operators (ADR 0068).

use base::audit::Administration;
use clap::{Args, Subcommand};
use operators::keys::{self, OperatorRecord};
use serde_json::{Value, json};

use super::lists::time;

/// `patchbay operator ...`
#[derive(Debug, Subcommand)]
pub enum OperatorCommand {
    /// Make a key for an operator, and print it once
    Add(OperatorName),
    /// List all keys with their last use, also removed ones
    List,
    /// Remove the key of an operator
    Remove(OperatorName),
}

/// The operator that a command names.
#[derive(Debug, Args)]
pub struct OperatorName {
    /// Name of the operator
    #[arg(long)]
    pub name: String,
}

pub(super) async fn run(admin: &Administration<'_>, command: OperatorCommand) -> anyhow::Result<Value> {
    match command {
        OperatorCommand::Add(OperatorName { name }) => {
            let key = keys::add(admin, &name).await?;
            Ok(json!({ "name": name, "key": key.expose() }))
        }
        OperatorCommand::List => {
            let all = keys::list(admin.db).await?;
            Ok(json!({ "operators": all.iter().map(shown).collect::<Vec<_>>() }))
        }
        OperatorCommand::Remove(OperatorName { name }) => {
            keys::remove(admin, &name).await?;
            Ok(json!({ "name": name }))
        }
    }
}

fn shown(record: &OperatorRecord) -> Value {
    json!({
        "name": record.name,
        "createdTime": time(record.created_at),
        "usedTime": time(record.used_at),
        "removedTime": time(record.removed_at),
    })
}
