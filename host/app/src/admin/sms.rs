//! `patchbay credits`, `patchbay sms-source`, `patchbay opt-out` and `patchbay sender`.

use anyhow::anyhow;
use base::audit::{Actor, Administration};
use domain::sms_products::cell;
use serde_json::{Value, json};
use settings::Settings;
use sms::stops;
use tenancy::{
    credits,
    email_senders::{self, NewSender},
    inboxes,
};

use crate::{
    cli::{CreditsCommand, OptOutRemove, SenderCommand, SmsSourceCommand},
    email,
};

pub(super) async fn credits(admin: &Administration<'_>, command: CreditsCommand) -> anyhow::Result<Value> {
    match command {
        CreditsCommand::Add(add) => {
            let balance = credits::add(admin, &add.client, add.amount, Actor::Operator).await?;
            Ok(json!({ "clientRef": add.client, "balance": balance }))
        }
        CreditsCommand::Price(price) => {
            credits::set_price(admin, &price.client, &price.prefix, price.credits, Actor::Operator).await?;
            Ok(json!({ "clientRef": price.client, "prefix": price.prefix, "credits": price.credits }))
        }
    }
}

pub(super) async fn source(admin: &Administration<'_>, command: SmsSourceCommand) -> anyhow::Result<Value> {
    match command {
        SmsSourceCommand::Add(add) => {
            let inbox = inboxes::add_sms_source(admin, &add.client, &add.address, Actor::Operator).await?;
            Ok(json!({ "id": inbox.id, "address": inbox.address() }))
        }
        SmsSourceCommand::Remove(remove) => {
            let address = inboxes::remove_sms_source(admin, &remove.client, &remove.address, Actor::Operator).await?;
            Ok(json!({ "address": address }))
        }
        SmsSourceCommand::List(list) => {
            let sources = inboxes::sms_sources(admin, &list.client).await?;
            let shown = sources.into_iter().map(|(id, address)| json!({ "id": id, "address": address }));
            Ok(json!({ "clientRef": list.client, "sources": shown.collect::<Vec<_>>() }))
        }
    }
}

pub(super) async fn sender(
    config: &Settings,
    admin: &Administration<'_>,
    command: SenderCommand,
) -> anyhow::Result<Value> {
    let address = match &command {
        SenderCommand::List(list) => {
            let senders = email_senders::list(admin, &list.client).await?;
            let shown = senders.into_iter().map(|(address, user)| json!({ "email": address, "user": user }));
            return Ok(json!({ "clientRef": list.client, "senders": shown.collect::<Vec<_>>() }));
        }
        SenderCommand::Add(add) => {
            let new = NewSender { client_ref: &add.client, address: &add.email, user: add.user.as_deref() };
            email_senders::add(admin, new, email::domain(config).as_ref(), Actor::Operator).await?
        }
        SenderCommand::Remove(remove) => {
            email_senders::remove(admin, &remove.client, &remove.email, Actor::Operator).await?
        }
    };
    Ok(json!({ "email": address.as_str() }))
}

pub(super) async fn remove_opt_out(admin: &Administration<'_>, remove: OptOutRemove) -> anyhow::Result<Value> {
    let client = super::lists::client(&mut *admin.db.acquire().await?, &remove.client).await?;
    let number = cell::subscriber(&remove.number).map_err(|wrong| anyhow!("`{}` {wrong}", remove.number))?;
    let removed = stops::take_back(admin, client, number.as_str(), Actor::Operator).await?;
    Ok(json!({ "clientRef": remove.client, "number": number.as_str(), "removed": removed }))
}
