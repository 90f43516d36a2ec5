use chrono::{DateTime, Utc};
use domain::ids::{ClientId, InboxId};

use super::{Inbox, InboxSettings, MessengerInbox, Sms, WebInbox, WhatsappCloud, WhatsappLite, accounts, quality};
use crate::{PgConnection, Result};

/// Stores an inbox with the row of its kind and its directory entry. Fails on [`super::ADDRESS_UNIQUE`],
/// [`super::PHONE_NUMBER_ID_UNIQUE`], [`super::PAGE_UNIQUE`], [`accounts::ACCOUNT_UNIQUE`] and
/// [`super::ONE_DEFAULT_SMS`].
pub async fn insert(db: &mut PgConnection, client: ClientId, inbox: &Inbox, now: DateTime<Utc>) -> Result<()> {
    insert_common(db, client, inbox, now).await?;
    match &inbox.settings {
        InboxSettings::WhatsappCloud(cloud) => insert_cloud(db, client, inbox.id, cloud, now).await,
        InboxSettings::WhatsappLite(lite) => insert_lite(db, client, inbox.id, lite).await,
        InboxSettings::Account(account) => accounts::insert(db, client, inbox.id, account).await,
        InboxSettings::Messenger(page) => insert_messenger(db, client, inbox.id, page).await,
        InboxSettings::Web(site) => insert_web(db, client, inbox.id, site).await,
        InboxSettings::Sms(sms) => insert_sms(db, client, inbox.id, sms).await,
    }
}

async fn insert_common(db: &mut PgConnection, client: ClientId, inbox: &Inbox, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO inbox (client_id, id, kind, channel, address, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(client.0)
    .bind(inbox.id.0)
    .bind(inbox.kind().as_str())
    .bind(inbox.channel().as_str())
    .bind(inbox.address())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Stores an inbox of a sandbox: no directory names it, so no callback finds it, and nothing is asked about it.
pub async fn insert_in_sandbox(
    db: &mut PgConnection,
    sandbox: ClientId,
    inbox: &Inbox,
    now: DateTime<Utc>,
) -> Result<()> {
    match &inbox.settings {
        // Visitors find a site by its key, which is its own.
        InboxSettings::Web(_) | InboxSettings::Sms(_) => return insert(db, sandbox, inbox, now).await,
        _ => insert_common(db, sandbox, inbox, now).await?,
    }
    match &inbox.settings {
        InboxSettings::WhatsappCloud(cloud) => insert_cloud_row(db, sandbox, inbox.id, cloud).await,
        InboxSettings::WhatsappLite(lite) => insert_lite_row(db, sandbox, inbox.id, lite).await,
        InboxSettings::Account(account) => accounts::insert_row(db, sandbox, inbox.id, account).await,
        InboxSettings::Messenger(page) => insert_messenger_row(db, sandbox, inbox.id, page).await,
        InboxSettings::Web(_) | InboxSettings::Sms(_) => Ok(()),
    }
}

async fn insert_cloud_row(db: &mut PgConnection, client: ClientId, id: InboxId, cloud: &WhatsappCloud) -> Result<()> {
    sqlx::query(
        "INSERT INTO whatsapp_cloud_inbox (client_id, id, link_id, phone_number_id, waba_id, access_token_sealed,
                                           app_secret_sealed, rate_per_second)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(cloud.link_id)
    .bind(&cloud.phone_number_id)
    .bind(&cloud.waba_id)
    .bind(&cloud.access_token_sealed)
    .bind(cloud.app_secret_sealed.as_deref())
    .bind(cloud.rate_per_second)
    .execute(db)
    .await?;
    Ok(())
}

async fn insert_cloud(
    db: &mut PgConnection,
    client: ClientId,
    id: InboxId,
    cloud: &WhatsappCloud,
    now: DateTime<Utc>,
) -> Result<()> {
    insert_cloud_row(db, client, id, cloud).await?;
    sqlx::query("INSERT INTO phone_number_directory (phone_number_id, client_id, inbox_id) VALUES ($1, $2, $3)")
        .bind(&cloud.phone_number_id)
        .bind(client.0)
        .bind(id.0)
        .execute(&mut *db)
        .await?;
    sqlx::query(
        "INSERT INTO waba_directory (waba_id, client_id, refresh_due_at) VALUES ($1, $2, $3)
         ON CONFLICT (waba_id, client_id) DO NOTHING",
    )
    .bind(&cloud.waba_id)
    .bind(client.0)
    .bind(now)
    .execute(&mut *db)
    .await?;
    quality::begin(db, client, id, now).await
}

async fn insert_lite(db: &mut PgConnection, client: ClientId, id: InboxId, lite: &WhatsappLite) -> Result<()> {
    insert_lite_row(db, client, id, lite).await?;
    // No process holds it until the client wants the session.
    sqlx::query("INSERT INTO lite_session (client_id, lane_id) VALUES ($1, $2)")
        .bind(client.0)
        .bind(id.0)
        .execute(db)
        .await?;
    Ok(())
}

async fn insert_lite_row(db: &mut PgConnection, client: ClientId, id: InboxId, lite: &WhatsappLite) -> Result<()> {
    sqlx::query(
        "INSERT INTO whatsapp_lite_inbox (client_id, id, link_id, rate_per_second, hosting_type, billing_model)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(lite.link_id)
    .bind(lite.rate_per_second)
    .bind(lite.hosting.as_str())
    .bind(lite.billing.as_str())
    .execute(db)
    .await?;
    Ok(())
}

async fn insert_messenger_row(
    db: &mut PgConnection,
    client: ClientId,
    id: InboxId,
    page: &MessengerInbox,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO messenger_inbox (client_id, id, access_token_sealed, app_secret_sealed) VALUES ($1, $2, $3, $4)",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(&page.access_token_sealed)
    .bind(page.app_secret_sealed.as_deref())
    .execute(db)
    .await?;
    Ok(())
}

async fn insert_messenger(db: &mut PgConnection, client: ClientId, id: InboxId, page: &MessengerInbox) -> Result<()> {
    insert_messenger_row(db, client, id, page).await?;
    sqlx::query("INSERT INTO page_directory (page_id, client_id, inbox_id) VALUES ($1, $2, $3)")
        .bind(&page.page_id)
        .bind(client.0)
        .bind(id.0)
        .execute(db)
        .await?;
    Ok(())
}

async fn insert_web(db: &mut PgConnection, client: ClientId, id: InboxId, site: &WebInbox) -> Result<()> {
    sqlx::query("INSERT INTO web_inbox (client_id, id, name, origins) VALUES ($1, $2, $3, $4)")
        .bind(client.0)
        .bind(id.0)
        .bind(&site.name)
        .bind(&site.origins)
        .execute(&mut *db)
        .await?;
    crate::web::sites::enter(db, client, id, &site.site_key).await
}

async fn insert_sms(db: &mut PgConnection, client: ClientId, id: InboxId, sms: &Sms) -> Result<()> {
    sqlx::query("INSERT INTO sms_inbox (client_id, id, is_default) VALUES ($1, $2, $3)")
        .bind(client.0)
        .bind(id.0)
        .bind(sms.is_default)
        .execute(db)
        .await?;
    Ok(())
}
