//! Uploads a file into a bucket: in one request, or in parts if it is large.

use std::io;

use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, path::Path};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncReadExt};

use super::failures::store_error;
use crate::media_store::{MediaStoreError, StoredMedia};

/// Bytes of one request, which is also the memory of a file on its way. Stores accept no parts below 5 MiB.
const AT_ONCE: usize = 8 << 20;

/// Reads content in parts and computes its digest.
struct Parts<Content, Unusable> {
    content: Content,
    unusable: Unusable,
    digest: Sha256,
    bytes: u64,
}

impl<Content, Unusable> Parts<Content, Unusable>
where
    Content: AsyncRead + Unpin,
    Unusable: Fn(io::Error) -> MediaStoreError,
{
    async fn next(&mut self) -> Result<Vec<u8>, MediaStoreError> {
        let mut part = Vec::new();
        let rest = (&mut self.content).take(AT_ONCE as u64);
        tokio::pin!(rest);
        rest.read_to_end(&mut part).await.map_err(&self.unusable)?;
        self.digest.update(&part);
        self.bytes += part.len() as u64;
        Ok(part)
    }

    fn into_stored(self) -> StoredMedia {
        StoredMedia { bytes: self.bytes, sha256: hex::encode(self.digest.finalize()) }
    }
}

pub(super) async fn write(
    store: &dyn ObjectStore,
    path: &Path,
    content: impl AsyncRead + Unpin + Send,
    unusable: impl Fn(io::Error) -> MediaStoreError + Send + Sync,
) -> Result<StoredMedia, MediaStoreError> {
    let mut parts = Parts { content, unusable, digest: Sha256::new(), bytes: 0 };
    let first = parts.next().await?;
    if first.len() < AT_ONCE {
        store.put(path, first.into()).await.map_err(store_error)?;
        return Ok(parts.into_stored());
    }
    let mut upload = store.put_multipart(path).await.map_err(store_error)?;
    let uploaded = upload_parts(upload.as_mut(), first, &mut parts).await;
    if let Err(error) = uploaded {
        // Otherwise the bucket keeps the uploaded parts.
        if let Err(left) = upload.abort().await {
            tracing::warn!(
                error = &left as &dyn std::error::Error,
                "the bucket keeps parts of a file that was not stored"
            );
        }
        return Err(error);
    }
    Ok(parts.into_stored())
}

async fn upload_parts<Content, Unusable>(
    upload: &mut dyn MultipartUpload,
    first: Vec<u8>,
    parts: &mut Parts<Content, Unusable>,
) -> Result<(), MediaStoreError>
where
    Content: AsyncRead + Unpin,
    Unusable: Fn(io::Error) -> MediaStoreError,
{
    let mut part = first;
    while !part.is_empty() {
        let is_last = part.len() < AT_ONCE;
        upload.put_part(part.into()).await.map_err(store_error)?;
        part = if is_last { Vec::new() } else { parts.next().await? };
    }
    upload.complete().await.map_err(store_error)?;
    Ok(())
}
