use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use base::{
    Context, Error, Result,
    traces::{self, OpenSpan},
};
use bytes::Bytes;
use domain::{
    ids::{ClientId, InboxId},
    send::SendBody,
};
use storage::{
    PgConnection, Queue,
    chat::conversations,
    outbound::outgoing_rows::{self, GroupRows},
};

use super::{
    call::{AcceptError, GroupAnswer, PendingSend},
    facts::Facts,
    named_rows::NamedFacts,
    prepare,
    prepared_request::PreparedRequest,
    texts, tier_count,
};
use crate::{dispatch::SEND_PRIORITY, message_span::message_span};

/// Stores a group and returns its answers in order. If the group fails, each request is tried alone.
pub(super) async fn commit(ctx: &Context, client: ClientId, group: &[PendingSend]) -> Vec<GroupAnswer> {
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

fn not_stored(ctx: &Context, error: Error) -> GroupAnswer {
    ctx.writes.note_failure(&error);
    failure_answer(error)
}

fn failure_answer(error: Error) -> GroupAnswer {
    Err(AcceptError::Failed(Arc::new(error)))
}

async fn store(ctx: &Context, client: ClientId, group: &[PendingSend]) -> Result<Vec<GroupAnswer>> {
    loop {
        match attempt(ctx, client, group).await {
            // Another group stored its rows first. The next attempt reads them, so the loop ends.
            Err(Error::Storage(error)) if outgoing_rows::is_overtaken(&error) => {}
            stored => return stored,
        }
    }
}

/// Reads the facts that the group needs and stores the group in one statement, which is its transaction. A group with
/// messages in conversations runs in a transaction of its own, which locks the conversations.
async fn attempt(ctx: &Context, client: ClientId, group: &[PendingSend]) -> Result<Vec<GroupAnswer>> {
    let (lanes, answers, spans) = if group.iter().any(speaks_in_conversations) {
        let mut tx = ctx.db.begin().await?;
        let stored = store_in(ctx, &mut tx, client, group).await?;
        tx.commit().await?;
        stored
    } else {
        store_in(ctx, &mut *ctx.db.acquire().await?, client, group).await?
    };
    spans.into_iter().for_each(|span| span.end("accept"));
    ctx.wake.wake_all(client, lanes.into_iter().map(|lane| (Queue::Outbound, lane.0)));
    Ok(answers)
}

fn speaks_in_conversations(pending: &PendingSend) -> bool {
    match &pending.request {
        SendBody::Message(request) => request.conversations().next().is_some(),
        SendBody::Sms(_) => false,
    }
}

/// Returns the lanes with new work, the answers of the group, and the spans of its messages.
async fn store_in(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    group: &[PendingSend],
) -> Result<(Vec<InboxId>, Vec<GroupAnswer>, Vec<OpenSpan>)> {
    let mut named = NamedFacts::load(db, client, group).await?;
    let replays = std::mem::take(&mut named.responses);
    let new = not_replayed(group, &replays);
    if new.is_empty() {
        return Ok((Vec::new(), answers(group, Vec::new(), &replays), Vec::new()));
    }
    let bodies = new.iter().map(|(_, pending)| &pending.request);
    let mut facts = Facts::load(ctx, db, client, named, bodies).await?;
    let prepared = prepare_leaders(ctx, &mut facts, new);
    let lanes = insert(ctx, db, client, &facts, group, &prepared).await?;
    let spans = spans(client, group, &prepared);
    Ok((lanes, answers(group, prepared, &replays), spans))
}

fn spans(
    client: ClientId,
    group: &[PendingSend],
    prepared: &[(usize, std::result::Result<PreparedRequest, AcceptError>)],
) -> Vec<OpenSpan> {
    if !traces::is_on() {
        return Vec::new();
    }
    let accepted = prepared.iter().filter_map(|(at, outcome)| Some((group.get(*at)?, outcome.as_ref().ok()?)));
    let messages = accepted.flat_map(|(pending, one)| one.messages.iter().map(move |message| (pending, message)));
    messages.filter_map(|(pending, message)| message_span(client, message, pending.cause, pending.came)).collect()
}

fn key_of(group: &[PendingSend], at: usize) -> Option<&String> {
    group.get(at).and_then(|pending| pending.call.idempotency_key.as_ref())
}

fn not_replayed<'g>(group: &'g [PendingSend], replays: &HashMap<String, Vec<u8>>) -> Vec<(usize, &'g PendingSend)> {
    let is_new =
        |pending: &PendingSend| pending.call.idempotency_key.as_ref().is_none_or(|key| !replays.contains_key(key));
    group.iter().enumerate().filter(|(_, pending)| is_new(pending)).collect()
}

