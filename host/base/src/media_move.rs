//! Files of customers after a change of `media.store`: new files in the current store, older ones in the store before.

use std::{ops::Range, sync::Arc};

use async_trait::async_trait;
use channels::media_store::{MediaContent, MediaStore, MediaStoreError, OpenMedia, StoredMedia};
use domain::ids::{ClientId, MediaId};

/// Puts files into one store. Files in the store that was used before `media.store` changed can still be read, and are
/// deleted when they are too old.
pub struct MovedMediaStore {
    now: Arc<dyn MediaStore>,
    before: Arc<dyn MediaStore>,
}

impl MovedMediaStore {
    pub fn new(now: Arc<dyn MediaStore>, before: Arc<dyn MediaStore>) -> Self {
        Self { now, before }
    }
}

#[async_trait]
impl MediaStore for MovedMediaStore {
    async fn put(&self, client: ClientId, id: MediaId, content: MediaContent) -> Result<StoredMedia, MediaStoreError> {
        self.now.put(client, id, content).await
    }

    async fn open(&self, client: ClientId, id: MediaId) -> Result<Option<OpenMedia>, MediaStoreError> {
        match self.now.open(client, id).await? {
            Some(open) => Ok(Some(open)),
            None => self.before.open(client, id).await,
        }
    }

    async fn size(&self, client: ClientId, id: MediaId) -> Result<Option<u64>, MediaStoreError> {
        match self.now.size(client, id).await? {
            Some(size) => Ok(Some(size)),
            None => self.before.size(client, id).await,
        }
    }

    async fn open_part(
        &self,
        client: ClientId,
        id: MediaId,
        part: Range<u64>,
    ) -> Result<Option<OpenMedia>, MediaStoreError> {
        match self.now.open_part(client, id, part.clone()).await? {
            Some(open) => Ok(Some(open)),
            None => self.before.open_part(client, id, part).await,
        }
    }

    async fn delete(&self, client: ClientId, id: MediaId) -> Result<bool, MediaStoreError> {
        Ok(self.before.delete(client, id).await? | self.now.delete(client, id).await?)
    }

    async fn sweep(&self, first_kept: MediaId) -> Result<usize, MediaStoreError> {
        Ok(self.before.sweep(first_kept).await? + self.now.sweep(first_kept).await?)
    }
}
