//! Removes files that chatbots wrote and that no message names (ADR 0075).

use std::time::Duration;

use base::{
    Context,
    lanes::{LaneKey, Lease},
};
use chrono::{DateTime, Utc};
use storage::{
    Queue,
    inbound::{
        media,
        unsent_files::{self, UnsentFile},
    },
};

use super::refusal::MediaRefused;

const AT_ONCE: i64 = 200;
/// Longest removal of a file. It is shorter than the lease of the chat.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(10);

/// Removes files that were written before `before`: their turns were cut off and not repeated, also those of disabled
/// clients. A file stays if a process works on its chat, because the turn may store the same file again and send it.
pub(super) async fn forget(ctx: &Context, before: DateTime<Utc>) -> Result<(), MediaRefused> {
    let mut skipped = 0;
    loop {
        let unsent = unsent_files::older_than(&mut *ctx.db.acquire().await?, before, AT_ONCE, skipped).await?;
        if unsent.is_empty() {
            return Ok(());
        }
        for file in unsent {
            match forget_one(ctx, file, before).await {
                Ok(true) => {}
                Ok(false) => skipped += 1,
                Err(MediaRefused::Store(error)) => {
                    tracing::warn!(client.id = %file.client, media.id = %file.file,
                        error = &error as &dyn std::error::Error, "an unsent file could not be removed; it is tried again");
                    skipped += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Removes a file under the lease of its chat, so no turn of the chat begins until the file is removed. `false`: the file
/// stays.
async fn forget_one(ctx: &Context, file: UnsentFile, before: DateTime<Utc>) -> Result<bool, MediaRefused> {
    let lane = LaneKey { client: file.client, queue: Queue::Participant, lane: file.participant.0 };
    let Some(lease) = Lease::claim_briefly(ctx, lane).await? else { return Ok(false) };
    let removing = tokio::time::timeout(REMOVAL_TIMEOUT, remove(ctx, &lease, file, before));
    let Ok(forgotten) = removing.await else {
        // The store may still delete the file, so the chat waits until the lease ends.
        tracing::warn!(client.id = %file.client, media.id = %file.file, "an unsent file was not removed in time");
        return Ok(false);
    };
    lease.release(ctx).await?;
    forgotten
}

/// The bytes go first, so that no bytes stay without a row.
async fn remove(
    ctx: &Context,
    lease: &Lease,
    UnsentFile { client, file, .. }: UnsentFile,
    before: DateTime<Utc>,
) -> Result<bool, MediaRefused> {
    let mut db = ctx.db.acquire().await?;
    // A turn may have stored it again, or sent it, before this process got the lane.
    if !unsent_files::is_old(&mut db, client, file, before).await? {
        return Ok(true);
    }
    let is_sent = unsent_files::is_sent(&mut db, client, file).await?;
    // The store may need a session of its own.
    drop(db);
    if !is_sent {
        ctx.media.delete(client, file).await?;
    }
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    if unsent_files::remove_old(&mut tx, client, file, before).await? && !is_sent {
        media::remove(&mut tx, client, file).await?;
    }
    tx.commit().await?;
    Ok(true)
}
