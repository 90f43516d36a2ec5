//! One transaction for several requests of one client.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use bytes::Bytes;
use domain::{
    ids::{ClientId, InboxId},
    tier,
};
use storage::{
    PgConnection, Queue,
    chat::conversations,
    outbound::{idempotency, messages, parts, tiers},
};

use super::{
    AcceptError, Answer, Pending,
    prepare::{self, Prepared},
    texts,
};
use crate::dispatch::SEND_PRIORITY;
use base::{Context, Error, Result};

/// Rows over which the count of a tier is spread, so that groups seldom wait for each other.
const TIER_SHARDS: u64 = 8;

/// Stores a group and answers everybody in it, in order. Should the group fail, each request is tried by itself, so that one
/// cannot take the others down.
pub(super) async fn commit(ctx: &Context, client: ClientId, group: &[Pending]) -> Vec<Answer> {
    match store(ctx, client, group).await {
        Ok(answers) => answers,
        Err(error) if group.len() > 1 => {
            tracing::warn!(error = &error as &dyn std::error::Error, "a group of sends failed; trying them one by one");
            let mut answers = Vec::with_capacity(group.len());
            for pending in group {
                let single = store(ctx, client, std::slice::from_ref(pending)).await;
                answers.extend(single.unwrap_or_else(|error| vec![not_stored(ctx, error)]));
            }
            answers
        }
        Err(error) => vec![not_stored(ctx, error)],
    }
}

fn not_stored(ctx: &Context, error: Error) -> Answer {
    ctx.writes.note_failure(&error);
    failed(error)
}

fn failed(error: Error) -> Answer {
    Err(AcceptError::Failed(Arc::new(error)))
}

/// Answers in the order of the group, after the commit.
async fn store(ctx: &Context, client: ClientId, group: &[Pending]) -> Result<Vec<Answer>> {
    let mut tx = ctx.db.begin().await?;
    let keys: Vec<String> = group.iter().filter_map(|pending| pending.call.idempotency_key.clone()).collect();
    let mut replays = if keys.is_empty() { HashMap::new() } else { idempotency::find(&mut tx, client, &keys).await? };
    let new = not_replayed(group, &replays);
    let mut facts = prepare::Facts::load(ctx, &mut tx, client, new.iter().map(|(_, pending)| &pending.request)).await?;
    let mut prepared = prepare_leaders(ctx, &mut facts, new);
    replays.extend(take_keys(ctx, &mut tx, client, group, &prepared).await?);
    prepared.retain(|(at, _)| key_of(group, *at).is_none_or(|key| !replays.contains_key(key)));
    let lanes = insert(ctx, &mut tx, client, &facts, &prepared).await?;
    tx.commit().await?;
    ctx.wake.wake_all(client, lanes.into_iter().map(|lane| (Queue::Outbound, lane.0)));
    Ok(answers(group, prepared, &replays))
}

fn key_of(group: &[Pending], at: usize) -> Option<&String> {
    group.get(at).and_then(|pending| pending.call.idempotency_key.as_ref())
}

/// The requests that are no replays, with their positions.
fn not_replayed<'g>(group: &'g [Pending], replays: &HashMap<String, Vec<u8>>) -> Vec<(usize, &'g Pending)> {
    let is_new = |pending: &Pending| pending.call.idempotency_key.as_ref().is_none_or(|key| !replays.contains_key(key));
    group.iter().enumerate().filter(|(_, pending)| is_new(pending)).collect()
}

/// Resolves what leads: of those that share a key the first one that is accepted. What is wrong or rejected before it is answered
/// by itself; the rest follows.
fn prepare_leaders(
    ctx: &Context,
    facts: &mut prepare::Facts,
    new: Vec<(usize, &Pending)>,
) -> Vec<(usize, std::result::Result<Prepared, AcceptError>)> {
    let mut led = HashSet::new();
    let mut prepared = Vec::with_capacity(new.len());
    for (at, pending) in new {
        let key = pending.call.idempotency_key.as_ref();
        if key.is_some_and(|key| led.contains(key)) {
            continue;
        }
        let outcome = prepare::prepare(ctx, facts, pending);
        if outcome.as_ref().is_ok_and(Prepared::is_accepted) {
            led.extend(key);
        }
        prepared.push((at, outcome));
    }
    prepared
}

/// Stores the responses under their keys, and answers those that another process stored first.
async fn take_keys(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    group: &[Pending],
    prepared: &[(usize, std::result::Result<Prepared, AcceptError>)],
) -> Result<HashMap<String, Vec<u8>>> {
    let mut keyed: Vec<(String, Vec<u8>)> = prepared
        .iter()
        .filter_map(|(at, outcome)| {
            let accepted = outcome.as_ref().ok().filter(|one| one.is_accepted())?;
            Some((key_of(group, *at)?.clone(), accepted.response.to_vec()))
        })
        .collect();
    if keyed.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(idempotency::store(db, client, &mut keyed, ctx.now()).await?)
}

/// Stores everything that was prepared in two statements, and answers the lanes with new work.
async fn insert(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    facts: &prepare::Facts,
    prepared: &[(usize, std::result::Result<Prepared, AcceptError>)],
) -> Result<Vec<InboxId>> {
    let ready: Vec<&Prepared> = prepared.iter().filter_map(|(_, outcome)| outcome.as_ref().ok()).collect();
    let parts: Vec<_> = ready.iter().flat_map(|one| &one.parts).collect();
    let messages: Vec<_> = ready.iter().flat_map(|one| &one.messages).collect();
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    parts::insert(db, client, &parts).await?;
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    messages::insert(db, client, &messages, SEND_PRIORITY, ctx.now()).await?;
    texts::correspond(ctx, db, client, &ready).await?;
    conversations::name(db, client, &facts.conversations.names(&messages)).await?;
    let counted =
        ready.iter().flat_map(|one| one.counted.iter().map(|(inbox, recipient)| (*inbox, recipient.as_str())));
    let shard = i16::try_from(ctx.ids.random() % TIER_SHARDS).unwrap_or(0);
    tiers::count(db, client, &counted.collect(), tier::quarter_of(ctx.now()), shard).await?;
    metrics::counter!("patchbay_messages_accepted").increment(u64::try_from(messages.len()).unwrap_or(0));
    let mut lanes: Vec<InboxId> = messages.iter().map(|message| message.inbox).collect();
    lanes.sort_unstable();
    lanes.dedup();
    Ok(lanes)
}

fn answers(
    group: &[Pending],
    prepared: Vec<(usize, std::result::Result<Prepared, AcceptError>)>,
    replays: &HashMap<String, Vec<u8>>,
) -> Vec<Answer> {
    let mut by_key: HashMap<&String, Answer> =
        replays.iter().map(|(key, response)| (key, Ok(Bytes::copy_from_slice(response)))).collect();
    // Faults and rejections are not shared: they are of one body.
    for (at, outcome) in &prepared {
        if let (Ok(accepted), Some(key)) = (outcome, key_of(group, *at))
            && accepted.is_accepted()
        {
            by_key.insert(key, Ok(accepted.response.clone()));
        }
    }
    let mut by_position: HashMap<usize, Answer> =
        prepared.into_iter().map(|(at, outcome)| (at, outcome.map(|one| one.response))).collect();
    (0..group.len())
        .map(|at| {
            let shared = || key_of(group, at).and_then(|key| by_key.get(key).cloned());
            by_position.remove(&at).or_else(shared).unwrap_or_else(|| failed(Error::Stopped))
        })
        .collect()
}
