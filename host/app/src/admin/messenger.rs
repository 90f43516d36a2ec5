//! `patchbay page`: connects Facebook pages, whose customers write over Messenger, and lists them (CONTRACT 3).

use base::audit::{Actor, Administration};
use clap::{Args, Subcommand};
use domain::channel::Channel;
use serde_json::{Value, json};
use settings::Settings;
use storage::Db;
use tenancy::{
    disabling::DisableTarget,
    inboxes::{self, NewPage, NewToken},
};

use super::{disabling, lists, secrets};
use crate::{
    cli::{client_argument::ClientArgument, given_token::GivenToken},
    process_base::Base,
    simulated_numbers,
};

/// `patchbay page ...`
#[derive(Debug, Subcommand)]
pub enum PageCommand {
    /// Connect a Facebook page, whose customers write over Messenger
    Add(PageAdd),
    /// Replace the access token of a page after Meta no longer accepts the old one
    RenewToken(PageRenewToken),
    /// List the pages with their ids
    List(ClientArgument),
    /// Disable a page: its messages wait. Its callbacks are still stored
    Disable(PageArgument),
    /// Enable a disabled or removed page
    Enable(PageArgument),
    /// Disable a page and free it for another client. Its messages and chats stay
    Remove(PageArgument),
}

/// A page of a client.
#[derive(Debug, Args)]
pub struct PageArgument {
    /// Client that answers for the page
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// Meta's id of the page
    #[arg(long, value_name = "ID")]
    pub page_id: String,
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

pub(super) async fn run(config: &Settings, base: &Base, command: PageCommand) -> anyhow::Result<Value> {
    match command {
        PageCommand::Add(add) => self::add(config, base, add).await,
        PageCommand::RenewToken(renew) => renew_token(&base.administration(), renew).await,
        PageCommand::List(list) => self::list(&base.db, &list.client).await,
        PageCommand::Disable(given) => set_enabled(base, given, false).await,
        PageCommand::Enable(given) => set_enabled(base, given, true).await,
        PageCommand::Remove(given) => {
            disabling::remove_inbox(base, &given.client, Channel::Facebook, &given.page_id).await
        }
    }
}

async fn set_enabled(base: &Base, given: PageArgument, enabled: bool) -> anyhow::Result<Value> {
    disabling::set(base, &given.client, DisableTarget::Inbox(Channel::Facebook, &given.page_id), enabled).await
}

async fn add(config: &Settings, base: &Base, add: PageAdd) -> anyhow::Result<Value> {
    let access_token = secrets::token(add.token)?.expose().to_owned();
    let new = NewPage { client_ref: add.client, page_id: add.page_id, access_token, app_secret: None };
    let page = inboxes::add_page(&base.administration(), new, Actor::Operator).await?;
    if config.simulator_on()
        && let Err(error) = simulated_numbers::register(&page, config.simulator.listen).await
    {
        tracing::debug!(
            "the page could not be announced to the simulator, which reads it at its next start: {error:#}"
        );
    }
    Ok(json!({ "id": page.id, "pageId": page.address() }))
}

async fn renew_token(admin: &Administration<'_>, renew: PageRenewToken) -> anyhow::Result<Value> {
    let new = NewToken {
        client_ref: renew.client,
        channel: Channel::Facebook,
        address: renew.page_id,
        access_token: secrets::token(renew.token)?.expose().to_owned(),
    };
    let page = inboxes::renew_token(admin, new, Actor::Operator).await?;
    Ok(json!({ "id": page.id, "pageId": page.address() }))
}

async fn list(db: &Db, client_ref: &str) -> anyhow::Result<Value> {
    let found = lists::all_inboxes(db, client_ref, Channel::Facebook).await?;
    let shown = found
        .iter()
        .map(|(page, disabled_at)| json!({ "id": page.id, "pageId": page.address(), "disabledTime": lists::time(*disabled_at) }));
    Ok(json!({ "clientRef": client_ref, "pages": shown.collect::<Vec<_>>() }))
}
