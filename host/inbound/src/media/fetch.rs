//! Copies files from the provider into our store. Ids of the provider expire after seven days, its addresses after five
//! minutes. So files are fetched at once, and a new address is requested if the known one fails.

use std::path::PathBuf;

use base::{Context, Error, Result, lanes::Lease, secrets::SecretPurpose};
use channels::{
    media_download::{MediaError, MediaExpectation},
    media_store::{MediaContent, MediaStoreError, StoredMedia, create_private_folder},
    whatsapp_cloud::{CloudNumber, GraphError},
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    file_type::FileType,
    ids::{ClientId, InboxId},
    inbox::InboxKind,
    media_type::{extension_for, is_known_with},
};
use futures::{StreamExt, TryStreamExt, stream};
use storage::{
    inbound::media::{MediaRecord, ReadyMedia},
    inboxes::Inbox,
};
use tokio::{fs::File, io::AsyncReadExt};
use uuid::Uuid;

use super::refusal::MediaRefused;
use crate::accounts;

const AT_ONCE: usize = 4;
const PAGE: i64 = 32;
/// Pauses between attempts. After the last one a file is given up.
const PAUSES: [TimeDelta; 8] = [
    TimeDelta::seconds(5),
    TimeDelta::seconds(30),
    TimeDelta::minutes(2),
    TimeDelta::minutes(10),
    TimeDelta::hours(1),
    TimeDelta::hours(6),
    TimeDelta::hours(24),
    TimeDelta::hours(48),
];

#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error("this number has no Cloud credentials; add them with `patchbay number add`")]
    NoCredentials,
    #[error("this program has no access to the devices of Lite numbers; set whatsapp_lite.bridge_url")]
    NoDevices,
    #[error("this program has no access to Messenger")]
    NoMessenger,
    #[error("this program has no access to the provider of this account")]
    NoProvider,
    #[error("the provider did not return the address of the file")]
    NoAddress,
    #[error("the provider does not return the address of the file: {0}")]
    Unresolved(GraphError),
    #[error("the file could not be downloaded: {0}")]
    Download(MediaError),
    #[error(transparent)]
    Store(#[from] MediaStoreError),
    #[error(transparent)]
    Failed(#[from] Error),
}

impl FetchError {
    fn is_final(&self) -> bool {
        matches!(self, Self::Download(MediaError::TooLarge { .. } | MediaError::HostNotAllowed(_)))
    }
}

pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    while !lease.is_over() {
        let page = {
            let mut db = ctx.db.acquire().await?;
            storage::inbound::media::due(&mut db, lease.client, InboxId(lease.lane), ctx.now(), PAGE).await?
        };
        if page.is_empty() {
            return Ok(());
        }
        let mut fetches = Vec::with_capacity(page.len());
        for file in &page {
            fetches.push(fetch_and_record(ctx, lease, file));
        }
        stream::iter(fetches).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
    }
    Ok(())
}

async fn fetch_and_record(ctx: &Context, lease: &Lease, file: &MediaRecord) -> Result<()> {
    if lease.is_over() {
        return Ok(());
    }
    let fetched = fetch(ctx, lease.client, file).await;
    record(ctx, Some(lease), lease.client, file, &fetched).await
}

/// Fetches a file for a reader before the worker did. If both fetch it, they store the same bytes.
pub(super) async fn fetch_now(
    ctx: &Context,
    client: ClientId,
    file: &MediaRecord,
) -> std::result::Result<(), MediaRefused> {
    let fetched = fetch(ctx, client, file).await;
    // Only a success is recorded, because the worker has its own schedule of attempts.
    if fetched.is_ok() {
        record(ctx, None, client, file, &fetched).await?;
    }
    match fetched {
        Ok(_) => Ok(()),
        Err(FetchError::Failed(error)) => Err(MediaRefused::Failed(error)),
        Err(error) if error.is_final() => Err(MediaRefused::Gone),
        Err(error) => {
            tracing::info!(media.id = %file.id, error = &error as &dyn std::error::Error, "a requested file could not be fetched; a later request tries again");
            Err(MediaRefused::NotYet)
        }
    }
}

struct Fetched {
    stored: StoredMedia,
    file_type: Option<FileType>,
}

