//! `patchbay callback`: items of providers' callbacks that were given up.

use base::audit::{Actor, Administration};
use clap::{Args, Subcommand};
use domain::ids::CallbackId;
use inbound::callbacks::failed_items;
use serde_json::{Value, json};

use super::lists;

/// `patchbay callback ...`
#[derive(Debug, Subcommand)]
pub enum CallbackCommand {
    /// Process items again that were given up after ten attempts, after their cause was repaired
    #[command(after_help = "Examples:\n  patchbay callback retry --client acme\n  \
        patchbay callback retry --client acme --id 0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41\n\n\
        The ids are in GET /messaging-service/WhatsApp/failed-callbacks. An item that could not be read stays there: only its first\n\
        64 KiB are kept.")]
    Retry(CallbackRetry),
}

/// `patchbay callback retry`
#[derive(Debug, Args)]
pub struct CallbackRetry {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// Only the item with this id. Default: all
    #[arg(long, value_name = "ID")]
    pub id: Option<CallbackId>,
}

pub(super) async fn run(admin: &Administration<'_>, command: CallbackCommand) -> anyhow::Result<Value> {
    let CallbackCommand::Retry(CallbackRetry { client: client_ref, id }) = command;
    let client = lists::client(&mut *admin.db.acquire().await?, &client_ref).await?;
    let items = failed_items::take_again(admin, client, id, Actor::Operator).await?;
    Ok(json!({ "clientRef": client_ref, "items": items }))
}
