//! A client and its child clients (SPEC 4.7): references, names, fallbacks and privacy.

use domain::{
    chat::FallbackMode,
    hours::TimeZone,
    ids::ClientId,
    page::{Page, PageRequest},
    privacy::CustomerVisibility,
    sandbox::REF_SUFFIX,
};
use storage::{
    Db, PgConnection,
    tenancy::{clients, sandboxes},
    violates,
};

pub use storage::tenancy::clients::Client;

use crate::accounts::{Caller, CreateError, check_client_name, check_ref};
use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::SecretPurpose,
};

/// The reference of the caller's own client (DESIGN 7).
pub const ME: &str = "me";
/// Bound on name and password of an SMS account, in characters.
pub const SMS_LOGIN_MAX: usize = 200;

#[derive(Debug, Clone)]
pub struct ClientView {
    pub client: Client,
    pub parent_ref: Option<String>,
}

/// Changes of a client. `None` = unchanged.
#[derive(Debug, Clone, Default)]
pub struct ClientChange {
    /// The reference. The old one becomes free.
    pub client_ref: Option<String>,
    pub display_name: Option<String>,
    pub time_zone: Option<TimeZone>,
    pub asks_rating: Option<bool>,
    pub at_most_once: Option<bool>,
}

#[derive(Clone)]
pub struct FallbackChange {
    pub enabled: bool,
    /// The failures that count as "not on WhatsApp". `None` = unchanged.
    pub mode: Option<FallbackMode>,
    /// Name of the client's own SMS account. `Some(None)` = none.
    pub username: Option<Option<String>>,
    /// Its password. `None` = unchanged, `Some(None)` = deleted.
    pub password: Option<Option<String>>,
}

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("there is no such client")]
    Unknown,
    #[error(transparent)]
    Refused(CreateError),
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<CreateError> for ClientError {
    fn from(error: CreateError) -> Self {
        match error {
            CreateError::Failed(error) => Self::Failed(error),
            refused => Self::Refused(refused),
        }
    }
}

base::fails_with!(ClientError: storage::Error);

/// The client that a caller names: `me`, its own reference, or one below it. A test key may name its client by the
/// reference of live keys, too. `None` for all others, whether they exist or not.
pub async fn resolve_ref(db: &mut PgConnection, caller: ClientId, client_ref: &str) -> base::Result<Option<ClientId>> {
    if client_ref.eq_ignore_ascii_case(ME) {
        return Ok(Some(caller));
    }
    if client_ref.contains('\0') {
        return Ok(None);
    }
    let live_ref = client_ref.strip_suffix(REF_SUFFIX).unwrap_or(client_ref);
    let Some(found) = clients::find_by_ref(db, live_ref).await? else { return Ok(None) };
    if found == caller {
        return Ok((live_ref == client_ref).then_some(found));
    }
    if sandboxes::of(db, found).await? == Some(caller) {
        return Ok(Some(caller));
    }
    let seen = live_ref == client_ref && clients::is_within(db, caller, found).await?;
    Ok(seen.then_some(found))
}

/// The client that a caller names, in order to read its customers, and how the caller sees them: the stricter of both
/// clients' settings. `None` as for [`meant`].
pub async fn open(db: &Db, caller: &Caller, client_ref: &str) -> base::Result<Option<(ClientId, CustomerVisibility)>> {
    let mut db = db.acquire().await?;
    let Some(client) = resolve_ref(&mut db, caller.client, client_ref).await? else { return Ok(None) };
    if client == caller.client {
        return Ok(Some((client, caller.sight)));
    }
    let masks = clients::get(&mut db, client).await?.is_none_or(|client| client.popia_compliant);
    Ok(Some((client, caller.sight.max(caller.role.sight(masks)))))
}

pub async fn find(db: &Db, caller: ClientId, client_ref: &str) -> Result<ClientView, ClientError> {
    let mut db = db.acquire().await?;
    let client = resolve_ref(&mut db, caller, client_ref).await?.ok_or(ClientError::Unknown)?;
    client_view(&mut db, client).await
}

async fn client_view(db: &mut PgConnection, client: ClientId) -> Result<ClientView, ClientError> {
    let client = clients::get(db, client).await?.ok_or(ClientError::Unknown)?;
    let parent = match client.parent {
        Some(parent) => clients::get(db, parent).await?,
        None => None,
    };
    Ok(ClientView { client, parent_ref: parent.map(|parent| parent.client_ref) })
}

/// The direct children of a client, sorted by reference. Empty for a client that the caller does not see.
pub async fn children(
    db: &Db,
    caller: ClientId,
    client_ref: &str,
    page: PageRequest,
) -> Result<Page<ClientView>, ClientError> {
    let mut db = db.acquire().await?;
    let Some(parent) = resolve_ref(&mut db, caller, client_ref).await? else {
        return Ok(Page { items: Vec::new(), total: 0 });
    };
    let parent_ref = clients::get(&mut db, parent).await?.map(|parent| parent.client_ref);
    let (found, total) = clients::children(&mut db, parent, page).await?;
    let items = found.into_iter().map(|client| ClientView { client, parent_ref: parent_ref.clone() }).collect();
    Ok(Page::of(items, total))
}

