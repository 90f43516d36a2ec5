//! Files that customers sent: an address of our own from the first moment, the bytes a little later (PROVIDERS A.6).

mod address;
mod fetch;

use channels::media_store::MediaStoreError;
use chrono::{DateTime, Utc};
use domain::ids::{ClientId, MediaId};
use storage::media::MediaState;
use tokio::io::AsyncRead;

pub use address::url_for;
pub use fetch::work;

use crate::{Context, Error};

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
    /// The address was not made by us, or was changed.
    #[error("the signature of this address is wrong")]
    BadSignature,
    /// The address was valid once.
    #[error("this address has expired; take a new one from the message")]
    Expired,
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

/// Opens the file behind an address made by [`url_for`]: `expires` in Unix seconds and `signature` are its query. A file
/// that has not been fetched yet is fetched now.
pub async fn open(
    ctx: &Context,
    client: ClientId,
    id: MediaId,
    expires: i64,
    signature: &str,
) -> Result<OpenedMedia, MediaRefused> {
    address::check(ctx, client, id, expires, signature)?;
    let mut db = ctx.db.acquire().await?;
    let file = storage::media::find(&mut db, client, id).await?.ok_or(MediaRefused::NotFound)?;
    drop(db);
    if file.state == MediaState::Failed {
        return Err(MediaRefused::Gone);
    }
    if file.state == MediaState::Pending {
        fetch::fetch_now(ctx, client, &file).await?;
    }
    let open = ctx.media.open(id).await?.ok_or(MediaRefused::NotFound)?;
    let filename = file.filename.unwrap_or_else(|| format!("{id}.{}", file.extension));
    Ok(OpenedMedia { mime_type: file.mime_type, filename, bytes: open.bytes, reader: open.reader })
}

/// Removes up to `limit` files that came before `before`, bytes first, so that nothing is left without a row that knows
/// of it. Answers how many.
pub async fn forget(ctx: &Context, before: DateTime<Utc>, limit: i64) -> Result<usize, MediaRefused> {
    let mut db = ctx.db.acquire().await?;
    let old = storage::media::older_than(&mut db, before, limit).await?;
    for (client, id) in &old {
        ctx.media.delete(*id).await?;
        storage::media::remove(&mut db, *client, *id).await?;
    }
    Ok(old.len())
}

/// Removes downloads that a killed process left unfinished before `before`. Answers how many.
pub async fn forget_cut_off(ctx: &Context, before: DateTime<Utc>) -> std::io::Result<usize> {
    fetch::forget_cut_off(ctx, before).await
}

/// File name extension without the dot: that of the customer's own file name, else the usual one of the MIME type, else
/// `bin`.
pub(crate) fn extension(mime_type: &str, filename: Option<&str>) -> String {
    let essence = mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let named = filename.and_then(|name| name.rsplit_once('.')).map(|(_, end)| end.to_ascii_lowercase());
    let plausible = |end: &String| (1..=8).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphanumeric());
    named.filter(plausible).unwrap_or_else(|| usual_extension(&essence).to_owned())
}

/// WhatsApp's own types first: the general table knows several extensions for most of them, in no useful order.
fn usual_extension(essence: &str) -> &'static str {
    match essence {
        "image/jpeg" => "jpg",
        "image/png" => "png",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "video/mp4" => "mp4",
        "video/3gpp" => "3gp",
        "audio/aac" => "aac",
        "audio/amr" => "amr",
        "audio/mpeg" => "mp3",
        "audio/mp4" => "m4a",
        "audio/ogg" => "ogg",
        "application/pdf" => "pdf",
        "text/plain" => "txt",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        other => mime_guess::get_mime_extensions_str(other).and_then(|known| known.first().copied()).unwrap_or("bin"),
    }
}

#[cfg(test)]
mod tests {
    use super::extension;

    #[test]
    fn the_extension_is_that_of_the_customers_file_name() {
        assert_eq!(extension("application/octet-stream", Some("Invoice 7.PDF")), "pdf");
    }

    #[test]
    fn a_file_without_a_name_gets_the_extension_of_its_type() {
        assert_eq!(extension("image/jpeg", None), "jpg");
        assert_eq!(extension("audio/ogg; codecs=opus", None), "ogg");
        assert_eq!(extension("application/zip", None), "zip");
    }

    #[test]
    fn what_cannot_be_an_extension_is_not_taken_for_one() {
        assert_eq!(extension("image/png", Some("photo. of / me")), "png");
        assert_eq!(extension("application/x-unheard-of", Some("noextension")), "bin");
    }
}
