//! `disable` and `enable` of clients and their objects, and `client remove`.

use anyhow::bail;
use base::{audit::Actor, media_store};
use domain::{channel::Channel, clock::Clock, ids::MediaId};
use serde_json::{Value, json};
use settings::Settings;
use tenancy::{
    client_removal,
    disabling::{self, DisableTarget},
};

use super::lists::with_field;
use crate::{cli::accounts::ClientRemove, media, process_base::Base};

/// Prints the number of lanes that are still worked on: 0 means that nothing leaves any more.
pub(super) async fn set(
    base: &Base,
    client_ref: &str,
    what: DisableTarget<'_>,
    enabled: bool,
) -> anyhow::Result<Value> {
    let working = disabling::set_enabled(&base.administration(), client_ref, what, enabled, Actor::Operator).await?;
    let kind = match what {
        DisableTarget::Client => "client",
        DisableTarget::User(_) => "user",
        DisableTarget::Key(_) => "key",
        DisableTarget::Inbox(channel, _) => channel.as_str(),
        DisableTarget::Site(_) => "site",
        DisableTarget::Sender(_) => "sender",
    };
    let name = what.name(client_ref);
    let shown = json!({ "clientRef": client_ref, "kind": kind, "name": name, "enabled": enabled });
    if let (DisableTarget::Client | DisableTarget::Inbox(..), false) = (what, enabled) {
        return Ok(with_field(shown, "lanesAtWork", json!(working)));
    }
    Ok(shown)
}

pub(super) async fn remove_inbox(
    base: &Base,
    client_ref: &str,
    channel: Channel,
    address: &str,
) -> anyhow::Result<Value> {
    let admin = base.administration();
    let working = disabling::remove_inbox(&admin, client_ref, channel, address, Actor::Operator).await?;
    Ok(json!({ "clientRef": client_ref, "kind": channel.as_str(), "name": address, "lanesAtWork": working }))
}

pub(super) async fn remove(config: &Settings, base: &Base, remove: ClientRemove) -> anyhow::Result<Value> {
    if !remove.yes {
        let erased = client_removal::describe(&base.db, &remove.client).await?;
        bail!("this erases {erased}. Add --yes to erase it");
    }
    let location = media::location(config, MediaId(base.ids.mint(base.clock.now())))?;
    let store = media_store(&location, &base.db, &config.media_folder());
    let admin = base.administration();
    let removed = client_removal::remove(&admin, store.as_ref(), &remove.client, remove.force, Actor::Operator).await?;
    Ok(json!({ "clientRef": remove.client, "files": removed.files, "rows": removed.rows }))
}
