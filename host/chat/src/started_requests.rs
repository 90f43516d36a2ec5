//! HTTP requests that chatbots start with `http.start` (ADR 0062). They are stored with the answer of the turn, sent
//! outside of transactions, and their end is an event of the same chat.

use base::{
    Context, Result,
    lanes::Lease,
    secrets::{SealError, SecretPurpose},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::TimeDelta;
use domain::{
    chat::{EndedRequest, MOST_OPEN_REQUESTS, ParticipantEvent, ParticipantState, RequestEnd},
    ids::{ClientId, ParticipantId},
};
use plugin_host::{HttpFault, HttpRequest, HttpResponse, StartedRequest};
use plugins::calls::{self, MissedEvent};
use serde::{Deserialize, Serialize};
use storage::{
    PgConnection, Queue,
    chat::{
        participant_events::{self, NewParticipantEvent},
        participants::{self, Participant},
        plugin_requests::{self, OpenRequest},
    },
};
use uuid::Uuid;

/// The event of an ended request in the calls of a plugin.
const ENDED: &str = "http-finished";

/// A request as it is sealed. Its time limit is the deadline of the row.
#[derive(Debug, Serialize, Deserialize)]
struct StoredRequest {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    /// In base64.
    body: Option<String>,
    most_bytes: usize,
}

/// The chat and the chatbot that started requests.
#[derive(Clone, Copy)]
pub(crate) struct RequestOwner<'a> {
    pub(crate) chat: &'a Participant,
    /// The control version of the chat that the call saw.
    pub(crate) control_version: i64,
    pub(crate) plugin: &'a str,
}

/// Stores the requests of an answer, also if the answer took the chat from the chatbot: then only their ends are dropped.
/// One beyond the limits ends at once. Returns the lanes to wake.
pub(crate) async fn store(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    owner: RequestOwner<'_>,
    started: &[StartedRequest],
) -> Result<Vec<(Queue, Uuid)>> {
    if started.is_empty() {
        return Ok(Vec::new());
    }
    let most = i64::from(ctx.settings.limits.plugin_open_requests_per_client);
    let (mut of_client, mut of_chat) = plugin_requests::open(db, client, owner.chat.id).await?;
    let (now, mut wakes) = (ctx.now(), Vec::new());
    for StartedRequest { job, request } in started {
        let full = match (of_client >= most, of_chat >= i64::from(MOST_OPEN_REQUESTS)) {
            (true, _) => Some(format!("{most} requests of this client have not ended: try again later")),
            (_, true) => Some(format!("{MOST_OPEN_REQUESTS} requests of this chat have not ended")),
            _ => None,
        };
        if let Some(reason) = full {
            refuse(ctx, db, client, owner, job, reason).await?;
            continue;
        }
        let open = OpenRequest {
            id: ctx.ids.mint(now),
            participant: owner.chat.id,
            plugin: owner.plugin.to_owned(),
            job: job.clone(),
            control_version: owner.control_version,
            sealed: seal(ctx, client, request)?,
            deadline_at: now + TimeDelta::from_std(request.timeout).unwrap_or_default(),
        };
        plugin_requests::insert(db, client, &open, now).await?;
        wakes.push((Queue::PluginRequest, open.id));
        (of_client, of_chat) = (of_client + 1, of_chat + 1);
    }
    Ok(wakes)
}

/// Ends a request that is not sent, as [`finish`] ends others.
async fn refuse(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    owner: RequestOwner<'_>,
    job: &str,
    reason: String,
) -> Result<()> {
    let RequestOwner { chat, control_version, plugin } = owner;
    if is_heard(chat, control_version) {
        let ended = ended(control_version, plugin, job, RequestEnd::Failed(reason));
        let event = NewParticipantEvent { id: ctx.mint(), event: ended };
        participant_events::append(db, client, chat.id, &[event], ctx.now()).await?;
    } else {
        let reason = format!("the request {job} was not sent: {reason}");
        let missed = MissedEvent { plugin, event: ENDED, subject: chat.id.0, reason: &reason };
        calls::note_missed_event(ctx, db, client, missed).await?;
    }
    Ok(())
}

/// Whether the chatbot still has the chat in which it started a request.
fn is_heard(chat: &Participant, control_version: i64) -> bool {
    chat.state == ParticipantState::Bot && chat.control_version == control_version
}

fn seal(ctx: &Context, client: ClientId, request: &HttpRequest) -> Result<Vec<u8>> {
    let stored = StoredRequest {
        method: request.method.clone(),
        url: request.url.clone(),
        headers: request.headers.clone(),
        body: request.body.as_ref().map(|body| STANDARD.encode(body)),
        most_bytes: request.most_bytes,
    };
    let plain = serde_json::to_vec(&stored).unwrap_or_default();
    Ok(ctx.sealer.seal(client, SecretPurpose::PluginRequest, &plain)?)
}

fn ended(control_version: i64, plugin: &str, job: &str, end: RequestEnd) -> ParticipantEvent {
    let (plugin, job) = (plugin.to_owned(), job.to_owned());
    ParticipantEvent::RequestEnded(Box::new(EndedRequest { job, plugin, control_version, end }))
}

