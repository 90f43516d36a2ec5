//! Registers our numbers with the simulator, and gives an empty database a demo client with an inbox per channel, templates and a
//! chatbot.

use std::net::SocketAddr;

use anyhow::Context as _;
use base::{
    Context,
    audit::{Actor, Administration},
    secrets,
};
use domain::{inbox::InboxKind, web_chat::SiteForm};
use plugins::{self, NewActivation, slots::Mode};
use tenancy::{
    accounts::{self, CreatedUser, NewClient},
    inboxes, sites,
};

use crate::{simulated_numbers, simulated_providers::SimulatorAccess, standard_output};

const CLIENT_REF: &str = "demo";
const EMAIL: &str = "demo@patchbay.example";
const NUMBER: &str = "27110000000";
const PHONE_NUMBER_ID: &str = "100000000000001";
const WABA_ID: &str = "200000000000001";
const PAGE_ID: &str = "300000000000001";
const BOT_ID: &str = "4000000001";
/// Any token is good for the simulator.
const TOKEN: &str = "simulator-has-no-secrets";
const CUSTOMER: &str = "27820000001";

/// In an empty database it first creates the demo client and prints its key and its login once.
pub async fn prepare(ctx: &Context, simulated: &SimulatorAccess, url: &str) -> anyhow::Result<()> {
    let mut db = ctx.db.acquire().await?;
    let empty = !storage::tenancy::clients::any(&mut db).await?;
    drop(db);
    if empty {
        let password = secrets::generate_master_key()?;
        let created = create(ctx, simulated.http, password.clone()).await.context("cannot make the demo client")?;
        announce(&created, &password, simulated, url)?;
    }
    let public_url = ctx.settings.server.public_url.as_ref().map_or(url, |url| url.as_str());
    simulated_numbers::register_all(&ctx.db, simulated.http, public_url).await
}

async fn create(ctx: &Context, simulator: SocketAddr, password: String) -> anyhow::Result<CreatedUser> {
    let admin = Administration::from(ctx);
    let created = accounts::create_client(
        &admin,
        NewClient {
            client_ref: CLIENT_REF.to_owned(),
            name: "Demo".to_owned(),
            email: EMAIL.to_owned(),
            password,
            parent: None,
            allow_private_targets: true,
        },
    )
    .await?;
    add_inboxes(&admin, simulator).await?;
    inboxes::sync_templates(&admin, &ctx.cloud, created.client, Some(Actor::Operator)).await?;
    let bot = NewActivation::newest("default-chatbot", Mode::Live);
    plugins::activate(ctx, created.client, bot, Actor::Operator).await?;
    Ok(created)
}

/// A WhatsApp number, a Facebook page, a Telegram bot and a site. SMS needs no inbox of its own.
async fn add_inboxes(admin: &Administration<'_>, simulator: SocketAddr) -> anyhow::Result<()> {
    let number = inboxes::NewNumber {
        client_ref: CLIENT_REF.to_owned(),
        msisdn: NUMBER.to_owned(),
        provider: inboxes::NumberConnection::Cloud,
        cloud: Some(inboxes::CloudAccount {
            phone_number_id: PHONE_NUMBER_ID.to_owned(),
            waba_id: WABA_ID.to_owned(),
            access_token: TOKEN.to_owned(),
            app_secret: None,
        }),
        rate_per_second: None,
    };
    inboxes::add_number(admin, number, Actor::Operator).await?;
    let page = inboxes::NewPage {
        client_ref: CLIENT_REF.to_owned(),
        page_id: PAGE_ID.to_owned(),
        access_token: TOKEN.to_owned(),
        app_secret: None,
    };
    inboxes::add_page(admin, page, Actor::Operator).await?;
    let bot = inboxes::NewAccount {
        client_ref: CLIENT_REF.to_owned(),
        kind: InboxKind::Telegram,
        account_id: BOT_ID.to_owned(),
        name: format!("bot_{BOT_ID}_bot"),
        access_token: format!("{BOT_ID}:{TOKEN}"),
        callback_secret: secrets::generate_master_key()?,
        updates: inboxes::UpdateSource::Polling,
    };
    inboxes::add_account(admin, bot, Actor::Operator).await?;
    let site = SiteForm {
        name: Some("Sample Shop".to_owned()),
        origins: Some(simulated_numbers::origins(simulator)),
        ..SiteForm::default()
    };
    sites::add_of_ref(admin, CLIENT_REF, &site, Actor::Operator).await?;
    Ok(())
}

fn announce(created: &CreatedUser, password: &str, simulated: &SimulatorAccess, url: &str) -> anyhow::Result<()> {
    let (key, phones) = (created.api_key.expose(), simulated.graph_url());
    let text = format!(
        "
  Patchbay runs at      {url}
  Simulated phones at   {phones}  (open it in a browser, and write to the bot)
  Console               {url}/console
                        client reference {CLIENT_REF}, e-mail {EMAIL}, password {password}
  Demo client           {CLIENT_REF} (number {NUMBER})
  Demo API key          {key}
                        key and password are shown this once; make a new one with POST /messaging-service/WhatsApp/SystemUsers/generateAPIKey

  The same with curl: write to the bot from a phone, then read its answer
    curl -X POST {phones}/phones/{CUSTOMER}/messages -H 'content-type: application/json' \\
         -d '{{\"to\":\"{NUMBER}\",\"text\":\"hi\"}}'
    curl {phones}/phones/{CUSTOMER}/inbox

"
    );
    standard_output::write(&text)
}
