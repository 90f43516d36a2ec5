//! Events of participants for their chatbots. A participant is a lane: its events are handled in order, one at a time.
//!
//! The order is `due_at`. A message is due when it is stored, and never before an earlier message, also if the clocks
//! of two nodes differ. A timer is due when it runs out, so it delays no other event. An event that failed is first
//! until it succeeds or is dropped, and the others are put off until it is tried again.

use chrono::{DateTime, Utc};
use domain::{
    chat::{ArrivedMessage, ChatbotTimer, CustomEvent, EndedRequest, ParticipantEvent, ParticipantEventKind},
    clock::minted_at,
    ids::{ClientId, ParticipantEventId, ParticipantId},
};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{
    Error, PgConnection, Result,
    column_values::{self, UnreadJson, VersionedJson, read_value},
};

#[derive(Debug, Clone)]
pub struct NewParticipantEvent {
    pub id: ParticipantEventId,
    pub event: ParticipantEvent,
}

#[derive(Debug, Clone, PartialEq)]
pub struct WaitingEvent {
    pub id: ParticipantEventId,
    pub event: ParticipantEvent,
    pub due_at: DateTime<Utc>,
    pub attempts: i16,
}

/// An event that this version cannot read.
#[derive(Debug)]
pub struct UnreadableEvent {
    pub id: ParticipantEventId,
    pub due_at: DateTime<Utc>,
    pub error: Error,
}

