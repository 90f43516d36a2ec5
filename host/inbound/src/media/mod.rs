//! Files of customers. They have an address of ours at once, and their bytes a little later (PROVIDERS A.6).

mod fetch;
mod refusal;
mod unsent_files;

use std::{ops::Range, sync::Arc};

use base::{
    Context,
    media::{check, name_of},
};
use channels::media_store::{MediaStore, OpenMedia};
use chrono::{DateTime, Days, Utc};
use domain::{
    clock::minted_at,
    ids::{ClientId, MediaId},
};
use storage::inbound::media::{MediaRecord, MediaState};

pub use fetch::work;
pub use refusal::MediaRefused;

pub struct FoundMedia {
    pub mime_type: String,
    pub filename: String,
    pub bytes: u64,
    pub at: DateTime<Utc>,
    client: ClientId,
    id: MediaId,
    store: Arc<dyn MediaStore>,
}

impl FoundMedia {
    /// A value that is unique to this file and never changes, for `ETag`.
    pub fn tag(&self) -> String {
        self.id.to_string()
    }

    pub async fn read(&self, part: Option<Range<u64>>) -> Result<OpenMedia, MediaRefused> {
        let open = match part {
            Some(part) => self.store.open_part(self.client, self.id, part).await?,
            None => self.store.open(self.client, self.id).await?,
        };
        open.ok_or(MediaRefused::NotFound)
    }
}

/// Finds the file behind an address of [`base::media::url_for`]. `expires` (Unix seconds) and `signature` are its
/// query. If the file has not been fetched yet, it is fetched now.
pub async fn find(
    ctx: &Context,
    client: ClientId,
    id: MediaId,
    expires: i64,
    signature: &str,
) -> Result<FoundMedia, MediaRefused> {
    check(ctx, client, id, expires, signature)?;
    let mut file = find_stored(ctx, client, id).await?;
    if file.state == MediaState::Failed {
        return Err(MediaRefused::Gone);
    }
    if file.state == MediaState::Pending {
        fetch::fetch_now(ctx, client, &file).await?;
        // The fetch may have corrected the type.
        file = find_stored(ctx, client, id).await?;
    }
    let bytes = ctx.media.size(client, id).await?.ok_or(MediaRefused::NotFound)?;
    let filename = name_of(&file, &id.to_string());
    let (at, store) = (minted_at(id.0), Arc::clone(&ctx.media));
    Ok(FoundMedia { mime_type: file.mime_type, filename, bytes, at, client, id, store })
}

async fn find_stored(ctx: &Context, client: ClientId, id: MediaId) -> Result<MediaRecord, MediaRefused> {
    let mut db = ctx.db.acquire().await?;
    storage::inbound::media::find(&mut db, client, id).await?.ok_or(MediaRefused::NotFound)
}

const FORGOTTEN_AT_ONCE: i64 = 200;

/// Removes files past their retention and unfinished downloads. Several processes may do this at the same time.
pub async fn forget_old(ctx: &Context) {
    let days_ago = |days: u64| ctx.now().checked_sub_days(Days::new(days)).unwrap_or_default();
    if let Err(error) = fetch::forget_cut_off(ctx, days_ago(1)).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "unfinished downloads could not be removed");
    }
    if let Err(error) = unsent_files::forget(ctx, days_ago(1)).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "files of turns without effect could not be removed");
    }
    let before = days_ago(u64::from(ctx.settings.retention.message_days));
    if let Err(error) = ctx.media.sweep(MediaId(domain::clock::first_id_at(before))).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "old files of this machine could not be removed");
    }
    loop {
        match forget(ctx, before).await {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "old files could not be removed");
                return;
            }
        }
    }
}

/// Removes files that arrived before `before`. The bytes go first, so that no bytes stay without a row. Returns the
/// number of files. Call it until it returns 0.
pub async fn forget(ctx: &Context, before: DateTime<Utc>) -> Result<usize, MediaRefused> {
    let old = storage::inbound::media::older_than(&mut *ctx.db.acquire().await?, before, FORGOTTEN_AT_ONCE).await?;
    for (client, id) in &old {
        // The store may need a session of its own, so none is held here.
        ctx.media.delete(*client, *id).await?;
        storage::inbound::media::remove(&mut *ctx.db.acquire().await?, *client, *id).await?;
    }
    Ok(old.len())
}
