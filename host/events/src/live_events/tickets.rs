//! Tickets for browsers, which cannot set a header: short-lived, for one connection, and without a secret of the user.

use base::{Context, Result, secrets};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    ids::{ClientId, UserId},
    privacy::CustomerVisibility,
    sandbox::KeyMode,
};
use sha2::{Digest, Sha256};
use storage::{
    live_events::tickets,
    tenancy::{api_keys::KeyOwner, users::Role},
};
use uuid::Uuid;

const RANDOM: usize = 32;

/// A user with its key. A connection stays open as long as the user has this key and this role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub client: ClientId,
    pub user: UserId,
    pub role: Role,
    pub client_ref: String,
    pub sight: CustomerVisibility,
    pub key_hash: Vec<u8>,
    pub mode: KeyMode,
}

pub async fn issue(ctx: &Context, holder: &Holder) -> Result<String> {
    let random = secrets::random::<RANDOM>()?;
    let now = ctx.now();
    let expires_at = now + ctx.settings.limits.live_ticket;
    let (client, hash) = (holder.client, hash(&random));
    let new = tickets::NewTicket { user: holder.user, key_hash: holder.key_hash.as_slice(), hash: &hash, expires_at };
    let mut tx = ctx.db.begin().await?;
    tickets::insert(&mut tx, client, new, now).await?;
    tx.commit().await?;
    // It begins with the client, so that it is found by client as everything else.
    let bytes: Vec<u8> = client.0.as_bytes().iter().chain(&random).copied().collect();
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Redeems a ticket; `None` if there is no such ticket, it was used, or its user has another key.
pub async fn redeem(ctx: &Context, ticket: &str) -> Result<Option<Holder>> {
    let Some((client, hash)) = read(ticket) else { return Ok(None) };
    let mut db = ctx.db.acquire().await?;
    let taken = tickets::redeem(&mut db, client, &hash, ctx.now()).await?;
    let holder = |owner: KeyOwner| {
        let (sight, mode) = (owner.role.sight(owner.popia_compliant), owner.mode());
        let KeyOwner { client, user, role, client_ref, key_hash, .. } = owner;
        Holder { client, user, role, client_ref, sight, key_hash, mode }
    };
    Ok(taken.map(holder))
}

fn read(ticket: &str) -> Option<(ClientId, Vec<u8>)> {
    let bytes = URL_SAFE_NO_PAD.decode(ticket).ok()?;
    let (client, random) = bytes.split_at_checked(16)?;
    (random.len() == RANDOM).then_some(())?;
    Some((ClientId(Uuid::from_slice(client).ok()?), hash(random)))
}

fn hash(random: &[u8]) -> Vec<u8> {
    Sha256::digest(random).to_vec()
}
