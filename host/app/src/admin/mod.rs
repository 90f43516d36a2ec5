//! Commands that change the database. Each prints one JSON object (CONTRACT 3).

mod audit;
pub(crate) mod callbacks;
mod client_settings;
mod disabling;
mod lists;
mod master_keys;
pub(crate) mod messenger;
pub(crate) mod operators;
mod person;
mod secrets;
pub(crate) mod sms;
pub(crate) mod telegram;
pub(crate) mod web_chat;
pub(crate) mod whatsapp;

use anyhow::Context as _;
use base::audit::{Actor, Administration};
use domain::ids::ClientId;
use serde_json::{Value, json};
use settings::Settings;
use storage::tenancy::users::{self, User};
use tenancy::{
    accounts::{self, CreatedUser, NewClient, NewUser},
    disabling::DisableTarget,
};

use crate::{
    cli::{AdminCommand, ClientCommand, KeyCommand, MasterKeyCommand, UserArgument, UserCommand},
    postgres::Database,
    process_base::{Base, refuse_unfinished_restore, unreachable},
};
use sms::OptOutCommand;
use whatsapp::TemplateCommand;

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
        refuse_unfinished_restore(&pool).await?;
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
        AdminCommand::Client(ClientCommand::Set(asked)) => client_settings::set(base, &asked).await,
        AdminCommand::Client(ClientCommand::Disable(given)) => {
            disabling::set(base, &given.client, DisableTarget::Client, false).await
        }
        AdminCommand::Client(ClientCommand::Enable(given)) => {
            disabling::set(base, &given.client, DisableTarget::Client, true).await
        }
        AdminCommand::Client(ClientCommand::Remove(remove)) => disabling::remove(config, base, remove).await,
        AdminCommand::User(UserCommand::Disable(given)) => {
            disabling::set(base, &given.client, DisableTarget::User(&given.email), false).await
        }
        AdminCommand::User(UserCommand::Enable(given)) => {
            disabling::set(base, &given.client, DisableTarget::User(&given.email), true).await
        }
        AdminCommand::Key(KeyCommand::Disable(given)) => {
            disabling::set(base, &given.client, DisableTarget::Key(&given.email), false).await
        }
        AdminCommand::Key(KeyCommand::Enable(given)) => {
            disabling::set(base, &given.client, DisableTarget::Key(&given.email), true).await
        }
        AdminCommand::Key(KeyCommand::Remove(given)) => remove_key(&admin, given).await,
        AdminCommand::Client(ClientCommand::List(list)) => lists::clients(&base.db, list.client.as_deref()).await,
        AdminCommand::User(UserCommand::List(list)) => lists::users(&base.db, &list.client).await,
        AdminCommand::User(UserCommand::Remove(remove)) => remove_user(&admin, remove).await,
        AdminCommand::Key(KeyCommand::List(list)) => lists::keys(&base.db, &list.client).await,
        AdminCommand::Number(command) => whatsapp::run(config, base, command).await,
        AdminCommand::Template(TemplateCommand::Sync(sync)) => whatsapp::sync_templates(config, base, sync).await,
        AdminCommand::Page(command) => messenger::run(config, base, command).await,
        AdminCommand::Site(command) => web_chat::run(config, base, command).await,
        AdminCommand::Credits(command) => sms::credits(&admin, command).await,
        AdminCommand::SmsSource(command) => sms::source(&admin, command).await,
        AdminCommand::Sender(command) => sms::sender(config, base, command).await,
        AdminCommand::OptOut(OptOutCommand::Remove(remove)) => sms::remove_opt_out(&admin, remove).await,
        AdminCommand::Person(command) => person::run(config, base, command).await,
        AdminCommand::Audit(command) => audit::run(&base.db, command).await,
        AdminCommand::Callback(command) => callbacks::run(&admin, command).await,
        AdminCommand::Operator(command) => operators::run(&admin, command).await,
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

async fn remove_user(admin: &Administration<'_>, remove: UserArgument) -> anyhow::Result<Value> {
    let (client, user) = found_user(admin, &remove).await?;
    accounts::users::delete(admin, client, user.id, Actor::Operator).await?;
    Ok(json!({ "clientRef": remove.client, "userId": user.id, "email": user.email }))
}

async fn remove_key(admin: &Administration<'_>, remove: UserArgument) -> anyhow::Result<Value> {
    let (client, user) = found_user(admin, &remove).await?;
    let removed = accounts::remove_api_key(admin, client, user.id, Actor::Operator).await?;
    Ok(json!({ "clientRef": remove.client, "userId": user.id, "email": user.email, "removed": removed }))
}

async fn found_user(admin: &Administration<'_>, given: &UserArgument) -> anyhow::Result<(ClientId, User)> {
    let mut db = admin.db.acquire().await?;
    let client = lists::client(&mut db, &given.client).await?;
    let user = users::find_by_email(&mut db, client, &given.email).await?;
    let user = user.with_context(|| format!("client `{}` has no user `{}`", given.client, given.email))?;
    Ok((client, user))
}