/// A client to create below another.
#[derive(Debug, Clone, Copy)]
pub struct NewChild<'a> {
    pub client_ref: &'a str,
    pub display_name: &'a str,
}

/// Creates a client below another. It has no users yet: `patchbay user create` makes the first.
pub async fn create_child(
    admin: &Administration<'_>,
    caller: ClientId,
    parent_ref: &str,
    NewChild { client_ref, display_name }: NewChild<'_>,
    actor: Actor,
) -> Result<ClientView, ClientError> {
    check_ref(client_ref)?;
    check_client_name(display_name)?;
    let mut tx = admin.db.begin().await?;
    let parent = resolve_ref(&mut tx, caller, parent_ref).await?.ok_or(ClientError::Unknown)?;
    let child: ClientId = admin.mint();
    let new = clients::ClientRecord {
        client_ref,
        display_name,
        parent: Some(parent),
        allow_private_targets: false,
        sms_inbox: admin.mint(),
    };
    clients::insert(&mut tx, child, &new, admin.now()).await.map_err(|error| taken_error(error, client_ref))?;
    // Both clients can see the creator.
    for side in [parent, child] {
        audit(admin, &mut tx, side, actor, "create", AuditObject::new("client", &child)).await?;
    }
    let made = client_view(&mut tx, child).await?;
    tx.commit().await?;
    Ok(made)
}

pub async fn update(
    admin: &Administration<'_>,
    caller: ClientId,
    client_ref: &str,
    change: ClientChange,
    actor: Actor,
) -> Result<ClientView, ClientError> {
    if let Some(new) = &change.client_ref {
        check_ref(new)?;
    }
    if let Some(name) = &change.display_name {
        check_client_name(name)?;
    }
    change_client(admin, caller, client_ref, actor, "update", |client| {
        if let Some(new) = change.client_ref {
            client.client_ref = new;
        }
        if let Some(name) = change.display_name {
            client.display_name = name;
        }
        if let Some(zone) = change.time_zone {
            client.time_zone = zone.name().to_owned();
        }
        if let Some(asks) = change.asks_rating {
            client.asks_rating = asks;
        }
        if let Some(at_most_once) = change.at_most_once {
            client.at_most_once = at_most_once;
        }
    })
    .await
}

/// Switches the masking of numbers and names on or off, from the next request on all nodes.
pub async fn set_popia(
    admin: &Administration<'_>,
    caller: ClientId,
    client_ref: &str,
    compliant: bool,
    actor: Actor,
) -> Result<ClientView, ClientError> {
    let action = if compliant { "mask" } else { "unmask" };
    change_client(admin, caller, client_ref, actor, action, |client| client.popia_compliant = compliant).await
}

async fn change_client(
    admin: &Administration<'_>,
    caller: ClientId,
    client_ref: &str,
    actor: Actor,
    action: &str,
    change: impl FnOnce(&mut Client),
) -> Result<ClientView, ClientError> {
    let mut tx = admin.db.begin().await?;
    let id = resolve_ref(&mut tx, caller, client_ref).await?.ok_or(ClientError::Unknown)?;
    let mut client = clients::lock(&mut tx, id).await?.ok_or(ClientError::Unknown)?;
    change(&mut client);
    clients::save(&mut tx, &client).await.map_err(|error| taken_error(error, &client.client_ref))?;
    audit(admin, &mut tx, id, actor, action, AuditObject::new("client", &id)).await?;
    let after = client_view(&mut tx, id).await?;
    tx.commit().await?;
    Ok(after)
}

/// Changes the fallback settings of a client. They also apply to waiting fallbacks.
pub async fn set_sms_fallback(
    admin: &Administration<'_>,
    caller: ClientId,
    client_ref: &str,
    change: FallbackChange,
    actor: Actor,
) -> Result<ClientView, ClientError> {
    let mut tx = admin.db.begin().await?;
    let id = resolve_ref(&mut tx, caller, client_ref).await?.ok_or(ClientError::Unknown)?;
    let mut client = clients::lock(&mut tx, id).await?.ok_or(ClientError::Unknown)?;
    client.sms_fallback.enabled = change.enabled;
    client.fallback_mode = change.mode.unwrap_or(client.fallback_mode);
    if let Some(username) = change.username {
        client.sms_fallback.username = username;
    }
    clients::save(&mut tx, &client).await?;
    if let Some(password) = change.password {
        let seal = |password: String| admin.sealer.seal(id, SecretPurpose::SmsPassword, password.as_bytes());
        let sealed = password.map(seal).transpose().map_err(Error::from)?;
        clients::set_sms_password(&mut tx, id, sealed.as_deref()).await?;
    }
    audit(admin, &mut tx, id, actor, "update", AuditObject::new("smsFallback", &id)).await?;
    let after = client_view(&mut tx, id).await?;
    tx.commit().await?;
    Ok(after)
}

fn taken_error(error: storage::Error, client_ref: &str) -> ClientError {
    if violates(&error, clients::CLIENT_REF_UNIQUE) {
        ClientError::Refused(CreateError::RefTaken(client_ref.to_owned()))
    } else {
        error.into()
    }
}
