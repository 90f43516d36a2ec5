//! The key-values of a plugin, for its client to read and to erase.

use domain::{
    body::FieldFault,
    ids::{ClientId, ParticipantId},
    page::{Page, PageRequest},
};
use storage::chat::{
    chatbot_value_lists::{self, Erase, StorePart, ValueView},
    chatbot_values, participants,
};

use super::{EventNote, PluginError, catalogue, note};
use base::{
    Context,
    audit::{Actor, Administration, AuditObject, audit},
};

const KEY_BYTES: usize = 128;

/// A page of a plugin's stored values, by name: those of one participant, or the shared ones.
pub async fn key_values(
    ctx: &Context,
    client: ClientId,
    plugin: &str,
    part: StorePart<'_>,
    page: PageRequest,
) -> Result<Page<ValueView>, PluginError> {
    check("prefix", part.prefix)?;
    let mut db = ctx.db.acquire().await?;
    if catalogue::find(ctx, &mut db, client, plugin).await?.is_none() {
        return Err(PluginError::NotFound);
    }
    let part = StorePart { participant: present_participant(&mut db, client, part.participant).await?, ..part };
    let (items, total) = chatbot_value_lists::page(&mut db, client, plugin, part, page, ctx.now()).await?;
    Ok(Page::of(items, total))
}

/// The values to erase: those of one participant, or the shared ones.
#[derive(Debug, Clone, Copy)]
pub struct ValueErasure<'a> {
    pub participant: Option<ParticipantId>,
    pub which: Erase<'a>,
}

/// Erases stored values of a plugin. Returns their number. A call that has
/// read one of them is repeated.
pub async fn erase_key_values(
    ctx: &Context,
    client: ClientId,
    plugin: &str,
    ValueErasure { participant, which }: ValueErasure<'_>,
    actor: Actor,
) -> Result<u64, PluginError> {
    match which {
        Erase::Key(key) => check("key", key)?,
        Erase::Prefix(prefix) => check("prefix", prefix)?,
    }
    let mut tx = ctx.db.begin().await?;
    if catalogue::find(ctx, &mut tx, client, plugin).await?.is_none() {
        return Err(PluginError::NotFound);
    }
    let participant = present_participant(&mut tx, client, participant).await?;
    match participant {
        // The same lock as that of a chatbot turn, so that the two exclude each other.
        Some(participant) => drop(participants::lock(&mut tx, client, participant).await?),
        None => chatbot_values::lock_shared(&mut tx, client, plugin).await?,
    }
    let erased = chatbot_value_lists::erase(&mut tx, client, plugin, participant, which).await?;
    let whose = participant.map_or("shared by all participants".to_owned(), |id| format!("of participant {id}"));
    let reason = Some(format!("{erased} {whose}"));
    note(ctx, &mut tx, client, EventNote { plugin, version: None, kind: "VALUES_ERASED", reason }).await?;
    audit(&Administration::from(ctx), &mut tx, client, actor, "erase-values", AuditObject::new("plugin", plugin))
        .await?;
    tx.commit().await?;
    Ok(erased.unsigned_abs())
}

/// The present participant of an id. The chats of merged customers are merged too.
async fn present_participant(
    db: &mut storage::PgConnection,
    client: ClientId,
    participant: Option<ParticipantId>,
) -> Result<Option<ParticipantId>, PluginError> {
    let Some(id) = participant else { return Ok(None) };
    match participants::find(db, client, id).await? {
        Some(found) => Ok(Some(found.id)),
        None => Err(PluginError::fault("participantId", "is not the id of one of your participants")),
    }
}

fn check(field: &str, name: &str) -> Result<(), PluginError> {
    if name.len() > KEY_BYTES || name.contains('\0') {
        let said = format!("must have {KEY_BYTES} bytes at most, and no NUL character");
        return Err(PluginError::Faults(vec![FieldFault::new(field, said)]));
    }
    Ok(())
}
