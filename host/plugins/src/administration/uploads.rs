//! Uploads that continue after their request was answered. A row holds the progress of each, so any node can report it.

use std::{sync::Arc, time::Duration};

use domain::ids::ClientId;
use storage::plugins::{
    uploads::{self as stored, RefusedUpload, Upload, UploadState},
    versions::{self, UploadedVersion},
};
use uuid::Uuid;

use super::{
    PluginError,
    inspection::{NewUpload, inspect, known_version},
    upload::{UploadResult, store_inspected},
};
use base::{Context, HostFailed, Result};

/// Interval at which the row of an upload shows that a process works on it.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);

/// The immediate result of an upload that is not waited for.
#[derive(Debug)]
pub enum UploadStart {
    There(Box<UploadedVersion>),
    Working(Box<Upload>),
}

#[derive(Debug)]
pub enum UploadProgress {
    /// It is being checked, compiled and tried out.
    Working,
    Ready(Box<UploadedVersion>),
    Refused(PluginError),
}

/// Starts an upload like [`upload`](super::upload), and answers before it is done, or with errors that are known at once.
pub async fn begin_upload(ctx: &Arc<Context>, client: ClientId, new: NewUpload) -> Result<UploadStart, PluginError> {
    let new = inspect(ctx, client, new).await?;
    if let Some(version) = known_version(ctx, client, &new).await? {
        return Ok(UploadStart::There(Box::new(version)));
    }
    let now = ctx.now();
    let begun = Upload {
        id: ctx.ids.mint(now),
        plugin: new.name.clone(),
        size: i64::try_from(new.bytes.len()).unwrap_or(i64::MAX),
        state: UploadState::Compiling,
        created_at: now,
    };
    stored::begin(&mut *ctx.db.acquire().await?, client, &begun).await?;
    let (ctx, id) = (Arc::clone(ctx), begun.id);
    tokio::spawn(async move {
        let uploaded = with_beats(&ctx, client, id, store_inspected(&ctx, client, new)).await;
        if let Err(error) = end(&ctx, client, id, uploaded).await {
            tracing::error!(client.id = %client, upload.id = %id, error = &error as &dyn std::error::Error,
                "the result of an upload could not be stored");
        }
    });
    Ok(UploadStart::Working(Box::new(begun)))
}

/// Runs the work and regularly updates its row.
async fn with_beats<T>(ctx: &Context, client: ClientId, id: Uuid, work: impl Future<Output = T>) -> T {
    tokio::pin!(work);
    let mut beat = tokio::time::interval(HEARTBEAT_INTERVAL);
    beat.tick().await;
    loop {
        tokio::select! {
            done = &mut work => return done,
            _ = beat.tick() => {
                let said: Result<()> = async { Ok(stored::touch(&mut *ctx.db.acquire().await?, client, id).await?) }.await;
                if let Err(error) = said {
                    tracing::warn!(upload.id = %id, error = &error as &dyn std::error::Error,
                        "the progress of an upload could not be stored");
                }
            }
        }
    }
}

async fn end(ctx: &Context, client: ClientId, id: Uuid, uploaded: Result<UploadResult, PluginError>) -> Result<()> {
    let mut db = ctx.db.acquire().await?;
    let ended = uploaded.map(|uploaded| uploaded.version.version).map_err(|error| stored_refusal(client, id, error));
    Ok(stored::end(&mut db, client, id, ended.as_ref().copied()).await?)
}

const FAULTS: &str = "FAULTS";
const CONFLICT: &str = "CONFLICT";
const TOO_LARGE: &str = "TOO_LARGE";
const BUSY: &str = "BUSY";
const NOT_YET: &str = "NOT_YET";
const FAILED: &str = "FAILED";

fn stored_refusal(client: ClientId, id: Uuid, error: PluginError) -> RefusedUpload {
    let plain =
        |kind: &str, said: String| RefusedUpload { kind: kind.to_owned(), said, faults: vec![], wait_seconds: None };
    match error {
        PluginError::Faults(faults) => RefusedUpload { faults, ..plain(FAULTS, String::new()) },
        PluginError::Conflict(said) => plain(CONFLICT, said),
        PluginError::TooLarge(said) => plain(TOO_LARGE, said),
        PluginError::Busy(said) => plain(BUSY, said),
        PluginError::NotYet { said, wait } => {
            RefusedUpload { wait_seconds: Some(wait.as_secs().max(1)), ..plain(NOT_YET, said) }
        }
        PluginError::NotFound => plain(FAILED, error.to_string()),
        PluginError::Failed(cause) => {
            tracing::error!(client.id = %client, upload.id = %id, error = &cause as &dyn std::error::Error,
                "an upload failed by a fault of the server");
            plain(FAILED, "the server could not take it in".to_owned())
        }
    }
}

/// A stored refusal as [`upload`](super::upload) would have returned it.
fn refusal(refused: RefusedUpload) -> PluginError {
    match refused.kind.as_str() {
        FAULTS => PluginError::Faults(refused.faults),
        CONFLICT => PluginError::Conflict(refused.said),
        TOO_LARGE => PluginError::TooLarge(refused.said),
        BUSY => PluginError::Busy(refused.said),
        NOT_YET => {
            let wait = Duration::from_secs(refused.wait_seconds.unwrap_or(1));
            PluginError::NotYet { said: refused.said, wait }
        }
        _ => PluginError::Failed(HostFailed(refused.said).into()),
    }
}

/// An upload that is not waited for, with its progress; `None` if there is none with this id, or no longer.
pub async fn upload_progress(ctx: &Context, client: ClientId, id: Uuid) -> Result<Option<(Upload, UploadProgress)>> {
    let mut db = ctx.db.acquire().await?;
    let Some(found) = stored::find(&mut db, client, id).await? else { return Ok(None) };
    let progress = match found.state.clone() {
        UploadState::Compiling => UploadProgress::Working,
        UploadState::Ready(version) => match versions::one(&mut db, client, &found.plugin, Some(version)).await? {
            Some(version) => UploadProgress::Ready(Box::new(version)),
            None => {
                let said = format!("version {version} of `{}` came of it, and was removed since", found.plugin);
                UploadProgress::Refused(PluginError::Conflict(said))
            }
        },
        UploadState::Refused(refused) => UploadProgress::Refused(refusal(refused)),
        UploadState::Abandoned => {
            let said = "the process that worked on it is gone: upload it again";
            UploadProgress::Refused(PluginError::Busy(said.to_owned()))
        }
    };
    Ok(Some((found, progress)))
}
