//! Registers our numbers with the simulator, and gives an empty database a demo client with number, templates and chatbot.

use std::io::Write;

use anyhow::Context as _;
use base::{
    Context,
    audit::{Actor, Administration},
    secrets,
};
use plugins::{self, NewActivation, slots::Mode};
use tenancy::{
    accounts::{self, CreatedUser, NewClient},
    inboxes,
};

use crate::{simulated_numbers, simulated_providers::SimulatorAccess};

const CLIENT_REF: &str = "demo";
const EMAIL: &str = "demo@patchbay.example";
const NUMBER: &str = "27110000000";
const PHONE_NUMBER_ID: &str = "100000000000001";
const WABA_ID: &str = "200000000000001";
const CUSTOMER: &str = "27820000001";

/// In an empty database it first creates the demo client and prints its key and its login once.
pub async fn prepare(ctx: &Context, simulated: &SimulatorAccess, url: &str) -> anyhow::Result<()> {
    let mut db = ctx.db.acquire().await?;
    let empty = !storage::tenancy::clients::any(&mut db).await?;
    drop(db);
    if empty {
        let password = secrets::generate_master_key()?;
        let created = create(ctx, password.clone()).await.context("cannot make the demo client")?;
        announce(&created, &password, simulated, url)?;
    }
    simulated_numbers::register_all(&ctx.db, simulated.http).await
}

async fn create(ctx: &Context, password: String) -> anyhow::Result<CreatedUser> {
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
    let number = inboxes::NewNumber {
        client_ref: CLIENT_REF.to_owned(),
        msisdn: NUMBER.to_owned(),
        provider: inboxes::NumberConnection::Cloud,
        cloud: Some(inboxes::CloudAccount {
            phone_number_id: PHONE_NUMBER_ID.to_owned(),
            waba_id: WABA_ID.to_owned(),
            access_token: "simulator".to_owned(),
            app_secret: None,
        }),
        rate_per_second: None,
    };
    inboxes::add_number(&admin, number, Actor::Operator).await?;
    inboxes::sync_templates(&admin, &ctx.cloud, created.client, Some(Actor::Operator)).await?;
    let bot = NewActivation::newest("default-chatbot", Mode::Live);
    plugins::activate(ctx, created.client, bot, Actor::Operator).await?;
    Ok(created)
}

fn announce(created: &CreatedUser, password: &str, simulated: &SimulatorAccess, url: &str) -> anyhow::Result<()> {
    let (key, phones) = (created.api_key.expose(), simulated.graph_url());
    let text = format!(
        "
  Patchbay runs at      {url}
  Simulated phones at   {phones}
  Console               {url}/console
                        client reference {CLIENT_REF}, e-mail {EMAIL}, password {password}
  Demo client           {CLIENT_REF} (number {NUMBER})
  Demo API key          {key}
                        key and password are shown this once; make a new one with POST /messaging-service/WhatsApp/SystemUsers/generateAPIKey

  Try it: write to the bot from a phone, then read its answer
    curl -X POST {phones}/phones/{CUSTOMER}/messages -H 'content-type: application/json' \\
         -d '{{\"to\":\"{NUMBER}\",\"text\":\"hi\"}}'
    curl {phones}/phones/{CUSTOMER}/inbox

"
    );
    std::io::stdout().write_all(text.as_bytes()).context("cannot write to standard output")
}