/// One request for each idempotency key: the first that is accepted. Later requests of the key get its answer.
fn prepare_leaders(
    ctx: &Context,
    facts: &mut Facts,
    new: Vec<(usize, &PendingSend)>,
) -> Vec<(usize, std::result::Result<PreparedRequest, AcceptError>)> {
    let mut led = HashSet::new();
    let mut prepared = Vec::with_capacity(new.len());
    for (at, pending) in new {
        let key = pending.call.idempotency_key.as_ref();
        if key.is_some_and(|key| led.contains(key)) {
            continue;
        }
        let outcome = prepare::prepare(ctx, facts, pending);
        if outcome.as_ref().is_ok_and(PreparedRequest::is_accepted) {
            led.extend(key);
        }
        prepared.push((at, outcome));
    }
    prepared
}

async fn insert(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    facts: &Facts,
    group: &[PendingSend],
    prepared: &[(usize, std::result::Result<PreparedRequest, AcceptError>)],
) -> Result<Vec<InboxId>> {
    let ready: Vec<(usize, &PreparedRequest)> =
        prepared.iter().filter_map(|(at, outcome)| Some((*at, outcome.as_ref().ok()?))).collect();
    let responses = ready.iter().filter(|(_, one)| one.is_accepted());
    let responses = responses.filter_map(|(at, one)| Some((key_of(group, *at)?.as_str(), one.response.as_ref())));
    let responses = responses.collect();
    let ready: Vec<&PreparedRequest> = ready.into_iter().map(|(_, one)| one).collect();
    let parts: Vec<_> = ready.iter().flat_map(|one| &one.parts).collect();
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    let messages: Vec<_> = ready.iter().flat_map(|one| &one.messages).collect();
    let recipients =
        ready.iter().flat_map(|one| one.counted.iter().map(|(inbox, recipient)| (*inbox, recipient.as_str())));
    let recipients: BTreeSet<(InboxId, &str)> = recipients.collect();
    let close = facts.close_to_limits(&recipients);
    let counted = tier_count::rows(ctx, recipients, close);
    conversations::name(db, client, &facts.conversations.names(&messages)).await?;
    let outgoing =
        GroupRows { parts, responses, answerable: texts::answerable(&ready), counted, messages: messages.clone() };
    outgoing_rows::insert(db, client, &outgoing, SEND_PRIORITY, ctx.now()).await?;
    metrics::counter!("patchbay_messages_accepted_total").increment(u64::try_from(messages.len()).unwrap_or(0));
    let mut lanes: Vec<InboxId> = messages.iter().map(|message| message.inbox).collect();
    lanes.sort_unstable();
    lanes.dedup();
    Ok(lanes)
}

fn answers(
    group: &[PendingSend],
    prepared: Vec<(usize, std::result::Result<PreparedRequest, AcceptError>)>,
    replays: &HashMap<String, Vec<u8>>,
) -> Vec<GroupAnswer> {
    let mut by_key: HashMap<&String, GroupAnswer> =
        replays.iter().map(|(key, response)| (key, Ok((Bytes::copy_from_slice(response), true)))).collect();
    // Faults and rejections belong to one body, so requests with the same key do not share them.
    for (at, outcome) in &prepared {
        if let (Ok(accepted), Some(key)) = (outcome, key_of(group, *at))
            && accepted.is_accepted()
        {
            by_key.insert(key, Ok((accepted.response.clone(), true)));
        }
    }
    let mut by_position: HashMap<usize, GroupAnswer> =
        prepared.into_iter().map(|(at, outcome)| (at, outcome.map(|one| (one.response, false)))).collect();
    (0..group.len())
        .map(|at| {
            let shared = || key_of(group, at).and_then(|key| by_key.get(key).cloned());
            by_position.remove(&at).or_else(shared).unwrap_or_else(|| failure_answer(Error::Stopped))
        })
        .collect()
}
