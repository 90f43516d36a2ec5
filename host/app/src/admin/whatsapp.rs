//! `patchbay number`: connects WhatsApp numbers, of the Cloud API and Lite, and lists them. `patchbay template`: fetches
//! their templates (CONTRACT 3).

use std::time::Duration;

use anyhow::Context as _;
use base::audit::{Actor, Administration};
use channels::whatsapp_cloud::{CloudApi, CloudSettings};
use clap::{Args, Subcommand, ValueEnum};
use domain::{channel::Channel, phone::Msisdn};
use serde_json::{Value, json};
use settings::{Secret, Settings};
use storage::{Db, inboxes::Inbox};
use tenancy::{
    disabling::DisableTarget,
    inboxes::{self, CloudAccount, NewNumber, NewToken},
};

use super::{disabling, lists, secrets};
use crate::{
    cli::{client_argument::ClientArgument, given_token::GivenToken},
    process_base::Base,
    simulated_numbers,
};

const SYNC_TIMEOUT: Duration = Duration::from_secs(60);

/// `patchbay number ...`
#[derive(Debug, Subcommand)]
pub enum NumberCommand {
    /// Connect a WhatsApp number
    Add(NumberAdd),
    /// Replace the access token of a WhatsApp Cloud number after Meta no longer accepts the old one
    RenewToken(NumberRenewToken),
    /// Set the send rate of a WhatsApp Cloud number
    SetRate(NumberSetRate),
    /// List the numbers with their ids
    List(ClientArgument),
    /// Disable a number: its messages wait. Its callbacks are still stored
    Disable(NumberArgument),
    /// Enable a disabled or removed number
    Enable(NumberArgument),
    /// Disable a number and free it for another client. Its messages and chats stay
    Remove(NumberArgument),
}

/// A number of a client.
#[derive(Debug, Args)]
pub struct NumberArgument {
    /// Client that sends from the number
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The number in international form
    #[arg(long, value_name = "MSISDN")]
    pub number: String,
}

/// `patchbay number add`
#[derive(Debug, Args)]
pub struct NumberAdd {
    /// Client that sends from the number
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The number in international form
    #[arg(long, value_name = "MSISDN")]
    pub number: String,
    /// How the number is connected
    #[arg(long)]
    pub provider: NumberProvider,
    /// Meta's id of the number
    #[arg(long, value_name = "ID")]
    pub phone_number_id: Option<String>,
    /// Meta's id of the WhatsApp Business account
    #[arg(long, value_name = "ID")]
    pub waba_id: Option<String>,
    /// Access token of the account. Other users of this machine can read it in the process list
    #[arg(long, value_name = "TOKEN", conflicts_with = "access_token_stdin")]
    pub access_token: Option<Secret>,
    /// Read the access token from the first line of standard input
    #[arg(long)]
    pub access_token_stdin: bool,
}

/// `patchbay number renew-token`
#[derive(Debug, Args)]
pub struct NumberRenewToken {
    /// Client that sends from the number
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The number in international form
    #[arg(long, value_name = "MSISDN")]
    pub number: String,
    /// Access token of its account
    #[command(flatten)]
    pub token: GivenToken,
}

/// `patchbay number set-rate`
#[derive(Debug, Args)]
pub struct NumberSetRate {
    /// Client that sends from the number
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// The number in international form
    #[arg(long, value_name = "MSISDN")]
    pub number: String,
    /// Messages per second, 1 to 1000. Default: `limits.cloud_rate_per_number`
    #[arg(long, value_name = "N")]
    pub per_second: Option<u16>,
}

/// The connection of a WhatsApp number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NumberProvider {
    /// Meta's Cloud API
    #[value(name = "WHATSAPP_CLOUD")]
    WhatsappCloud,
    /// A paired device
    #[value(name = "WHATSAPP_LITE")]
    WhatsappLite,
}

/// `patchbay template ...`
#[derive(Debug, Subcommand)]
pub enum TemplateCommand {
    /// Fetch the templates of a client's numbers from the provider
    Sync(TemplateSync),
}

/// `patchbay template sync`
#[derive(Debug, Args)]
pub struct TemplateSync {
    /// The client
    #[arg(long, value_name = "REF")]
    pub client: String,
}

