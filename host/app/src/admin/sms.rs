//! `patchbay credits`, `patchbay sms-source`, `patchbay opt-out` and `patchbay sender`.

use anyhow::anyhow;
use base::audit::{Actor, Administration};
use clap::{Args, Subcommand};
use domain::sms_products::cell;
use serde_json::{Value, json};
use settings::Settings;
use sms::stops;
use storage::tenancy::disablement;
use tenancy::{
    credits,
    disabling::DisableTarget,
    email_senders::{self, NewSender},
    inboxes,
};

use super::{disabling, lists};
use crate::{cli::client_argument::ClientArgument, email, process_base::Base};

/// `patchbay sender ...`
#[derive(Debug, Subcommand)]
pub enum SenderCommand {
    /// Register an address, which enables e-mail to SMS for the client
    Add(SenderAdd),
    /// Disable an address: its mails are refused as those of an unknown one
    Disable(SenderArgument),
    /// Enable a disabled address
    Enable(SenderArgument),
    /// Remove an address
    Remove(SenderArgument),
    /// List the addresses, each with the user whose password its mails use
    List(ClientArgument),
}

/// `patchbay sender add`
#[derive(Debug, Args)]
pub struct SenderAdd {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// Address that sends the mails. It belongs to one client only
    #[arg(long, value_name = "ADDRESS")]
    pub email: String,
    /// User whose password is the subject of the mails. Default: the client's first ADMIN
    #[arg(long, value_name = "EMAIL")]
    pub user: Option<String>,
}

/// An address of a client.
#[derive(Debug, Args)]
pub struct SenderArgument {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The address
    #[arg(long, value_name = "ADDRESS")]
    pub email: String,
}

/// `patchbay sms-source ...`
#[derive(Debug, Subcommand)]
pub enum SmsSourceCommand {
    /// Add an address, in addition to sms.default_source
    Add(SmsSourceAdd),
    /// Remove an address. Messages accepted before still use it
    Remove(SmsSourceRemove),
    /// List the addresses
    List(ClientArgument),
}

/// `patchbay sms-source add`
#[derive(Debug, Args)]
pub struct SmsSourceAdd {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// A number of 3 to 15 digits, or at most 11 letters, digits, spaces and characters of `._-&`
    #[arg(long, value_name = "ADDRESS")]
    pub address: String,
}

/// `patchbay sms-source remove`
#[derive(Debug, Args)]
pub struct SmsSourceRemove {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The address
    #[arg(long, value_name = "ADDRESS")]
    pub address: String,
}

/// `patchbay credits ...`
#[derive(Debug, Subcommand)]
pub enum CreditsCommand {
    /// Add SMS credits, and print the balance
    Add(CreditsAdd),
    /// Set the price of a segment to a country. The default is 1
    Price(CreditsPrice),
}

/// `patchbay credits add`
#[derive(Debug, Args)]
pub struct CreditsAdd {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// Number of credits
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub amount: i64,
}

/// `patchbay credits price`
#[derive(Debug, Args)]
pub struct CreditsPrice {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// First digits of the numbers, such as 44
    #[arg(long, value_name = "DIGITS")]
    pub prefix: String,
    /// Credits for one segment
    #[arg(long, value_name = "N")]
    pub credits: i32,
}

/// `patchbay opt-out ...`
#[derive(Debug, Subcommand)]
pub enum OptOutCommand {
    /// Remove the opt-out of a number from a client's SMS
    Remove(OptOutRemove),
}

/// `patchbay opt-out remove`
#[derive(Debug, Args)]
pub struct OptOutRemove {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The subscriber, in digits
    #[arg(long, value_name = "MSISDN")]
    pub number: String,
}

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

pub(super) async fn sender(config: &Settings, base: &Base, command: SenderCommand) -> anyhow::Result<Value> {
    let admin = &base.administration();
    let address = match &command {
        SenderCommand::Disable(given) => {
            return disabling::set(base, &given.client, DisableTarget::Sender(&given.email), false).await;
        }
        SenderCommand::Enable(given) => {
            return disabling::set(base, &given.client, DisableTarget::Sender(&given.email), true).await;
        }
        SenderCommand::List(list) => {
            let senders = email_senders::list(admin, &list.client).await?;
            let disabled = {
                let mut db = base.db.acquire().await?;
                let client = lists::client(&mut db, &list.client).await?;
                disablement::times(&mut db, client).await?
            };
            let shown = senders.into_iter().map(|(address, user)| {
                let disabled_at = disabled.of("sender", &address);
                json!({ "email": address, "user": user, "disabledTime": lists::time(disabled_at) })
            });
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
    let client = lists::client(&mut *admin.db.acquire().await?, &remove.client).await?;
    let number = cell::subscriber(&remove.number).map_err(|wrong| anyhow!("`{}` {wrong}", remove.number))?;
    let removed = stops::take_back(admin, client, number.as_str(), Actor::Operator).await?;
    Ok(json!({ "clientRef": remove.client, "number": number.as_str(), "removed": removed }))
}
