//! Commands that change the database. Each prints one JSON object (CONTRACT 3).

mod lists;
mod master_keys;
mod numbers;
mod person;
mod secrets;
mod sites;
mod sms;
mod telegram;

use std::time::Duration;

use anyhow::Context as _;
use base::audit::{Actor, Administration};
use channels::whatsapp_cloud::{CloudApi, CloudSettings};
use domain::{channel::Channel, phone::Msisdn};
use serde_json::{Value, json};
use settings::Settings;
use tenancy::{
    accounts::{self, CreatedUser, NewClient, NewUser},
    inboxes::{self, CloudAccount, NewNumber, NewPage, NewToken},
};

use crate::{
    cli::{
        AdminCommand, ClientCommand, KeyCommand, MasterKeyCommand, NumberAdd, NumberCommand, NumberProvider,
        NumberRenewToken, NumberSetRate, OptOutCommand, PageAdd, PageCommand, PageRenewToken, SiteCommand,
        TemplateCommand, TemplateSync, UserCommand,
    },
    postgres::Database,
    process_base::{Base, unreachable},
    simulated_numbers,
};
use numbers::shown_number;

const SYNC_TIMEOUT: Duration = Duration::from_secs(60);

pub async fn run(config: &Settings, command: AdminCommand) -> anyhow::Result<Value> {
    let database = match command {
        AdminCommand::Migrate => Database::connect_for_migration(config).await?,
        _ => Database::connect_for_admin(config).await?,
    };
    let answer = run_on(config, &database, command).await;
    database.stop().await;
    answer
}

async fn run_on(config: &Settings, database: &Database, command: AdminCommand) -> anyhow::Result<Value> {
    if let AdminCommand::Migrate = command {
        let pool = storage::connect(database.url(), 2).await.with_context(|| unreachable(config))?;
        let applied = storage::migrate(&pool).await?;
        pool.close().await;
        return Ok(json!({ "applied": applied }));
    }
    if let AdminCommand::MasterKey(MasterKeyCommand::Rotate) = command {
        return master_keys::rotate(config, database.url()).await;
    }
    let base = Base::open(config, database.url()).await?;
    let answer = change(config, &base, command).await;
    base.db.close().await;
    answer
}

async fn change(config: &Settings, base: &Base, command: AdminCommand) -> anyhow::Result<Value> {
    let admin = base.administration();
    match command {
        // They do not need an open base.
        AdminCommand::Migrate | AdminCommand::MasterKey(MasterKeyCommand::Rotate) => Ok(Value::Null),
        AdminCommand::Client(ClientCommand::Create(create)) => {
            let new = NewClient {
                client_ref: create.client_ref,
                name: create.name,
                email: create.email,
                password: secrets::password(create.password)?.expose().to_owned(),
                parent: create.parent,
                allow_private_targets: false,
            };
            let created = accounts::create_client(&admin, new).await?;
            Ok(json!({
                "clientRef": created.client_ref,
                "userId": created.user,
                "email": created.email,
                "apiKey": created.api_key.expose(),
            }))
        }
        AdminCommand::User(UserCommand::Create(create)) => {
            let new = NewUser {
                email: create.email,
                password: secrets::password(create.password)?.expose().to_owned(),
                name: create.name,
                role: create.role.parse().with_context(|| format!("--role {}", create.role))?,
                team: create.team,
            };
            let created = accounts::create_user(&admin, &create.client, new, Actor::Operator).await?;
            Ok(user(&created))
        }
        AdminCommand::Client(ClientCommand::List(list)) => lists::clients(&base.db, list.client.as_deref()).await,
        AdminCommand::User(UserCommand::List(list)) => lists::users(&base.db, &list.client).await,
        AdminCommand::Key(KeyCommand::List(list)) => lists::keys(&base.db, &list.client).await,
        AdminCommand::Number(NumberCommand::List(list)) => lists::numbers(&base.db, &list.client).await,
        AdminCommand::Page(PageCommand::List(list)) => lists::pages(&base.db, &list.client).await,
        AdminCommand::Site(SiteCommand::List(list)) => lists::sites(&base.db, &list.client).await,
        AdminCommand::Number(NumberCommand::Add(add)) => add_number(config, base, add).await,
        AdminCommand::Number(NumberCommand::RenewToken(renew)) => renew_number_token(&admin, renew).await,
        AdminCommand::Number(NumberCommand::SetRate(set)) => set_number_rate(&admin, set).await,
        AdminCommand::Page(PageCommand::Add(add)) => add_page(config, base, add).await,
        AdminCommand::Page(PageCommand::RenewToken(renew)) => renew_page_token(&admin, renew).await,
        AdminCommand::Template(TemplateCommand::Sync(sync)) => sync_templates(config, base, sync).await,
        AdminCommand::Site(SiteCommand::Add(add)) => sites::add(config, &admin, add).await,
        AdminCommand::Credits(command) => sms::credits(&admin, command).await,
        AdminCommand::SmsSource(command) => sms::source(&admin, command).await,
        AdminCommand::Sender(command) => sms::sender(config, &admin, command).await,
        AdminCommand::OptOut(OptOutCommand::Remove(remove)) => sms::remove_opt_out(&admin, remove).await,
        AdminCommand::Person(command) => person::run(config, base, command).await,
        AdminCommand::Telegram(command) => telegram::run(config, base, command).await,
    }
}

