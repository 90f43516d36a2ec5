//! Where files of customers are kept.

use std::sync::Arc;

use anyhow::Context as _;
use base::MediaKept;
use channels::object_media::{BucketSettings, ObjectMediaStore};
use domain::ids::MediaId;

use crate::config::{Config, MediaPlace};

/// What `media.store` says. A bucket is tried out beside the start, which does not wait for it; `trial` names the file of that.
pub(crate) fn kept(config: &Config, trial: MediaId) -> anyhow::Result<MediaKept> {
    Ok(match config.media_place() {
        MediaPlace::Folder(folder) if folder != config.media_folder() => MediaKept::InSharedFolder(folder),
        MediaPlace::Folder(_) | MediaPlace::Auto => MediaKept::InFolder,
        MediaPlace::Database => MediaKept::InDatabase,
        MediaPlace::Bucket(url) => {
            let store = ObjectMediaStore::in_bucket(&BucketSettings {
                url,
                endpoint: config.media.s3_endpoint.as_ref().map(|url| url.as_str().to_owned()).unwrap_or_default(),
                region: config.media.s3_region.clone(),
                access_key: config.media.s3_access_key.clone(),
                secret_key: config.media.s3_secret_key.expose().to_owned(),
            });
            let store = store.context("media.store")?;
            tokio::spawn(try_out(store.clone(), trial));
            MediaKept::Elsewhere(Arc::new(store))
        }
    })
}

/// Says at once what would otherwise be found out with the first file that a customer sends.
async fn try_out(store: ObjectMediaStore, trial: MediaId) {
    if let Err(error) = store.try_out(trial).await {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "files of customers cannot be kept where media.store says; they are asked for again while the provider has them"
        );
    }
}
