//! Files of customers in a bucket with S3's protocol. A library speaks the protocol, and our own HTTP client makes the calls.

mod calls;
mod failures;
mod upload;

use std::{fmt, io, ops::Range, sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use domain::ids::{ClientId, MediaId};
use futures::TryStreamExt;
use object_store::{
    Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt, RetryConfig, aws::AmazonS3Builder, path::Path,
};
use tokio::fs::{self, File};
use tokio_util::io::StreamReader;
use url::Url;

use self::{calls::OurClient, failures::store_error, upload::write};
use crate::{
    http::{ClientBuildError, streaming_client},
    media_store::{MediaContent, MediaStore, MediaStoreError, OpenMedia, StoredMedia},
};

/// Longest silence of the store, before or within an answer.
const SILENCE: Duration = Duration::from_secs(60);
/// Repetitions of a call that failed for a passing reason. A caller that stores a file tries again later by itself.
const REPETITIONS: usize = 3;
const REPEATED_FOR: Duration = Duration::from_secs(20);

#[derive(Clone)]
pub struct BucketSettings {
    /// `s3://bucket` or `s3://bucket/prefix`.
    pub url: Url,
    pub endpoint: String,
    pub region: String,
    pub access_key: String,
    pub secret_key: String,
}

/// The settings of a bucket do not work.
#[derive(Debug, thiserror::Error)]
pub enum BucketRefused {
    #[error("expected s3://bucket or s3://bucket/prefix")]
    NoBucket,
    #[error("the prefix after the bucket cannot begin a name")]
    Prefix(#[from] object_store::path::Error),
    #[error("the bucket cannot be used")]
    Settings(#[from] Error),
    #[error(transparent)]
    Client(#[from] ClientBuildError),
}

/// Keeps files in a bucket, as `prefix/client/id`.
#[derive(Clone)]
pub struct ObjectMediaStore {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
}

impl fmt::Debug for ObjectMediaStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectMediaStore").field("prefix", &self.prefix.as_ref()).finish_non_exhaustive()
    }
}

impl ObjectMediaStore {
    pub fn in_bucket(settings: &BucketSettings) -> Result<Self, BucketRefused> {
        let url = &settings.url;
        let bucket = url.host_str().filter(|_| url.scheme() == "s3").ok_or(BucketRefused::NoBucket)?;
        let retry = RetryConfig { max_retries: REPETITIONS, retry_timeout: REPEATED_FOR, ..RetryConfig::default() };
        let mut builder = AmazonS3Builder::new()
            .with_http_connector(OurClient::new(streaming_client(SILENCE)?))
            .with_retry(retry)
            // Deletes one file at a time, with the call that every store supports.
            .with_disable_bulk_delete(true)
            .with_bucket_name(bucket)
            .with_region(&settings.region)
            .with_access_key_id(&settings.access_key)
            .with_secret_access_key(&settings.secret_key);
        if !settings.endpoint.is_empty() {
            builder = builder.with_endpoint(settings.endpoint.trim_end_matches('/'));
        }
        Ok(Self { store: Arc::new(builder.build()?), prefix: Path::from_url_path(url.path())? })
    }

    pub async fn try_out(&self, trial: MediaId) -> Result<(), MediaStoreError> {
        let path = self.prefix.clone().join(format!("patchbay-trial-{trial}"));
        self.store
            .put(&path, Bytes::from_static(b"Written at a start to see that it works.").into())
            .await
            .map_err(store_error)?;
        self.store.get(&path).await.map_err(store_error)?.bytes().await.map_err(store_error)?;
        self.store.delete(&path).await.map_err(store_error)?;
        match self.store.head(&path).await {
            Ok(_) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(store_error(error)),
        }
    }

    fn path_of(&self, client: ClientId, id: MediaId) -> Path {
        self.prefix.clone().join(client.to_string()).join(id.to_string())
    }
}

#[async_trait]
impl MediaStore for ObjectMediaStore {
    async fn put(&self, client: ClientId, id: MediaId, content: MediaContent) -> Result<StoredMedia, MediaStoreError> {
        let path = self.path_of(client, id);
        match content {
            MediaContent::Bytes(bytes) => {
                let unusable = |source| MediaStoreError::Shared { store: failures::STORE, source: Box::new(source) };
                write(self.store.as_ref(), &path, bytes.as_ref(), unusable).await
            }
            MediaContent::File(file) => {
                let unusable = |source| MediaStoreError::File { path: file.clone(), source };
                let content = File::open(&file).await.map_err(unusable)?;
                let stored = write(self.store.as_ref(), &path, content, unusable).await?;
                fs::remove_file(&file).await.map_err(unusable)?;
                Ok(stored)
            }
        }
    }

    async fn open(&self, client: ClientId, id: MediaId) -> Result<Option<OpenMedia>, MediaStoreError> {
        match self.store.get(&self.path_of(client, id)).await {
            Ok(found) => {
                let bytes = found.meta.size;
                let content = found.into_stream().map_err(io::Error::other);
                Ok(Some(OpenMedia { bytes, reader: Box::new(StreamReader::new(content)) }))
            }
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(store_error(error)),
        }
    }

    async fn size(&self, client: ClientId, id: MediaId) -> Result<Option<u64>, MediaStoreError> {
        match self.store.head(&self.path_of(client, id)).await {
            Ok(found) => Ok(Some(found.size)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(store_error(error)),
        }
    }

    async fn open_part(
        &self,
        client: ClientId,
        id: MediaId,
        part: Range<u64>,
    ) -> Result<Option<OpenMedia>, MediaStoreError> {
        let bytes = part.end.saturating_sub(part.start);
        let options = GetOptions { range: Some(GetRange::Bounded(part)), ..GetOptions::default() };
        match self.store.get_opts(&self.path_of(client, id), options).await {
            Ok(found) => {
                let content = found.into_stream().map_err(io::Error::other);
                Ok(Some(OpenMedia { bytes, reader: Box::new(StreamReader::new(content)) }))
            }
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(store_error(error)),
        }
    }

    async fn delete(&self, client: ClientId, id: MediaId) -> Result<bool, MediaStoreError> {
        let path = self.path_of(client, id);
        // The deletion of an absent file succeeds, too.
        match self.store.head(&path).await {
            Ok(_) => {}
            Err(Error::NotFound { .. }) => return Ok(false),
            Err(error) => return Err(store_error(error)),
        }
        self.store.delete(&path).await.map_err(store_error)?;
        Ok(true)
    }
}
