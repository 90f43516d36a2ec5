//! Files that customers sent: an address of our own from the first moment, the bytes a little later (PROVIDERS A.6).

mod fetch;

use channels::media_store::MediaStoreError;
use chrono::{DateTime, Days, Utc};
use domain::ids::{ClientId, MediaId};
use storage::inbound::media::MediaState;
use tokio::io::AsyncRead;

pub use fetch::work;

use base::{
    Context, Error,
    media::{AddressRefused, check},
};

/// A file, open for reading.
pub struct OpenedMedia {
    /// MIME type, as the provider named it.
    pub mime_type: String,
    /// Name to save it under.
    pub filename: String,
    /// Size.
    pub bytes: u64,
    /// Its content from the beginning.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
}

/// Why a file is not given out.
#[derive(Debug, thiserror::Error)]
pub enum MediaRefused {
    /// The address itself is no good.
    #[error(transparent)]
    Address(#[from] AddressRefused),
    /// No such file.
    #[error("there is no such file")]
    NotFound,
    /// It has not been fetched from the provider yet.
    #[error("the file has not arrived yet; try again in a few seconds")]
    NotYet,
    /// The provider does not give it out any more.
    #[error("the file could not be fetched from the provider")]
    Gone,
    /// Our store does not work.
    #[error(transparent)]
    Store(#[from] MediaStoreError),
    /// Nobody's fault.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<storage::Error> for MediaRefused {
    fn from(error: storage::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<storage::SqlxError> for MediaRefused {
    fn from(error: storage::SqlxError) -> Self {
        Self::Failed(error.into())
    }
}

/// Opens the file behind an address made by [`base::media::url_for`]: `expires` in Unix seconds and `signature` are its
/// query. A file that has not been fetched yet is fetched now.
pub async fn open(
    ctx: &Context,
    client: ClientId,
    id: MediaId,
    expires: i64,
    signature: &str,
) -> Result<OpenedMedia, MediaRefused> {
    check(ctx, client, id, expires, signature)?;
    let mut db = ctx.db.acquire().await?;
    let file = storage::inbound::media::find(&mut db, client, id).await?.ok_or(MediaRefused::NotFound)?;
    drop(db);
    if file.state == MediaState::Failed {
        return Err(MediaRefused::Gone);
    }
    if file.state == MediaState::Pending {
        fetch::fetch_now(ctx, client, &file).await?;
    }
    let open = ctx.media.open(client, id).await?.ok_or(MediaRefused::NotFound)?;
    let filename = file.filename.unwrap_or_else(|| format!("{id}.{}", file.extension));
    Ok(OpenedMedia { mime_type: file.mime_type, filename, bytes: open.bytes, reader: open.reader })
}

/// Files forgotten before the database is asked for more.
const FORGOTTEN_AT_ONCE: i64 = 200;

/// Removes the files that retention gives up, and downloads that no process can still be at. By every process that likes:
/// what is gone is gone.
pub async fn forget_old(ctx: &Context) {
    let days_ago = |days: u64| ctx.now().checked_sub_days(Days::new(days)).unwrap_or_default();
    if let Err(error) = fetch::forget_cut_off(ctx, days_ago(1)).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "unfinished downloads could not be removed");
    }
    let before = days_ago(u64::from(ctx.settings.retention.media_days));
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

/// Removes files that came before `before`, bytes first, so that nothing is left without a row that knows of it. Answers
/// how many; call it again until there are none.
pub async fn forget(ctx: &Context, before: DateTime<Utc>) -> Result<usize, MediaRefused> {
    let mut db = ctx.db.acquire().await?;
    let old = storage::inbound::media::older_than(&mut db, before, FORGOTTEN_AT_ONCE).await?;
    for (client, id) in &old {
        ctx.media.delete(*client, *id).await?;
        storage::inbound::media::remove(&mut db, *client, *id).await?;
    }
    Ok(old.len())
}
