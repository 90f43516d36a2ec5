//! The store of media bytes, a trait: a store that all nodes share can replace the local folder (DESIGN 7).

use std::{
    io,
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use bytes::Bytes;
use domain::ids::{ClientId, MediaId};
use sha2::{Digest, Sha256};
use tokio::{
    fs,
    io::{AsyncRead, AsyncReadExt, AsyncSeekExt, AsyncWriteExt},
};
use uuid::Uuid;

#[async_trait]
pub trait MediaStore: Send + Sync {
    /// Stores an object; it is on disk when this returns. A second object with the same id replaces it.
    async fn put(&self, client: ClientId, id: MediaId, content: MediaContent) -> Result<StoredMedia, MediaStoreError>;
    async fn open(&self, client: ClientId, id: MediaId) -> Result<Option<OpenMedia>, MediaStoreError>;
    async fn size(&self, client: ClientId, id: MediaId) -> Result<Option<u64>, MediaStoreError>;
    /// Opens a part of an object within its size; `None` if there is no such object.
    async fn open_part(
        &self,
        client: ClientId,
        id: MediaId,
        part: Range<u64>,
    ) -> Result<Option<OpenMedia>, MediaStoreError>;
    async fn delete(&self, client: ClientId, id: MediaId) -> Result<bool, MediaStoreError>;
    /// Removes some local objects that were stored before `first_kept`. Repeated calls find all of them.
    async fn sweep(&self, _first_kept: MediaId) -> Result<usize, MediaStoreError> {
        Ok(0)
    }
}

#[derive(Debug)]
pub enum MediaContent {
    Bytes(Bytes),
    File(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMedia {
    pub bytes: u64,
    pub sha256: String,
}

pub struct OpenMedia {
    pub bytes: u64,
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
}

#[derive(Debug, thiserror::Error)]
pub enum MediaStoreError {
    #[error("media file {path}: {source}; check that the data directory is writable and has space")]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the store of files ({store}) failed")]
    Shared {
        /// The value of `media.store`.
        store: &'static str,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Objects as private files of a local folder, in 256 subfolders by the last two digits of the id.
#[derive(Debug, Clone)]
pub struct LocalMediaStore {
    folder: PathBuf,
    swept: Arc<AtomicU8>,
}

impl LocalMediaStore {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), swept: Arc::default() }
    }

    fn path_of(&self, id: MediaId) -> PathBuf {
        let name = id.0.simple().to_string();
        let shard = name.get(name.len().saturating_sub(2)..).unwrap_or("00").to_owned();
        self.folder.join(shard).join(name)
    }
}

#[async_trait]
impl MediaStore for LocalMediaStore {
    async fn put(&self, _client: ClientId, id: MediaId, content: MediaContent) -> Result<StoredMedia, MediaStoreError> {
        let target = self.path_of(id);
        let shard = target.parent().unwrap_or(&self.folder).to_owned();
        at(&shard, create_private_folder(&shard).await)?;
        let partial = partial_of(&target);
        let stored = match assemble(&partial, content).await {
            Ok(stored) => at(&target, fs::rename(&partial, &target).await).map(|()| stored),
            Err(error) => Err(error),
        };
        if stored.is_err() {
            // No caller uses it any more. The present error says more than one from here could.
            drop(fs::remove_file(&partial).await);
        }
        let stored = stored?;
        // The name is durable only if its folder is.
        at(&shard, sync_folder(&shard).await)?;
        Ok(stored)
    }

    async fn open(&self, _client: ClientId, id: MediaId) -> Result<Option<OpenMedia>, MediaStoreError> {
        let path = self.path_of(id);
        match fs::File::open(&path).await {
            Ok(file) => {
                let bytes = at(&path, file.metadata().await)?.len();
                Ok(Some(OpenMedia { bytes, reader: Box::new(file) }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(MediaStoreError::File { path, source }),
        }
    }

    async fn size(&self, _client: ClientId, id: MediaId) -> Result<Option<u64>, MediaStoreError> {
        let path = self.path_of(id);
        match fs::metadata(&path).await {
            Ok(found) => Ok(Some(found.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(MediaStoreError::File { path, source }),
        }
    }

    async fn open_part(
        &self,
        _client: ClientId,
        id: MediaId,
        part: Range<u64>,
    ) -> Result<Option<OpenMedia>, MediaStoreError> {
        let path = self.path_of(id);
        match fs::File::open(&path).await {
            Ok(mut file) => {
                at(&path, file.seek(io::SeekFrom::Start(part.start)).await)?;
                let bytes = part.end.saturating_sub(part.start);
                Ok(Some(OpenMedia { bytes, reader: Box::new(file.take(bytes)) }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(MediaStoreError::File { path, source }),
        }
    }

    async fn delete(&self, _client: ClientId, id: MediaId) -> Result<bool, MediaStoreError> {
        remove_if_there(self.path_of(id)).await
    }

    /// Sweeps one subfolder per call.
    async fn sweep(&self, first_kept: MediaId) -> Result<usize, MediaStoreError> {
        let shard = self.folder.join(format!("{:02x}", self.swept.fetch_add(1, Ordering::Relaxed)));
        let mut files = match fs::read_dir(&shard).await {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            opened => at(&shard, opened)?,
        };
        let mut removed = 0;
        while let Some(file) = at(&shard, files.next_entry().await)? {
            let name = file.file_name();
            let id = name.to_str().and_then(|name| name.split('.').next()).and_then(|id| Uuid::try_parse(id).ok());
            if id.is_some_and(|id| id < first_kept.0) {
                removed += usize::from(remove_if_there(file.path()).await?);
            }
        }
        Ok(removed)
    }
}

async fn remove_if_there(path: PathBuf) -> Result<bool, MediaStoreError> {
    match fs::remove_file(&path).await {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(MediaStoreError::File { path, source }),
    }
}

async fn assemble(partial: &Path, content: MediaContent) -> Result<StoredMedia, MediaStoreError> {
    match content {
        MediaContent::Bytes(bytes) => {
            at(partial, write_private(partial, &bytes).await)?;
            Ok(StoredMedia { bytes: bytes.len() as u64, sha256: hex::encode(Sha256::digest(&bytes)) })
        }
        MediaContent::File(file) => {
            if fs::rename(&file, partial).await.is_err() {
                // Another file system: copy, then remove the source.
                at(partial, fs::copy(&file, partial).await)?;
                at(&file, fs::remove_file(&file).await)?;
            }
            at(partial, seal_private(partial).await)
        }
    }
}

/// Each call has its own name, so that two calls for one object do not take each other's file.
fn partial_of(target: &Path) -> PathBuf {
    static PUTS: AtomicU64 = AtomicU64::new(0);
    let put = PUTS.fetch_add(1, Ordering::Relaxed);
    target.with_extension(format!("{}-{put}.partial", std::process::id()))
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, MediaStoreError> {
    result.map_err(|source| MediaStoreError::File { path: path.to_owned(), source })
}

pub async fn create_private(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    options.mode(0o600);
    let file = options.open(path).await?;
    restrict(&file).await?;
    Ok(file)
}

/// Creates a folder that only this account can list, and missing parent folders. An existing folder keeps its mode.
pub async fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(path).await
}

/// Closes a folder and its subfolders to other accounts. Folders of another account stay, with a line in the log.
pub async fn close_to_others(folder: &Path) -> io::Result<()> {
    create_private_folder(folder).await?;
    close_folder(folder).await?;
    let mut entries = fs::read_dir(folder).await?;
    while let Some(entry) = entries.next_entry().await? {
        if entry.file_type().await?.is_dir() {
            close_folder(&entry.path()).await?;
        }
    }
    Ok(())
}

#[cfg(unix)]
async fn close_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if fs::metadata(folder).await?.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    match fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).await {
        Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            tracing::warn!(folder = %folder.display(), "other accounts can list the files of customers");
            Ok(())
        }
        closed => closed,
    }
}

#[cfg(not(unix))]
async fn close_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

async fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = create_private(path).await?;
    file.write_all(bytes).await?;
    file.sync_all().await
}

/// Restricts and syncs a file that another writer made, and computes its digest.
async fn seal_private(path: &Path) -> io::Result<StoredMedia> {
    let mut file = fs::File::open(path).await?;
    restrict(&file).await?;
    let mut digest = Sha256::new();
    let mut total = 0u64;
    let mut buffer = vec![0u8; 64 * 1024];
    loop {
        let read = file.read(&mut buffer).await?;
        if read == 0 {
            break;
        }
        total += read as u64;
        digest.update(buffer.get(..read).unwrap_or_default());
    }
    file.sync_all().await?;
    Ok(StoredMedia { bytes: total, sha256: hex::encode(digest.finalize()) })
}

#[cfg(unix)]
async fn restrict(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o600)).await
}

#[cfg(not(unix))]
async fn restrict(_file: &fs::File) -> io::Result<()> {
    Ok(())
}

async fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder).await?.sync_all().await
}
