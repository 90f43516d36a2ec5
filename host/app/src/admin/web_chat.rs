//! `patchbay site`: adds, lists and removes web sites that show the chat widget.

use base::audit::{Actor, Administration};
use clap::{Args, Subcommand};
use domain::{ids::InboxId, web_chat::SiteForm};
use serde_json::{Value, json};
use settings::Settings;
use storage::{Db, web::sites};
use tenancy::disabling::DisableTarget;

use super::{
    disabling,
    lists::{self, PAGE},
};
use crate::{cli::client_argument::ClientArgument, process_base::Base};

/// `patchbay site ...`
#[derive(Debug, Subcommand)]
pub enum SiteCommand {
    /// Add a site, and print its key and the tag that shows the widget
    Add(SiteAdd),
    /// List the sites with their keys
    List(ClientArgument),
    /// Disable a site: its widget ends at once. Its chats stay
    Disable(SiteArgument),
    /// Enable a disabled site
    Enable(SiteArgument),
    /// Remove a site. Its widget ends at once
    Remove(SiteArgument),
}

/// A site of a client.
#[derive(Debug, Args)]
pub struct SiteArgument {
    /// Client of the site
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// Id of the site, from `patchbay site list`
    #[arg(long)]
    pub id: InboxId,
}

/// `patchbay site add`
#[derive(Debug, Args)]
pub struct SiteAdd {
    /// Client of the site
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// Display name
    #[arg(long)]
    pub name: String,
    /// Origin whose pages may show the widget, such as https://shop.example. May be given several times
    #[arg(long, value_name = "URL", required = true)]
    pub origin: Vec<String>,
}

pub(super) async fn run(config: &Settings, base: &Base, command: SiteCommand) -> anyhow::Result<Value> {
    match command {
        SiteCommand::Add(add) => self::add(config, &base.administration(), add).await,
        SiteCommand::List(list) => self::list(&base.db, &list.client).await,
        SiteCommand::Disable(given) => disabling::set(base, &given.client, DisableTarget::Site(given.id), false).await,
        SiteCommand::Enable(given) => disabling::set(base, &given.client, DisableTarget::Site(given.id), true).await,
        SiteCommand::Remove(remove) => self::remove(&base.administration(), remove).await,
    }
}

async fn add(config: &Settings, admin: &Administration<'_>, add: SiteAdd) -> anyhow::Result<Value> {
    let asked = SiteForm { name: Some(add.name), origins: Some(add.origin), ..SiteForm::default() };
    let site = tenancy::sites::add_of_ref(admin, &add.client, &asked, Actor::Operator).await?;
    let script = api::site_script(&config.public_url(config.server.listen), &site.key);
    Ok(json!({ "id": site.id, "siteKey": site.key, "script": script }))
}

async fn list(db: &Db, client_ref: &str) -> anyhow::Result<Value> {
    let mut db = db.acquire().await?;
    let client = lists::client(&mut db, client_ref).await?;
    let (mut found, mut at) = (Vec::new(), PAGE);
    loop {
        let (page, _) = sites::page(&mut db, client, at).await?;
        if page.is_empty() {
            break;
        }
        found.extend(page);
        at = at.next();
    }
    let disabled = storage::tenancy::disablement::times(&mut db, client).await?;
    let shown = found.into_iter().map(|site| {
        json!({
            "id": site.id,
            "name": site.name,
            "siteKey": site.key,
            "origins": site.origins.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "createdTime": lists::time(site.created_at),
            "disabledTime": lists::time(disabled.of("inbox", &site.id.to_string())),
        })
    });
    Ok(json!({ "clientRef": client_ref, "sites": shown.collect::<Vec<_>>() }))
}

async fn remove(admin: &Administration<'_>, remove: SiteArgument) -> anyhow::Result<Value> {
    let client = lists::client(&mut *admin.db.acquire().await?, &remove.client).await?;
    tenancy::sites::delete(admin, client, remove.id, Actor::Operator).await?;
    Ok(json!({ "clientRef": remove.client, "id": remove.id }))
}