pub(super) async fn run(config: &Settings, base: &Base, command: NumberCommand) -> anyhow::Result<Value> {
    match command {
        NumberCommand::Add(add) => self::add(config, base, add).await,
        NumberCommand::RenewToken(renew) => renew_token(&base.administration(), renew).await,
        NumberCommand::SetRate(set) => set_rate(&base.administration(), set).await,
        NumberCommand::List(list) => self::list(&base.db, &list.client).await,
        NumberCommand::Disable(given) => set_enabled(base, given, false).await,
        NumberCommand::Enable(given) => set_enabled(base, given, true).await,
        NumberCommand::Remove(given) => {
            let number = Msisdn::parse(&given.number).with_context(|| format!("--number {}", given.number))?;
            disabling::remove_inbox(base, &given.client, Channel::Whatsapp, number.as_str()).await
        }
    }
}

async fn set_enabled(base: &Base, given: NumberArgument, enabled: bool) -> anyhow::Result<Value> {
    let number = Msisdn::parse(&given.number).with_context(|| format!("--number {}", given.number))?;
    disabling::set(base, &given.client, DisableTarget::Inbox(Channel::Whatsapp, number.as_str()), enabled).await
}

fn number_json(number: &Inbox) -> Value {
    json!({
        "id": number.link_id(),
        "whatsAppNumber": {
            "id": number.id,
            "number": number.address(),
            "whatsAppProvider": number.kind().as_str(),
        },
    })
}

async fn add(config: &Settings, base: &Base, add: NumberAdd) -> anyhow::Result<Value> {
    let access_token = match add.access_token_stdin {
        true => Some(secrets::from_stdin("access token")?),
        false => add.access_token,
    };
    let given = (add.phone_number_id, add.waba_id, access_token);
    let cloud = match given {
        (Some(phone_number_id), Some(waba_id), Some(token)) => {
            let access_token = token.expose().to_owned();
            Some(CloudAccount { phone_number_id, waba_id, access_token, app_secret: None })
        }
        (None, None, None) => None,
        _ => anyhow::bail!("--phone-number-id, --waba-id and --access-token belong together: give all three"),
    };
    let provider = match add.provider {
        NumberProvider::WhatsappCloud => inboxes::NumberConnection::Cloud,
        NumberProvider::WhatsappLite => inboxes::NumberConnection::Lite,
    };
    let new = NewNumber { client_ref: add.client, msisdn: add.number, provider, cloud, rate_per_second: None };
    let number = inboxes::add_number(&base.administration(), new, Actor::Operator).await?;
    if config.simulator_on()
        && let Err(error) = simulated_numbers::register(&number, config.simulator.listen).await
    {
        tracing::debug!(
            "the number could not be announced to the simulator, which reads it at its next start: {error:#}"
        );
    }
    Ok(number_json(&number))
}

async fn renew_token(admin: &Administration<'_>, renew: NumberRenewToken) -> anyhow::Result<Value> {
    let number = Msisdn::parse(&renew.number).with_context(|| format!("--number {}", renew.number))?;
    let new = NewToken {
        client_ref: renew.client,
        channel: Channel::Whatsapp,
        address: number.as_str().to_owned(),
        access_token: secrets::token(renew.token)?.expose().to_owned(),
    };
    Ok(number_json(&inboxes::renew_token(admin, new, Actor::Operator).await?))
}

async fn set_rate(admin: &Administration<'_>, set: NumberSetRate) -> anyhow::Result<Value> {
    let number = Msisdn::parse(&set.number).with_context(|| format!("--number {}", set.number))?;
    let inbox = inboxes::set_rate(admin, &set.client, number, set.per_second, Actor::Operator).await?;
    let mut answer = number_json(&inbox);
    if let Some(number) = answer.get_mut("whatsAppNumber") {
        number["perSecond"] = json!(set.per_second);
    }
    Ok(answer)
}

async fn list(db: &Db, client_ref: &str) -> anyhow::Result<Value> {
    let found = lists::all_inboxes(db, client_ref, Channel::Whatsapp).await?;
    let shown = found
        .iter()
        .map(|(number, disabled_at)| lists::with_field(number_json(number), "disabledTime", lists::time(*disabled_at)));
    let shown: Vec<Value> = shown.collect();
    Ok(json!({ "clientRef": client_ref, "numbers": shown }))
}

pub(super) async fn sync_templates(config: &Settings, base: &Base, sync: TemplateSync) -> anyhow::Result<Value> {
    let simulated = config.simulator_on().then(|| format!("http://{}", config.simulator.listen));
    let cloud = CloudApi::new(CloudSettings {
        graph_url: config.whatsapp_graph_url(simulated.as_deref()),
        api_version: config.whatsapp_cloud.api_version.clone(),
        timeout: SYNC_TIMEOUT,
    })?;
    let client = lists::client(&mut *base.db.acquire().await?, &sync.client).await?;
    let synced = inboxes::sync_templates(&base.administration(), &cloud, client, Some(Actor::Operator)).await?;
    Ok(json!({ "synced": synced }))
}