fn user(created: &CreatedUser) -> Value {
    json!({
        "userId": created.user,
        "email": created.email,
        "role": created.role.as_str(),
        "apiKey": created.api_key.expose(),
    })
}

async fn add_number(config: &Settings, base: &Base, add: NumberAdd) -> anyhow::Result<Value> {
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
        tracing::debug!("the simulator was not told of the number, it asks at its next start: {error:#}");
    }
    Ok(shown_number(&number))
}

async fn renew_number_token(admin: &Administration<'_>, renew: NumberRenewToken) -> anyhow::Result<Value> {
    let number = Msisdn::parse(&renew.number).with_context(|| format!("--number {}", renew.number))?;
    let new = NewToken {
        client_ref: renew.client,
        channel: Channel::Whatsapp,
        address: number.as_str().to_owned(),
        access_token: secrets::token(renew.token)?.expose().to_owned(),
    };
    Ok(shown_number(&inboxes::renew_token(admin, new, Actor::Operator).await?))
}

async fn set_number_rate(admin: &Administration<'_>, set: NumberSetRate) -> anyhow::Result<Value> {
    let number = Msisdn::parse(&set.number).with_context(|| format!("--number {}", set.number))?;
    let inbox = inboxes::set_rate(admin, &set.client, number, set.per_second, Actor::Operator).await?;
    let mut shown = shown_number(&inbox);
    if let Some(number) = shown.get_mut("whatsAppNumber") {
        number["perSecond"] = json!(set.per_second);
    }
    Ok(shown)
}

async fn renew_page_token(admin: &Administration<'_>, renew: PageRenewToken) -> anyhow::Result<Value> {
    let new = NewToken {
        client_ref: renew.client,
        channel: Channel::Facebook,
        address: renew.page_id,
        access_token: secrets::token(renew.token)?.expose().to_owned(),
    };
    let page = inboxes::renew_token(admin, new, Actor::Operator).await?;
    Ok(json!({ "id": page.id, "pageId": page.address() }))
}

async fn add_page(config: &Settings, base: &Base, add: PageAdd) -> anyhow::Result<Value> {
    let access_token = secrets::token(add.token)?.expose().to_owned();
    let new = NewPage { client_ref: add.client, page_id: add.page_id, access_token, app_secret: None };
    let page = inboxes::add_page(&base.administration(), new, Actor::Operator).await?;
    if config.simulator_on()
        && let Err(error) = simulated_numbers::register(&page, config.simulator.listen).await
    {
        tracing::debug!("the simulator was not told of the page, it asks at its next start: {error:#}");
    }
    Ok(json!({ "id": page.id, "pageId": page.address() }))
}

async fn sync_templates(config: &Settings, base: &Base, sync: TemplateSync) -> anyhow::Result<Value> {
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
