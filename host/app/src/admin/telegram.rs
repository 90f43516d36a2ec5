//! `patchbay telegram`: connects bots, and lists them (CONTRACT 9).

use anyhow::{Context as _, bail};
use base::{audit::Actor, secrets::random};
use channels::telegram::{TelegramApi, TelegramBot, is_token};
use clap::{Args, Subcommand};
use domain::{channel::Channel, inbox::InboxKind};
use serde_json::{Value, json};
use settings::{Secret, Settings};
use storage::inboxes::Inbox;
use tenancy::{
    disabling::DisableTarget,
    inboxes::{self, NewAccount, UpdateSource},
};

use super::{disabling, lists, secrets};
use crate::{cli::client_argument::ClientArgument, process_base::Base};

/// `patchbay telegram ...`
#[derive(Debug, Subcommand)]
pub enum TelegramCommand {
    /// Connect a bot. For a bot of the client, this replaces its token and how its updates arrive
    Add(TelegramAdd),
    /// List the bots with their ids
    List(ClientArgument),
    /// Disable a bot: its messages wait. Its updates are still stored
    Disable(BotArgument),
    /// Enable a disabled or removed bot. After a removal also repeat `telegram add`
    Enable(BotArgument),
    /// Disable a bot and free it for another client. Its messages and chats stay
    Remove(BotArgument),
}

/// A bot of a client.
#[derive(Debug, Args)]
pub struct BotArgument {
    /// Client that answers for the bot
    #[arg(long, value_name = "REF")]
    pub client: String,
    /// Telegram's id of the bot, from `patchbay telegram list`
    #[arg(long, value_name = "ID")]
    pub bot_id: String,
}

/// `patchbay telegram add`
#[derive(Debug, Args)]
pub struct TelegramAdd {
    /// Client that answers for the bot
    #[arg(long, value_name = "REF")]
    pub client: String,
    #[command(flatten)]
    pub token: GivenBotToken,
    #[command(flatten)]
    pub way: UpdateWay,
}

/// The token of a bot, given in one of two ways.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct GivenBotToken {
    /// The token from @BotFather. Other users of this machine can read it in the process list
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<Secret>,
    /// Read the token from the first line of standard input
    #[arg(long)]
    pub token_stdin: bool,
}

/// How the updates of a bot arrive. Default: a webhook if `server.public_url` is https, otherwise polling.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct UpdateWay {
    /// Telegram posts updates to `server.public_url`. Default if that is https
    #[arg(long)]
    pub webhook: bool,
    /// Patchbay asks for updates, so that no public address is needed
    #[arg(long)]
    pub polling: bool,
}

pub(super) async fn run(config: &Settings, base: &Base, command: TelegramCommand) -> anyhow::Result<Value> {
    match command {
        TelegramCommand::Add(add) => self::add(config, base, add).await,
        TelegramCommand::List(list) => {
            let found = lists::all_inboxes(&base.db, &list.client, Channel::Telegram).await?;
            let shown = found.iter().filter_map(|(inbox, disabled_at)| {
                Some(lists::with_field(bot_json(inbox)?, "disabledTime", lists::time(*disabled_at)))
            });
            let shown: Vec<Value> = shown.collect();
            Ok(json!({ "clientRef": list.client, "bots": shown }))
        }
        TelegramCommand::Disable(given) => set_enabled(base, given, false).await,
        TelegramCommand::Enable(given) => set_enabled(base, given, true).await,
        TelegramCommand::Remove(given) => {
            disabling::remove_inbox(base, &given.client, Channel::Telegram, &given.bot_id).await
        }
    }
}

async fn set_enabled(base: &Base, given: BotArgument, enabled: bool) -> anyhow::Result<Value> {
    disabling::set(base, &given.client, DisableTarget::Inbox(Channel::Telegram, &given.bot_id), enabled).await
}

fn bot_json(inbox: &Inbox) -> Option<Value> {
    let bot = inbox.account()?;
    Some(json!({ "id": inbox.id, "botId": bot.account_id, "username": bot.name }))
}

fn token(given: GivenBotToken) -> anyhow::Result<String> {
    let token: Secret = match given.token {
        Some(token) => token,
        None => secrets::from_stdin("token")?,
    };
    let token = token.expose().to_owned();
    if !is_token(&token) {
        bail!("the token does not have the form of @BotFather's tokens: the id of a bot, a colon, and a secret");
    }
    Ok(token)
}

/// The token and the secret of callbacks are stored sealed. If Telegram fails after the bot was stored, repeat the command.
async fn add(config: &Settings, base: &Base, add: TelegramAdd) -> anyhow::Result<Value> {
    let token = token(add.token)?;
    let public_url = config.public_url(config.server.listen);
    let is_public = config.server.public_url.is_some() && public_url.starts_with("https://");
    let updates = update_source(&add.way, is_public);
    let simulator = config.simulator_on().then(|| format!("http://{}", config.simulator.listen));
    let api = TelegramApi::new(config.telegram_settings(simulator.as_deref()))?;
    let TelegramBot { id, username } =
        api.bot_of(&token).await.context("Telegram does not know a bot with this token")?;
    // Telegram takes letters, digits, `_` and `-`.
    let callback_secret: String = random::<32>()?.iter().map(|byte| format!("{byte:02x}")).collect();
    let new = NewAccount {
        client_ref: add.client,
        kind: InboxKind::Telegram,
        account_id: id,
        name: username.clone(),
        access_token: token.clone(),
        callback_secret: callback_secret.clone(),
        updates,
    };
    let inbox = inboxes::add_account(&base.administration(), new, Actor::Operator).await?;
    let repeat = "the bot is stored, but Telegram did not take the setting of webhook or polling; repeat the command";
    match updates {
        UpdateSource::Webhook => {
            let url = format!("{}/providers/telegram/webhook/{}", public_url.trim_end_matches('/'), inbox.id);
            api.set_webhook(&token, &url, &callback_secret).await.context(repeat)?;
        }
        UpdateSource::Polling => api.delete_webhook(&token).await.context(repeat)?,
    }
    let way = if updates == UpdateSource::Webhook { "webhook" } else { "polling" };
    Ok(json!({ "id": inbox.id, "botId": inbox.address(), "username": username, "updates": way }))
}

fn update_source(given: &UpdateWay, is_public: bool) -> UpdateSource {
    match given {
        UpdateWay { webhook: true, .. } => UpdateSource::Webhook,
        UpdateWay { polling: true, .. } => UpdateSource::Polling,
        _ if is_public => UpdateSource::Webhook,
        _ => UpdateSource::Polling,
    }
}