const BEGINNING: u64 = 2_048;

async fn keep(
    ctx: &Context,
    client: ClientId,
    file: &MediaRecord,
    path: PathBuf,
) -> std::result::Result<Fetched, FetchError> {
    let beginning = async {
        let mut beginning = Vec::new();
        File::open(&path).await?.take(BEGINNING).read_to_end(&mut beginning).await?;
        Ok(beginning)
    };
    let beginning = beginning.await.map_err(|source| MediaStoreError::File { path: path.clone(), source })?;
    let stored = ctx.media.put(client, file.id, MediaContent::File(path)).await?;
    Ok(Fetched { stored, file_type: FileType::of_beginning(&beginning) })
}

async fn fetch(ctx: &Context, client: ClientId, file: &MediaRecord) -> std::result::Result<Fetched, FetchError> {
    let mut expected =
        MediaExpectation { max_bytes: ctx.settings.limits.inbound_media_max_bytes, sha256: file.sha256.clone() };
    let inbox = {
        let mut db = ctx.db.acquire().await.map_err(Error::from)?;
        storage::inboxes::by_id(&mut db, client, file.inbox).await.map_err(Error::from)?
    };
    let target = scratch_file(ctx, file).await?;
    if let Some(account) = inbox.as_ref().and_then(Inbox::account) {
        let provider = ctx.carriers.account_provider(account.kind).ok_or(FetchError::NoProvider)?;
        let login = accounts::login(ctx, client, account)?;
        let downloaded = provider.download(&login, &file.provider_media_id, &expected, &target).await;
        return keep(ctx, client, file, downloaded.map_err(FetchError::Download)?.path).await;
    }
    if inbox.as_ref().is_some_and(|inbox| inbox.kind() == InboxKind::WhatsappLite) {
        let devices = ctx.carriers.lite_devices().ok_or(FetchError::NoDevices)?;
        let url = file.source_url.as_deref().ok_or(FetchError::NoAddress)?;
        let downloaded = devices.download(url, &expected, &target).await.map_err(FetchError::Download)?;
        return keep(ctx, client, file, downloaded.path).await;
    }
    if inbox.as_ref().is_some_and(|inbox| inbox.kind() == InboxKind::Messenger) {
        let messenger = ctx.carriers.messenger().ok_or(FetchError::NoMessenger)?;
        let url = file.source_url.as_deref().ok_or(FetchError::NoAddress)?;
        let downloaded = messenger.download(url, &expected, &target).await.map_err(FetchError::Download)?;
        return keep(ctx, client, file, downloaded.path).await;
    }
    let number = credentials(ctx, client, inbox.as_ref())?;
    // The address in the callback saves a request, but has expired by the second attempt.
    let url = match &file.source_url {
        Some(url) if file.attempts == 0 => url.clone(),
        _ => {
            let node = ctx.cloud.resolve_media(&number, &file.provider_media_id).await;
            let node = node.map_err(FetchError::Unresolved)?;
            expected.sha256 = expected.sha256.or(node.sha256);
            node.url
        }
    };
    let downloaded = ctx.cloud.download_media(&number, &url, &expected, &target).await;
    let downloaded = downloaded.map_err(FetchError::Download)?;
    keep(ctx, client, file, downloaded.path).await
}

fn credentials(ctx: &Context, client: ClientId, inbox: Option<&Inbox>) -> std::result::Result<CloudNumber, FetchError> {
    let cloud = inbox.and_then(Inbox::cloud).ok_or(FetchError::NoCredentials)?;
    let sealed = &cloud.access_token_sealed;
    let access_token = ctx.sealer.open_text(client, SecretPurpose::AccessToken, sealed).map_err(Error::from)?;
    let phone_number_id = cloud.phone_number_id.clone();
    Ok(CloudNumber { phone_number_id, access_token })
}

/// Each download has its own file, so that two downloads of one file do not overwrite each other.
async fn scratch_file(ctx: &Context, file: &MediaRecord) -> std::result::Result<PathBuf, FetchError> {
    let folder = &ctx.scratch;
    let unusable = |source| MediaStoreError::File { path: folder.clone(), source };
    create_private_folder(folder).await.map_err(unusable)?;
    let download: Uuid = ctx.ids.mint(ctx.now());
    Ok(folder.join(format!("{}-{download}", file.id)))
}

