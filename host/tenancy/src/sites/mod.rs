//! Sites with the chat widget: add and change them, their keys, and the secrets that sign the ids of their users.

mod secrets;

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::{SealError, SecretPurpose},
};
use domain::{
    body::FieldFault,
    ids::{ClientId, InboxId},
    page::{Page, PageRequest},
    web_chat::{SiteForm, SiteSettings},
};
use storage::{
    Db, PgConnection,
    chat::teams,
    inboxes::{self, Inbox, InboxSettings, WebInbox},
    tenancy::clients,
    web::sites,
};

pub use storage::web::sites::Site;

const MOST_SITES: i64 = 100;

#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    #[error("{}", .0.first().map(ToString::to_string).unwrap_or_default())]
    Faults(Vec<FieldFault>),
    #[error("there is no such site")]
    NotFound,
    #[error("there is no client `{0}`")]
    UnknownClient(String),
    #[error("a client may have {MOST_SITES} sites: delete one first")]
    TooMany,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(SiteError: storage::Error, SealError);

pub async fn add_of_ref(
    admin: &Administration<'_>,
    client_ref: &str,
    asked: &SiteForm,
    actor: Actor,
) -> Result<Site, SiteError> {
    let found = {
        let mut db = admin.db.acquire().await?;
        clients::find_by_ref(&mut db, client_ref).await?
    };
    let client = found.ok_or_else(|| SiteError::UnknownClient(client_ref.to_owned()))?;
    add(admin, client, asked, actor).await
}

pub async fn add(
    admin: &Administration<'_>,
    client: ClientId,
    asked: &SiteForm,
    actor: Actor,
) -> Result<Site, SiteError> {
    judge(asked, true)?;
    let mut site = Site {
        client,
        id: admin.mint(),
        key: secrets::new_key()?,
        name: String::new(),
        origins: Vec::new(),
        settings: SiteSettings::default(),
        team: None,
        created_at: admin.now(),
    };
    let secret = admin.sealer.seal(client, SecretPurpose::SiteIdentity, secrets::new_secret()?.as_bytes())?;
    let mut tx = admin.db.begin().await?;
    if sites::page(&mut tx, client, PageRequest::first(1)).await?.1 >= MOST_SITES {
        return Err(SiteError::TooMany);
    }
    fill(&mut tx, &mut site, asked).await?;
    let web = WebInbox { site_key: site.key.clone(), name: site.name.clone(), origins: Vec::new() };
    let inbox = Inbox { id: site.id, settings: InboxSettings::Web(web) };
    inboxes::insert(&mut tx, client, &inbox, admin.now()).await?;
    sites::save(&mut tx, &site).await?;
    sites::set_identity_secret(&mut tx, client, site.id, &secret).await?;
    audit(admin, &mut tx, client, actor, "create", AuditObject::new("webSite", &site.id)).await?;
    tx.commit().await?;
    Ok(site)
}

pub async fn update(
    admin: &Administration<'_>,
    client: ClientId,
    id: InboxId,
    asked: &SiteForm,
    actor: Actor,
) -> Result<Site, SiteError> {
    judge(asked, false)?;
    let mut tx = admin.db.begin().await?;
    let mut site = lock_site(&mut tx, client, id).await?;
    fill(&mut tx, &mut site, asked).await?;
    sites::save(&mut tx, &site).await?;
    audit(admin, &mut tx, client, actor, "update", AuditObject::new("webSite", &id)).await?;
    tx.commit().await?;
    Ok(site)
}

/// Replaces the key of a site. Pages with the old key show no widget any more.
pub async fn new_key(
    admin: &Administration<'_>,
    client: ClientId,
    id: InboxId,
    actor: Actor,
) -> Result<Site, SiteError> {
    let key = secrets::new_key()?;
    let mut tx = admin.db.begin().await?;
    let mut site = lock_site(&mut tx, client, id).await?;
    sites::set_key(&mut tx, client, id, &key).await?;
    audit(admin, &mut tx, client, actor, "rotate", AuditObject::new("webSite", &id)).await?;
    tx.commit().await?;
    site.key = key;
    Ok(site)
}

pub async fn delete(admin: &Administration<'_>, client: ClientId, id: InboxId, actor: Actor) -> Result<(), SiteError> {
    let mut tx = admin.db.begin().await?;
    lock_site(&mut tx, client, id).await?;
    sites::delete(&mut tx, client, id, admin.now()).await?;
    audit(admin, &mut tx, client, actor, "delete", AuditObject::new("webSite", &id)).await?;
    tx.commit().await?;
    Ok(())
}

pub async fn find(db: &Db, client: ClientId, id: InboxId) -> Result<Site, SiteError> {
    let mut db = db.acquire().await?;
    sites::by_id(&mut db, client, id).await?.ok_or(SiteError::NotFound)
}

pub async fn list(db: &Db, client: ClientId, page: PageRequest) -> base::Result<Page<Site>> {
    let mut db = db.acquire().await?;
    let (items, total) = sites::page(&mut db, client, page).await?;
    Ok(Page::of(items, total))
}

pub async fn identity_secret(admin: &Administration<'_>, client: ClientId, id: InboxId) -> Result<String, SiteError> {
    let mut db = admin.db.acquire().await?;
    sites::by_id(&mut db, client, id).await?.ok_or(SiteError::NotFound)?;
    let sealed = sites::identity_secret(&mut db, client, id).await?.ok_or(SiteError::NotFound)?;
    Ok(admin.sealer.open_text(client, SecretPurpose::SiteIdentity, &sealed)?)
}

/// Replaces the secret of a site. Signatures with the old one become invalid.
pub async fn rotate_identity_secret(
    admin: &Administration<'_>,
    client: ClientId,
    id: InboxId,
    actor: Actor,
) -> Result<String, SiteError> {
    let secret = secrets::new_secret()?;
    let sealed = admin.sealer.seal(client, SecretPurpose::SiteIdentity, secret.as_bytes())?;
    let mut tx = admin.db.begin().await?;
    lock_site(&mut tx, client, id).await?;
    sites::set_identity_secret(&mut tx, client, id, &sealed).await?;
    audit(admin, &mut tx, client, actor, "rotateSecret", AuditObject::new("webSite", &id)).await?;
    tx.commit().await?;
    Ok(secret)
}

fn judge(asked: &SiteForm, new: bool) -> Result<(), SiteError> {
    let faults = asked.faults(new);
    if faults.is_empty() { Ok(()) } else { Err(SiteError::Faults(faults)) }
}

async fn lock_site(db: &mut PgConnection, client: ClientId, id: InboxId) -> Result<Site, SiteError> {
    if !sites::lock(db, client, id).await? {
        return Err(SiteError::NotFound);
    }
    sites::by_id(db, client, id).await?.ok_or(SiteError::NotFound)
}

async fn fill(db: &mut PgConnection, site: &mut Site, asked: &SiteForm) -> Result<(), SiteError> {
    if let Some(name) = &asked.name {
        site.name = name.trim().to_owned();
    }
    if let Some(origins) = asked.read_origins() {
        site.origins = origins;
    }
    if let Some(team) = &asked.team {
        site.team = match team.as_deref().map(str::trim).filter(|team| !team.is_empty()) {
            None => None,
            Some(name) => {
                let unknown =
                    || SiteError::Faults(vec![FieldFault::new("team", "is not the name of a team of the client")]);
                Some(teams::by_name(db, site.client, name).await?.ok_or_else(unknown)?)
            }
        };
    }
    asked.apply(&mut site.settings);
    Ok(())
}
