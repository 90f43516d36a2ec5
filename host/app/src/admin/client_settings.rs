//! `patchbay client set` changes settings of a client.

use base::audit::Actor;
use serde_json::{Value, json};
use tenancy::clients::{self, ClientChange, ME};

use super::lists;
use crate::{cli::accounts::ClientSet, process_base::Base};

pub(super) async fn set(base: &Base, setting: &ClientSet) -> anyhow::Result<Value> {
    let client = lists::client(&mut *base.db.acquire().await?, &setting.client).await?;
    let change = ClientChange { at_most_once: Some(setting.at_most_once), ..ClientChange::default() };
    let changed = clients::update(&base.administration(), client, ME, change, Actor::Operator).await?.client;
    Ok(json!({ "clientRef": changed.client_ref, "atMostOnce": changed.at_most_once }))
}