impl WaitingEvent {
    /// Returns the time that its chatbot sees: the time of the event, also in late and repeated calls.
    pub fn moment(&self) -> DateTime<Utc> {
        match &self.event {
            ParticipantEvent::Timer(ChatbotTimer { due_at, .. }) => due_at.unwrap_or(self.due_at),
            _ => minted_at(self.id.0),
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Payload<'e> {
    Message(&'e ArrivedMessage),
    Timer(&'e ChatbotTimer),
    Custom(&'e CustomEvent),
    Ended(StoredEnd<'e>),
    Nothing,
}

/// Name of the custom event that the end of a request is to the release before.
const REQUEST_ENDED: &str = "http-finished";

#[derive(Serialize)]
struct StoredEnd<'e> {
    name: &'static str,
    payload: &'static str,
    ended: &'e EndedRequest,
}

/// A custom event, or with `ended` the end of a request.
#[derive(Deserialize)]
struct StoredCustom {
    name: String,
    payload: String,
    ended: Option<Box<EndedRequest>>,
}

impl From<StoredCustom> for ParticipantEvent {
    fn from(stored: StoredCustom) -> Self {
        match stored.ended {
            Some(ended) => Self::RequestEnded(ended),
            None => Self::Custom(CustomEvent { name: stored.name, payload: stored.payload }),
        }
    }
}

fn payload(event: &ParticipantEvent) -> Json<VersionedJson<Payload<'_>>> {
    use ParticipantEvent as Event;
    column_values::write(match event {
        Event::Route(message) | Event::Started(message) | Event::Message(message) | Event::Rating(message) => {
            Payload::Message(message)
        }
        Event::Timer(timer) => Payload::Timer(timer),
        Event::Custom(custom) => Payload::Custom(custom),
        Event::RequestEnded(ended) => {
            Payload::Ended(StoredEnd { name: REQUEST_ENDED, payload: "{}", ended: ended.as_ref() })
        }
        Event::Released => Payload::Nothing,
    })
}

#[derive(sqlx::FromRow)]
struct EventRow {
    id: Uuid,
    kind: String,
    payload: UnreadJson,
    due_at: DateTime<Utc>,
    attempts: i16,
}

impl TryFrom<EventRow> for WaitingEvent {
    type Error = Error;

    fn try_from(row: EventRow) -> Result<Self> {
        let message = || column_values::read("participant_event", "payload", &row.payload);
        let event = match read_value("participant_event", "kind", &row.kind, ParticipantEventKind::from_name)? {
            ParticipantEventKind::Route => ParticipantEvent::Route(message()?),
            ParticipantEventKind::Started => ParticipantEvent::Started(message()?),
            ParticipantEventKind::Message => ParticipantEvent::Message(message()?),
            ParticipantEventKind::Rating => ParticipantEvent::Rating(message()?),
            ParticipantEventKind::Timer => {
                ParticipantEvent::Timer(column_values::read("participant_event", "payload", &row.payload)?)
            }
            ParticipantEventKind::Custom => {
                column_values::read::<StoredCustom>("participant_event", "payload", &row.payload)?.into()
            }
            ParticipantEventKind::Released => ParticipantEvent::Released,
        };
        Ok(Self { id: ParticipantEventId(row.id), event, due_at: row.due_at, attempts: row.attempts })
    }
}

/// Appends events after all earlier ones. The last is due at `now` or later. The caller has locked the participant.
pub async fn append(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    events: &[NewParticipantEvent],
    now: DateTime<Utc>,
) -> Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO participant_event (client_id, id, lane_id, kind, payload, due_at, ready)
         SELECT $1, given.id, $2, given.kind, given.payload, due_at, due_at <= $6
         FROM unnest($3::uuid[], $4::text[], $5::jsonb[]) WITH ORDINALITY AS given (id, kind, payload, place),
              LATERAL (SELECT GREATEST($6::timestamptz - (cardinality($3::uuid[]) - 1) * interval '1 microsecond',
                         (SELECT max(due_at) + interval '1 microsecond' FROM participant_event
                          WHERE client_id = $1 AND lane_id = $2 AND kind <> 'TIMER'))
                + (given.place - 1) * interval '1 microsecond' AS due_at) AS turn",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(events.iter().map(|event| event.id.0).collect::<Vec<_>>())
    .bind(events.iter().map(|new| new.event.kind().as_str()).collect::<Vec<_>>())
    .bind(events.iter().map(|new| payload(&new.event)).collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// A timer that starts, with the time when it runs out.
#[derive(Debug, Clone, Copy)]
pub struct NewTimer<'a> {
    pub id: ParticipantEventId,
    pub timer: &'a ChatbotTimer,
    pub due_at: DateTime<Utc>,
}

/// Starts a timer. One of the same chat, chatbot and name is replaced.
pub async fn start_timer(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    NewTimer { id, timer, due_at }: NewTimer<'_>,
) -> Result<()> {
    cancel_timer(db, client, participant, timer.plugin.as_deref().unwrap_or_default(), &timer.name).await?;
    sqlx::query(
        "INSERT INTO participant_event (client_id, id, lane_id, kind, payload, due_at, ready)
         VALUES ($1, $2, $3, 'TIMER', $4, $5, false)",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(participant.0)
    .bind(column_values::write(timer))
    .bind(due_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Cancels a timer of this chatbot, or one of which the chatbot is not known.
pub async fn cancel_timer(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    plugin: &str,
    name: &str,
) -> Result<bool> {
    let done = sqlx::query(
        "DELETE FROM participant_event
         WHERE client_id = $1 AND lane_id = $2 AND kind = 'TIMER' AND payload->'value'->>'name' = $3
           AND COALESCE(payload->'value'->>'plugin', $4) = $4",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(name)
    .bind(plugin)
    .execute(db)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Returns the timers of a chat that this chatbot would get, the next one first.
pub async fn timers(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    plugin: &str,
) -> Result<Vec<(String, DateTime<Utc>)>> {
    Ok(sqlx::query_as(
        "SELECT payload->'value'->>'name', due_at FROM participant_event
         WHERE client_id = $1 AND lane_id = $2 AND kind = 'TIMER' AND COALESCE(payload->'value'->>'plugin', $3) = $3
         ORDER BY due_at, id",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(plugin)
    .fetch_all(db)
    .await?)
}

/// Returns the next event, due or not.
pub async fn head(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
) -> Result<Option<Result<WaitingEvent, UnreadableEvent>>> {
    let row: Option<EventRow> = sqlx::query_as(
        "SELECT id, kind, payload, due_at, attempts FROM participant_event WHERE client_id = $1 AND lane_id = $2
         ORDER BY attempts > 0 DESC, due_at, id LIMIT 1",
    )
    .bind(client.0)
    .bind(participant.0)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| {
        let (id, due_at) = (ParticipantEventId(row.id), row.due_at);
        WaitingEvent::try_from(row).map_err(|error| UnreadableEvent { id, due_at, error })
    }))
}

pub async fn waiting(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    kind: ParticipantEventKind,
) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT count(*) FROM participant_event WHERE client_id = $1 AND lane_id = $2 AND kind = $3")
        .bind(client.0)
        .bind(participant.0)
        .bind(kind.as_str())
        .fetch_one(db)
        .await?)
}

/// Returns the first waiting event that a customer caused, except `except`.
pub async fn next_customer_event(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    except: ParticipantEventId,
) -> Result<Option<WaitingEvent>> {
    let row: Option<EventRow> = sqlx::query_as(
        "SELECT id, kind, payload, due_at, attempts FROM participant_event
         WHERE client_id = $1 AND lane_id = $2 AND kind NOT IN ('TIMER', 'CUSTOM') AND id <> $3
         ORDER BY due_at, id LIMIT 1",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(except.0)
    .fetch_optional(db)
    .await?;
    row.map(WaitingEvent::try_from).transpose()
}

pub async fn insert_before(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    event: &NewParticipantEvent,
    next: &WaitingEvent,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO participant_event (client_id, id, lane_id, kind, payload, due_at)
         VALUES ($1, $2, $3, $4, $5, $6::timestamptz - interval '1 microsecond')",
    )
    .bind(client.0)
    .bind(event.id.0)
    .bind(participant.0)
    .bind(event.event.kind().as_str())
    .bind(payload(&event.event))
    .bind(next.due_at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn replace(
    db: &mut PgConnection,
    client: ClientId,
    id: ParticipantEventId,
    event: &ParticipantEvent,
) -> Result<()> {
    sqlx::query("UPDATE participant_event SET kind = $3, payload = $4 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id.0)
        .bind(event.kind().as_str())
        .bind(payload(event))
        .execute(db)
        .await?;
    Ok(())
}

pub async fn remove(db: &mut PgConnection, client: ClientId, event: ParticipantEventId) -> Result<bool> {
    let done = sqlx::query("DELETE FROM participant_event WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(event.0)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// The end of a request that its chatbot does not get.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct UnheardEnd {
    pub plugin: String,
    pub job: String,
}

/// Removes the events of a participant. Returns the ends of requests among them, also those that this version cannot read.
pub async fn remove_all(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
) -> Result<Vec<UnheardEnd>> {
    Ok(sqlx::query_as(
        "WITH gone AS (
             DELETE FROM participant_event WHERE client_id = $1 AND lane_id = $2
             RETURNING kind, payload->'value'->'ended' AS ended
         )
         SELECT ended->>'plugin' AS plugin, ended->>'job' AS job FROM gone
         WHERE kind = 'CUSTOM' AND ended->>'plugin' IS NOT NULL AND ended->>'job' IS NOT NULL",
    )
    .bind(client.0)
    .bind(participant.0)
    .fetch_all(db)
    .await?)
}

/// Removes the timers of a participant, because their conversation has ended.
pub async fn remove_timers(db: &mut PgConnection, client: ClientId, participant: ParticipantId) -> Result<u64> {
    let done = sqlx::query("DELETE FROM participant_event WHERE client_id = $1 AND lane_id = $2 AND kind = 'TIMER'")
        .bind(client.0)
        .bind(participant.0)
        .execute(db)
        .await?;
    Ok(done.rows_affected())
}

/// Puts off a failed event to `due_at`, and after it the events that would be due before, in their order.
pub async fn postpone(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    event: ParticipantEventId,
    due_at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "WITH ordered AS (
             SELECT id, row_number() OVER (ORDER BY id = $3 DESC, due_at, id) - 1 AS place FROM participant_event
             WHERE client_id = $1 AND lane_id = $2 AND (due_at < $4 OR id = $3)
         )
         UPDATE participant_event event SET due_at = $4::timestamptz + ordered.place * interval '1 microsecond', ready = false,
             attempts = CASE WHEN event.id = $3 THEN event.attempts + 1 ELSE event.attempts END
         FROM ordered WHERE event.client_id = $1 AND event.id = ordered.id",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(event.0)
    .bind(due_at)
    .execute(db)
    .await?;
    Ok(())
}
