//! Files of customers in the database, where every node finds them.

use std::io;

use async_trait::async_trait;
use bytes::Bytes;
use channels::media_store::{LocalMediaStore, MediaContent, MediaStore, MediaStoreError, OpenMedia, StoredMedia};
use domain::ids::{ClientId, MediaId};
use futures::stream;
use sha2::{Digest, Sha256};
use storage::{PgConnection, PgPool, inbound::media_content};
use tokio::{
    fs::File,
    io::{AsyncRead, AsyncReadExt},
};
use tokio_util::io::StreamReader;

/// Bytes of a part: what reading or writing a file holds in memory.
const PART: usize = 512 * 1024;

/// Keeps files in the database. What a release before it put into the folder of this machine is still given out, and forgotten
/// in its time.
#[derive(Debug, Clone)]
pub struct DatabaseMediaStore {
    db: PgPool,
    folder: LocalMediaStore,
}

impl DatabaseMediaStore {
    /// Files in `db`; `folder` is where they used to be.
    pub fn new(db: PgPool, folder: LocalMediaStore) -> Self {
        Self { db, folder }
    }
}

/// What the store did not do.
fn failed(source: impl std::error::Error + Send + Sync + 'static) -> MediaStoreError {
    MediaStoreError::Shared { store: "database", source: Box::new(source) }
}

#[async_trait]
impl MediaStore for DatabaseMediaStore {
    async fn put(&self, client: ClientId, id: MediaId, content: MediaContent) -> Result<StoredMedia, MediaStoreError> {
        let mut tx = self.db.begin().await.map_err(failed)?;
        media_content::begin(&mut tx, client, id).await.map_err(failed)?;
        let stored = match content {
            MediaContent::Bytes(bytes) => write(&mut tx, client, id, bytes.as_ref()).await?,
            MediaContent::File(path) => {
                let unusable = |source| MediaStoreError::File { path: path.clone(), source };
                let stored = write(&mut tx, client, id, File::open(&path).await.map_err(unusable)?).await?;
                tokio::fs::remove_file(&path).await.map_err(unusable)?;
                stored
            }
        };
        tx.commit().await.map_err(failed)?;
        Ok(stored)
    }

    async fn open(&self, client: ClientId, id: MediaId) -> Result<Option<OpenMedia>, MediaStoreError> {
        let mut db = self.db.acquire().await.map_err(failed)?;
        let size = media_content::size(&mut db, client, id).await.map_err(failed)?;
        drop(db);
        let Some(size) = size else { return self.folder.open(client, id).await };
        let bytes = u64::try_from(size).unwrap_or_default();
        Ok(Some(OpenMedia { bytes, reader: Box::new(reader(self.db.clone(), client, id, bytes)) }))
    }

    async fn delete(&self, client: ClientId, id: MediaId) -> Result<bool, MediaStoreError> {
        let mut db = self.db.acquire().await.map_err(failed)?;
        let removed = media_content::remove(&mut db, client, id).await.map_err(failed)?;
        Ok(self.folder.delete(client, id).await? || removed)
    }

    async fn sweep(&self, first_kept: MediaId) -> Result<usize, MediaStoreError> {
        self.folder.sweep(first_kept).await
    }
}

/// Stores what `content` gives, part by part; a file without any content has one empty part.
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
        (&mut content).take(limit).read_to_end(&mut read).await.map_err(failed)?;
        if read.is_empty() && part > 0 {
            return Ok(StoredMedia { bytes, sha256: hex::encode(digest.finalize()) });
        }
        digest.update(&read);
        bytes += u64::try_from(read.len()).unwrap_or_default();
        media_content::insert(db, client, id, part, &read).await.map_err(failed)?;
        part += 1;
    }
}

/// Reads part after part, each when it is wanted: nobody who reads slowly keeps a connection.
fn reader(db: PgPool, client: ClientId, id: MediaId, size: u64) -> impl AsyncRead + Send + Unpin {
    let parts = stream::try_unfold((0, 0), move |(part, read)| {
        let db = db.clone();
        async move {
            if read >= size {
                return Ok(None);
            }
            let mut db = db.acquire().await.map_err(io::Error::other)?;
            let found = media_content::part(&mut db, client, id, part).await.map_err(io::Error::other)?;
            // Removed meanwhile. An end would look like the whole file.
            let bytes = found.filter(|bytes| !bytes.is_empty()).ok_or(io::ErrorKind::UnexpectedEof)?;
            let read = read + u64::try_from(bytes.len()).unwrap_or_default();
            Ok::<_, io::Error>(Some((Bytes::from(bytes), (part + 1, read))))
        }
    });
    StreamReader::new(Box::pin(parts))
}