/// Sends the request of this lane and gives its end to the chat. If the process stops during the request, the row stays,
/// and the request is sent again with the same idempotency key.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    let open = plugin_requests::find(&mut *ctx.db.acquire().await?, lease.client, lease.lane).await?;
    let Some(open) = open else { return Ok(()) };
    let end = tokio::select! {
        () = lease.stop.cancelled() => return Ok(()),
        end = send(ctx, lease.client, &open) => end,
    };
    metrics::counter!("patchbay_plugin_started_requests_total", "result" => name_of(&end)).increment(1);
    finish(ctx, lease, &open, end).await
}

async fn send(ctx: &Context, client: ClientId, open: &OpenRequest) -> RequestEnd {
    let left = (open.deadline_at - ctx.now()).to_std().unwrap_or_default();
    if left.is_zero() {
        return RequestEnd::TimedOut;
    }
    let stored = match unseal(ctx, client, open) {
        Ok(stored) => stored,
        Err(reason) => return RequestEnd::Failed(format!("the host cannot read the request: {reason}")),
    };
    let most_bytes = stored.most_bytes;
    let request = HttpRequest {
        method: stored.method,
        url: stored.url,
        headers: stored.headers,
        body: stored.body.and_then(|body| STANDARD.decode(body).ok()),
        timeout: left,
        most_bytes,
    };
    match ctx.plugins.send_started(client, request).await {
        Ok(HttpResponse { status, headers, body }) => RequestEnd::Response {
            status,
            headers: headers.into_iter().map(storable).collect(),
            body: STANDARD.encode(body),
        },
        Err(HttpFault::TimedOut) => RequestEnd::TimedOut,
        Err(HttpFault::TooLarge) => RequestEnd::TooLarge(u32::try_from(most_bytes).unwrap_or(u32::MAX)),
        Err(HttpFault::Refused(reason)) => RequestEnd::Refused(reason.replace('\0', "")),
        Err(HttpFault::Failed(reason)) => RequestEnd::Failed(reason.replace('\0', "")),
    }
}

/// JSON in the database holds no NUL character.
fn storable((name, value): (String, String)) -> (String, String) {
    (name, value.replace('\0', ""))
}

fn unseal(ctx: &Context, client: ClientId, open: &OpenRequest) -> std::result::Result<StoredRequest, SealError> {
    let plain = ctx.sealer.open(client, SecretPurpose::PluginRequest, &open.sealed)?;
    serde_json::from_slice(&plain).map_err(|_| SealError::Unreadable)
}

/// Removes the request, and appends its end to the events of the chat if the chatbot still has it. If it does not, the
/// calls of the plugin say so.
async fn finish(ctx: &Context, lease: &Lease, open: &OpenRequest, end: RequestEnd) -> Result<()> {
    let client = lease.client;
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    if !plugin_requests::remove(&mut tx, client, open.id).await? {
        return Ok(());
    }
    let participant = participants::lock(&mut tx, client, open.participant).await?;
    match participant {
        Some(chat) if chat.id == open.participant && is_heard(&chat, open.control_version) => {
            let ended = ended(open.control_version, &open.plugin, &open.job, end);
            let event = NewParticipantEvent { id: ctx.mint(), event: ended };
            participant_events::append(&mut tx, client, open.participant, &[event], ctx.now()).await?;
        }
        Some(chat) => {
            note_dropped(ctx, &mut tx, client, chat.id, &open.plugin, &open.job).await?;
        }
        None => {}
    }
    tx.commit().await?;
    ctx.wake.wake(Queue::Participant, client, open.participant.0);
    Ok(())
}

/// Notes among the calls of a chatbot that it does not get the end of its request.
pub(crate) async fn note_dropped(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    plugin: &str,
    job: &str,
) -> Result<()> {
    let reason = format!("the end of the request {job} was dropped: the chat has changed hands since");
    let missed = MissedEvent { plugin, event: ENDED, subject: chat.0, reason: &reason };
    calls::note_missed_event(ctx, db, client, missed).await
}

fn name_of(end: &RequestEnd) -> &'static str {
    match end {
        RequestEnd::Response { .. } => "answered",
        RequestEnd::TimedOut => "timed-out",
        RequestEnd::TooLarge(_) => "too-large",
        RequestEnd::Refused(_) => "refused",
        RequestEnd::Failed(_) => "failed",
    }
}

#[cfg(test)]
mod tests {
    use domain::chat::MOST_OPEN_REQUESTS;

    use crate::scheduled_templates;

    #[test]
    fn the_plugin_interface_shows_the_limits_of_a_conversation() {
        let interface = include_str!("../../../wit/plugin-0.3.0/types.wit");
        let templates = scheduled_templates::MOST_OF_CHAT;
        for row in [
            format!("/// | scheduled templates of a conversation | {templates} | |"),
            format!("/// | `http.start`: open requests of a chat | {MOST_OPEN_REQUESTS} | |"),
        ] {
            assert!(interface.lines().any(|line| line == row), "wit/plugin-0.3.0/types.wit has no line\n{row}");
        }
    }
}
