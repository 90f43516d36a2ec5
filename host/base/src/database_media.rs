use std::{io, ops::Range};

use async_trait::async_trait;
use bytes::Bytes;
use channels::media_store::{LocalMediaStore, MediaContent, MediaStore, MediaStoreError, OpenMedia, StoredMedia};
use domain::ids::{ClientId, MediaId};
use futures::stream;
use sha2::{Digest, Sha256};
use storage::{Db, PgConnection, inbound::media_content};
use tokio::{
    fs::File,
    io::{AsyncRead, AsyncReadExt},
};
use tokio_util::io::StreamReader;

/// Bytes of a part. Reading or writing a file needs this much memory.
const PART: usize = 512 * 1024;

/// Stores files in the database. Files that an earlier release put into the local folder can still be read, and are
/// deleted when they are too old.
#[derive(Debug, Clone)]
pub struct DatabaseMediaStore {
    db: Db,
    folder: LocalMediaStore,
}

impl DatabaseMediaStore {
    /// Stores files in `db`. `folder` has the files of earlier releases.
    pub fn new(db: Db, folder: LocalMediaStore) -> Self {
        Self { db, folder }
    }
}

impl DatabaseMediaStore {
    async fn size_here(&self, client: ClientId, id: MediaId) -> Result<Option<u64>, MediaStoreError> {
        let mut db = self.db.acquire().await.map_err(store_error)?;
        let size = media_content::size(&mut db, client, id).await.map_err(store_error)?;
        Ok(size.map(|size| u64::try_from(size).unwrap_or_default()))
    }

    fn part(&self, client: ClientId, id: MediaId, bytes: Range<u64>) -> OpenMedia {
        let length = bytes.end.saturating_sub(bytes.start);
        OpenMedia { bytes: length, reader: Box::new(reader(self.db.clone(), client, id, bytes)) }
    }
}

fn store_error(source: impl std::error::Error + Send + Sync + 'static) -> MediaStoreError {
    MediaStoreError::Shared { store: "database", source: Box::new(source) }
}

#[async_trait]
impl MediaStore for DatabaseMediaStore {
    async fn put(&self, client: ClientId, id: MediaId, content: MediaContent) -> Result<StoredMedia, MediaStoreError> {
        let mut tx = self.db.begin().await.map_err(store_error)?;
        media_content::begin(&mut tx, client, id).await.map_err(store_error)?;
        let stored = match content {
            MediaContent::Bytes(bytes) => write(&mut tx, client, id, bytes.as_ref()).await?,
            MediaContent::File(path) => {
                let unusable = |source| MediaStoreError::File { path: path.clone(), source };
                let stored = write(&mut tx, client, id, File::open(&path).await.map_err(unusable)?).await?;
                tokio::fs::remove_file(&path).await.map_err(unusable)?;
                stored
            }
        };
        tx.commit().await.map_err(store_error)?;
        Ok(stored)
    }

    async fn open(&self, client: ClientId, id: MediaId) -> Result<Option<OpenMedia>, MediaStoreError> {
        match self.size_here(client, id).await? {
            Some(size) => Ok(Some(self.part(client, id, 0..size))),
            None => self.folder.open(client, id).await,
        }
    }

    async fn size(&self, client: ClientId, id: MediaId) -> Result<Option<u64>, MediaStoreError> {
        match self.size_here(client, id).await? {
            Some(size) => Ok(Some(size)),
            None => self.folder.size(client, id).await,
        }
    }

    async fn open_part(
        &self,
        client: ClientId,
        id: MediaId,
        part: Range<u64>,
    ) -> Result<Option<OpenMedia>, MediaStoreError> {
        match self.size_here(client, id).await? {
            Some(_) => Ok(Some(self.part(client, id, part))),
            None => self.folder.open_part(client, id, part).await,
        }
    }

    async fn delete(&self, client: ClientId, id: MediaId) -> Result<bool, MediaStoreError> {
        let mut db = self.db.acquire().await.map_err(store_error)?;
        let removed = media_content::remove(&mut db, client, id).await.map_err(store_error)?;
        Ok(self.folder.delete(client, id).await? || removed)
    }

    async fn sweep(&self, first_kept: MediaId) -> Result<usize, MediaStoreError> {
        self.folder.sweep(first_kept).await
    }
}

/// Stores `content` in parts. An empty file has one empty part.
async fn write(
    db: &mut PgConnection,
    client: ClientId,
    id: MediaId,
    mut content: impl AsyncRead + Unpin,
) -> Result<StoredMedia, MediaStoreError> {
    let (mut digest, mut bytes, mut part) = (Sha256::new(), 0, 0);
    loop {
        let mut read = Vec::with_capacity(PART);
        let limit = u64::try_from(PART).unwrap_or(u64::MAX);
        (&mut content).take(limit).read_to_end(&mut read).await.map_err(store_error)?;
        if read.is_empty() && part > 0 {
            return Ok(StoredMedia { bytes, sha256: hex::encode(digest.finalize()) });
        }
        digest.update(&read);
        bytes += u64::try_from(read.len()).unwrap_or_default();
        media_content::insert(db, client, id, part, &read).await.map_err(store_error)?;
        part += 1;
    }
}

/// Reads each part when it is needed, so that a slow reader does not hold a connection.
fn reader(db: Db, client: ClientId, id: MediaId, wanted: Range<u64>) -> impl AsyncRead + Send + Unpin {
    let part_size = u64::try_from(PART).unwrap_or(u64::MAX);
    let parts = stream::try_unfold(wanted.start, move |at| {
        let db = db.clone();
        async move {
            if at >= wanted.end {
                return Ok(None);
            }
            let (part, within) = (at / part_size, at % part_size);
            let mut db = db.acquire().await.map_err(io::Error::other)?;
            let part = i32::try_from(part).map_err(io::Error::other)?;
            let found = media_content::part(&mut db, client, id, part).await.map_err(io::Error::other)?;
            let mut bytes = Bytes::from(found.unwrap_or_default());
            let skipped = usize::try_from(within).unwrap_or(usize::MAX).min(bytes.len());
            let mut bytes = bytes.split_off(skipped);
            bytes.truncate(usize::try_from(wanted.end - at).unwrap_or(usize::MAX));
            // The file was deleted during the read. A normal end would look like the whole file.
            if bytes.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let read = at + u64::try_from(bytes.len()).unwrap_or_default();
            Ok::<_, io::Error>(Some((bytes, read)))
        }
    });
    StreamReader::new(Box::pin(parts))
}
