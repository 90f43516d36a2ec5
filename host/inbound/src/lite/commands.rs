use base::{
    Context, Error, Queue,
    audit::{Actor, Administration, AuditObject, audit},
};
use chrono::{DateTime, SecondsFormat, Utc};
use domain::{
    ids::{ClientId, InboxId},
    lite::{Throttle, WantedSession},
    phone::Msisdn,
};
use storage::{
    PgConnection,
    inboxes::{
        self, InboxSettings,
        lite::{self, LiteSession},
    },
    tenancy::clients,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteSessionView {
    pub id: InboxId,
    pub msisdn: Msisdn,
    pub session: LiteSession,
}

#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("there is no such number")]
    NotFound,
    #[error("{0} is not a WhatsApp Lite number: only those have sessions")]
    NotLite(String),
    #[error("the number is flagged by WhatsApp: it cannot connect before {}", .0.to_rfc3339_opts(SecondsFormat::Secs, true))]
    Banned(DateTime<Utc>),
    #[error("this service has no Lite devices: neither whatsapp_lite.bridge_url nor whatsapp_lite.native is set")]
    NoDevices,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(CommandError: storage::Error);

async fn find(db: &mut PgConnection, client: ClientId, id: InboxId) -> Result<LiteSessionView, CommandError> {
    let inbox = inboxes::by_id(db, client, id).await?.ok_or(CommandError::NotFound)?;
    match inbox.settings {
        InboxSettings::WhatsappLite(number) => {
            let session = lite::session(db, client, id).await?.unwrap_or_default();
            Ok(LiteSessionView { id, msisdn: number.msisdn, session })
        }
        InboxSettings::WhatsappCloud(number) => Err(CommandError::NotLite(number.msisdn.to_string())),
        _ => Err(CommandError::NotFound),
    }
}

/// Returns the session of a number, without an expired QR code.
pub async fn session(ctx: &Context, client: ClientId, id: InboxId) -> Result<LiteSessionView, CommandError> {
    let mut db = ctx.db.acquire().await.map_err(Error::from)?;
    let mut view = find(&mut db, client, id).await?;
    view.session.qr = view.session.qr.filter(|(_, until)| *until > ctx.now());
    Ok(view)
}

pub async fn connect(
    ctx: &Context,
    client: ClientId,
    id: InboxId,
    actor: Actor,
) -> Result<LiteSessionView, CommandError> {
    want(ctx, client, id, actor, WantedSession::Connected).await
}

pub async fn disconnect(
    ctx: &Context,
    client: ClientId,
    id: InboxId,
    actor: Actor,
) -> Result<LiteSessionView, CommandError> {
    want(ctx, client, id, actor, WantedSession::Disconnected).await
}

pub async fn logout(
    ctx: &Context,
    client: ClientId,
    id: InboxId,
    actor: Actor,
) -> Result<LiteSessionView, CommandError> {
    want(ctx, client, id, actor, WantedSession::LoggedOut).await
}

async fn want(
    ctx: &Context,
    client: ClientId,
    id: InboxId,
    actor: Actor,
    wanted: WantedSession,
) -> Result<LiteSessionView, CommandError> {
    let mut tx = ctx.db.begin().await.map_err(Error::from)?;
    let mut view = find(&mut tx, client, id).await?;
    if ctx.carriers.lite_devices().is_none() {
        return Err(CommandError::NoDevices);
    }
    let banned = view.session.banned_until.filter(|until| *until > ctx.now());
    if let (WantedSession::Connected, Some(until)) = (wanted, banned) {
        return Err(CommandError::Banned(until));
    }
    lite::want(&mut tx, client, id, wanted, ctx.now()).await?;
    let action = match wanted {
        WantedSession::Connected => "connect",
        WantedSession::Disconnected => "disconnect",
        WantedSession::LoggedOut => "logout",
    };
    let admin = Administration::from(ctx);
    audit(&admin, &mut tx, client, actor, action, AuditObject::new("whatsAppNumber", &id)).await?;
    tx.commit().await.map_err(Error::from)?;
    ctx.wake.wake(Queue::LiteSession, client, id.0);
    view.session.wanted = wanted;
    Ok(view)
}

pub async fn processing(ctx: &Context, client: ClientId, id: InboxId) -> Result<(Throttle, String), CommandError> {
    let mut db = ctx.db.acquire().await.map_err(Error::from)?;
    find(&mut db, client, id).await?;
    let throttle = lite::throttle(&mut db, client, id).await?.ok_or(CommandError::NotFound)?;
    Ok((throttle, time_zone(&mut db, client).await?))
}

/// Changes the throttle, and looks at waiting messages again at once. Returns the time zone.
pub async fn set_processing(
    ctx: &Context,
    client: ClientId,
    id: InboxId,
    actor: Actor,
    throttle: &Throttle,
) -> Result<String, CommandError> {
    let mut tx = ctx.db.begin().await.map_err(Error::from)?;
    find(&mut tx, client, id).await?;
    lite::lock(&mut tx, client, id).await?;
    if !lite::set_throttle(&mut tx, client, id, throttle).await? {
        return Err(CommandError::NotFound);
    }
    lite::close_sending(&mut tx, client, id, None).await?;
    let admin = Administration::from(ctx);
    audit(&admin, &mut tx, client, actor, "change message processing", AuditObject::new("whatsAppNumber", &id)).await?;
    let zone = time_zone(&mut tx, client).await?;
    tx.commit().await.map_err(Error::from)?;
    ctx.wake.wake(Queue::Outbound, client, id.0);
    Ok(zone)
}

async fn time_zone(db: &mut PgConnection, client: ClientId) -> Result<String, CommandError> {
    Ok(clients::get(db, client).await?.map(|client| client.time_zone).unwrap_or_else(|| "UTC".to_owned()))
}