/// Removes downloads that began before `before` and never finished because the process was killed. The id in the name
/// has the time.
pub(super) async fn forget_cut_off(ctx: &Context, before: DateTime<Utc>) -> std::io::Result<usize> {
    let first_kept = domain::clock::first_id_at(before);
    let mut folder = tokio::fs::read_dir(&ctx.scratch).await?;
    let mut removed = 0;
    while let Some(entry) = folder.next_entry().await? {
        let name = entry.file_name();
        let begun = name.to_str().and_then(|name| name.get(37..)).and_then(|id| Uuid::parse_str(id).ok());
        if begun.is_some_and(|begun| begun < first_kept) {
            tokio::fs::remove_file(entry.path()).await?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// MIME type and extension from the bytes of a file, if they differ from the declared type.
fn refusal_of(file: &MediaRecord, found: FileType) -> Option<(&'static str, String)> {
    let agrees = is_known_with(&file.mime_type, found.extension());
    (!agrees).then(|| (found.mime(), extension_for(found.mime(), file.filename.as_deref())))
}

async fn record(
    ctx: &Context,
    lease: Option<&Lease>,
    client: ClientId,
    file: &MediaRecord,
    fetched: &std::result::Result<Fetched, FetchError>,
) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    if let Some(lease) = lease {
        lease.hold(&mut tx).await?;
    }
    match fetched {
        Ok(Fetched { stored, file_type }) => {
            let bytes = i64::try_from(stored.bytes).unwrap_or(i64::MAX);
            let judged = file_type.and_then(|found| refusal_of(file, found));
            let judged = judged.as_ref().map(|(mime_type, extension)| (*mime_type, extension.as_str()));
            let ready = ReadyMedia { id: file.id, sha256: &stored.sha256, bytes, judged };
            storage::inbound::media::mark_ready(&mut tx, client, ready).await?;
        }
        Err(error) => {
            let made = usize::try_from(file.attempts).unwrap_or(0);
            let pause = PAUSES.get(made).filter(|_| !error.is_final());
            let next = pause.map(|pause| ctx.now() + *pause);
            tracing::warn!(media.id = %file.id, attempts = made + 1, given_up = next.is_none(),
                error = error as &dyn std::error::Error, "a customer's file could not be fetched");
            storage::inbound::media::mark_failed_attempt(&mut tx, client, file.id, next).await?;
        }
    }
    tx.commit().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use domain::ids::MediaId;
    use storage::inbound::media::MediaState;

    use super::*;

    fn file(mime_type: &str, filename: Option<&str>) -> MediaRecord {
        MediaRecord {
            id: MediaId(Uuid::nil()),
            inbox: InboxId(Uuid::nil()),
            state: MediaState::Pending,
            provider_media_id: String::new(),
            source_url: None,
            mime_type: mime_type.to_owned(),
            extension: String::new(),
            filename: filename.map(str::to_owned),
            sha256: None,
            size: None,
            attempts: 0,
        }
    }

    #[test]
    fn the_type_of_the_bytes_takes_precedence_over_a_wrong_declared_type() {
        for (said, name, found, mime_type, extension) in [
            ("text/html", Some("x.html"), FileType::Gif, "image/gif", "gif"),
            ("application/octet-stream", Some("photo.exe"), FileType::Jpeg, "image/jpeg", "jpg"),
            ("application/octet-stream", Some("photo.jpeg"), FileType::Jpeg, "image/jpeg", "jpeg"),
            ("application/zip", None, FileType::Pdf, "application/pdf", "pdf"),
            ("application/x-unheard-of", None, FileType::Png, "image/png", "png"),
        ] {
            assert_eq!(refusal_of(&file(said, name), found), Some((mime_type, extension.to_owned())), "{said}");
        }
        for (said, found) in [
            ("image/jpeg", FileType::Jpeg),
            ("audio/ogg; codecs=opus", FileType::Opus),
            ("application/pdf", FileType::Pdf),
            ("video/mp4", FileType::Mp4),
        ] {
            assert_eq!(refusal_of(&file(said, None), found), None, "{said}");
        }
    }
}
