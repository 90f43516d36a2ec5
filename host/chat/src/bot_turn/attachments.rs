//! Files that a chatbot wrote: a file that a reply names becomes a file of the business, with an address.
//!
//! A file has a row before it has bytes, and a note with its chat until a message names it. So the erasure of the customer
//! and the retention find it if the process is killed before the answer takes effect. A repetition of the turn has the
//! same ids.

use std::collections::BTreeMap;

use base::{
    Context, Error, FileStoreFailed, HostFailed, Result,
    lanes::Lease,
    media::{self, MediaStoreError},
};
use chrono::TimeDelta;
use domain::{
    clock::first_id_at,
    file_name,
    ids::{ClientId, MediaId, ParticipantId},
    split_mix::{STEP, split_mix},
};
use plugin_host::{WrittenFile, chatbot::Action, sha256, unknown_attachment, written_file_index};
use storage::{
    chat::{participant_events::WaitingEvent, participants},
    inbound::{
        media::{self as stored_media, OwnMedia},
        unsent_files,
    },
};
use uuid::Uuid;

/// Bytes of files that a client may store in 24 hours, those of its agents included, so that a chatbot fills no disk.
const DAY_BYTES: u64 = 1 << 30;

pub(super) struct AttachedFile {
    pub(super) id: MediaId,
    /// In the replies that name the file.
    pub(super) address: String,
    file: WrittenFile,
}

impl AttachedFile {
    pub(super) fn media_type(&self) -> &'static str {
        self.file.file_type.mime()
    }
}

/// Gives the written files that `actions` name their addresses. An error is the reason why the answer is impossible.
pub(super) fn attach(
    ctx: &Context,
    client: ClientId,
    event: &WaitingEvent,
    actions: &mut [Action],
    written: Vec<WrittenFile>,
) -> std::result::Result<Vec<AttachedFile>, String> {
    if let Some(reason) = unknown_attachment(actions, written.len()) {
        return Err(reason);
    }
    let mut named = BTreeMap::new();
    for action in actions {
        let Action::ReplyMedia(reply) = action else { continue };
        let Some((index, file)) = written_file_index(&reply.url).and_then(|at| Some((at, written.get(at)?))) else {
            continue;
        };
        let id = id_of(event, index);
        let address = media::url_for(ctx, client, id);
        reply.url.clone_from(&address);
        reply.filename = reply.filename.take().or_else(|| file_name::given(Some(&file.name), file.file_type.mime()));
        named.insert(index, (id, address));
    }
    let files = written.into_iter().enumerate();
    let attached = files.filter_map(|(index, file)| {
        let (id, address) = named.remove(&index)?;
        Some(AttachedFile { id, address, file })
    });
    Ok(attached.collect())
}

/// The id of a file: the same in each repetition of the turn. Its bits mix those of the event.
fn id_of(event: &WaitingEvent, index: usize) -> MediaId {
    let (_, own) = event.id.0.as_u64_pair();
    let number = u64::try_from(index).unwrap_or(u64::MAX);
    let mixed = split_mix(own.wrapping_add(number.wrapping_mul(STEP)));
    let (moment, _) = first_id_at(event.moment()).as_u64_pair();
    // The version and the variant of an id with a time (RFC 9562).
    MediaId(Uuid::from_u64_pair(moment | 0x7000, (mixed >> 2) | 0x8000_0000_0000_0000))
}

/// The reason why a client cannot store the files now.
pub(super) async fn too_much(ctx: &Context, client: ClientId, files: &[AttachedFile]) -> Result<Option<String>> {
    if files.is_empty() {
        return Ok(None);
    }
    let after = first_id_at(ctx.now() - TimeDelta::days(1));
    // The turn itself may have stored them before it was cut off.
    let ids: Vec<MediaId> = files.iter().map(|one| one.id).collect();
    let stored = stored_media::own_bytes(&mut *ctx.db.acquire().await?, client, after, &ids).await?;
    let new: usize = files.iter().map(|one| one.file.bytes.len()).sum();
    let all = u64::try_from(stored).unwrap_or(0).saturating_add(u64::try_from(new).unwrap_or(u64::MAX));
    let said = || format!("files of {} MiB were stored in 24 hours, which is all that is allowed", DAY_BYTES >> 20);
    Ok((all > DAY_BYTES).then(said))
}

/// The files of an answer, before it takes effect.
pub(super) enum StoredFiles {
    Stored(Vec<MediaId>),
    /// The chat is gone, so the answer cannot take effect.
    NoChat,
}

/// Stores the files, before the answer takes effect. Each is dropped as soon as it is stored.
pub(super) async fn store(
    ctx: &Context,
    lease: &Lease,
    participant: ParticipantId,
    files: Vec<AttachedFile>,
) -> Result<StoredFiles> {
    let client = lease.client;
    let ids = files.iter().map(|one| one.id).collect();
    for AttachedFile { id, file, .. } in files {
        let (mime_type, digest) = (file.file_type.mime(), sha256(&file.bytes));
        let filename = file_name::given(Some(&file.name), mime_type);
        let row = OwnMedia {
            id,
            mime_type,
            extension: file.file_type.extension(),
            filename: filename.as_deref(),
            sha256: &digest,
            bytes: i64::try_from(file.bytes.len()).unwrap_or(i64::MAX),
        };
        let mut tx = ctx.db.begin().await?;
        // Another node that has the lane now may have stored the same file for its own answer.
        lease.hold(&mut tx).await?;
        // An erasure deletes the chat after its files, so no file may come when the chat is gone.
        if participants::lock(&mut tx, client, participant).await?.is_none() {
            return Ok(StoredFiles::NoChat);
        }
        stored_media::remove(&mut tx, client, id).await?;
        stored_media::insert_own(&mut tx, client, &row, ctx.now()).await?;
        unsent_files::note(&mut tx, client, id, participant, ctx.now()).await?;
        tx.commit().await?;
        media::keep(ctx, client, id, file.bytes).await.map_err(failure)?;
    }
    Ok(StoredFiles::Stored(ids))
}

/// The chatbot is not at fault if the store fails. The turn is repeated as after an outage of the database.
fn failure(fault: MediaStoreError) -> Error {
    if media::is_outage(&fault) {
        FileStoreFailed(Box::new(fault)).into()
    } else {
        HostFailed(format!("the store of files failed: {fault}")).into()
    }
}

/// Removes the files of an answer that did not take effect. If that fails, the retention removes them.
pub(super) async fn forget(ctx: &Context, lease: &Lease, files: &[MediaId]) {
    for id in files {
        if let Err(error) = try_to_forget(ctx, lease, *id).await {
            tracing::warn!(client.id = %lease.client, media.id = %id, error = &*error,
                "a file of an answer without effect could not be removed");
        }
    }
}

async fn try_to_forget(
    ctx: &Context,
    lease: &Lease,
    id: MediaId,
) -> std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let client = lease.client;
    let mut tx = ctx.db.begin().await?;
    // Another process that has the chat now may have stored the same file for its own answer. This one keeps the chat until the
    // commit.
    lease.hold(&mut tx).await?;
    ctx.media.delete(client, id).await?;
    stored_media::remove(&mut tx, client, id).await?;
    unsent_files::remove(&mut tx, client, &[id]).await?;
    tx.commit().await?;
    Ok(())
}
