use std::{io, path::Path, sync::Arc};

use anyhow::Context as _;
use base::{MediaLocation, media_store};
use channels::{
    media_store::{MediaStore, close_to_others, create_private_folder},
    object_media::{BucketSettings, ObjectMediaStore},
};
use domain::ids::MediaId;
use settings::{MediaPlace, Settings};
use storage::Db;
use tokio::fs;

/// The place in `media.store`. A bucket is tested in parallel to the start. `trial` names the test file.
pub(crate) fn location(config: &Settings, trial: MediaId) -> anyhow::Result<MediaLocation> {
    Ok(match config.media_place() {
        MediaPlace::Folder(folder) if folder != config.media_folder() => MediaLocation::InSharedFolder(folder),
        MediaPlace::Folder(_) | MediaPlace::Auto => MediaLocation::InFolder,
        MediaPlace::Database => MediaLocation::InDatabase,
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
            MediaLocation::Elsewhere(Arc::new(store))
        }
    })
}

/// The store of files for a command. `trial` names the test file of a bucket.
pub(crate) fn store(config: &Settings, db: &Db, trial: MediaId) -> anyhow::Result<Arc<dyn MediaStore>> {
    Ok(media_store(&location(config, trial)?, db, &config.media_folder()))
}

/// Fails if the folder that `media.store` names takes no file. Nothing else exists yet, so a wrong setting leaves nothing behind.
pub(crate) async fn check_named_folder(config: &Settings) -> anyhow::Result<()> {
    let MediaPlace::Folder(named) = config.media_place() else { return Ok(()) };
    if named == config.media_folder() {
        return Ok(());
    }
    write_trial(&named).await.with_context(|| {
        format!("media.store: no file can be written to {}; mend its rights, or name another place", named.display())
    })
}

/// Creates the folders without access for other accounts, the operator's too.
pub(crate) async fn make_folders(config: &Settings) -> anyhow::Result<()> {
    let own = config.media_folder();
    close_to_others(&own).await.with_context(|| format!("cannot make {}, or close it to others", own.display()))?;
    let scratch = own.join("scratch");
    create_private_folder(&scratch).await.with_context(|| format!("cannot make {}", scratch.display()))
}

async fn write_trial(folder: &Path) -> io::Result<()> {
    close_to_others(folder).await?;
    let file = folder.join(format!("trial-{}", std::process::id()));
    fs::write(&file, []).await?;
    fs::remove_file(&file).await
}

/// Reports a fault now that would otherwise appear with the first file of a customer.
async fn try_out(store: ObjectMediaStore, trial: MediaId) {
    if let Err(error) = store.try_out(trial).await {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "files of customers cannot be stored at the place in media.store; correct the setting or the place. Until then they are fetched again while the provider has them"
        );
    }
}
