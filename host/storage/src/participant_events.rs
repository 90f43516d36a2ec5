//! What a chatbot must see of a participant. One lane per participant: events are handled in order, one at a time.
//!
//! The order is that of `due_at`. A message is due when it is stored, and never before one that was stored earlier,
//! whatever the clocks of two nodes say; a timer is due when it runs out, so it waits without holding anything up. The
//! one event that has failed is first until it succeeds or is dropped, and the others are put off until it is tried again.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, ParticipantEventId, ParticipantId};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Result;

/// Kind of the event of a timer that a chatbot started.
pub const TIMER: &str = "TIMER";

/// An event on its way to a chatbot.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// Its id, which the chatbot sees.
    pub id: ParticipantEventId,
    /// What happened.
    pub kind: &'static str,
    /// More about it.
    pub payload: Value,
}

/// An event that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its id.
    pub id: ParticipantEventId,
    /// What happened.
    pub kind: String,
    /// More about it.
    pub payload: Value,
    /// When it is to be handled.
    pub due_at: DateTime<Utc>,
    /// How often handling it has failed.
    pub attempts: i16,
}

#[derive(sqlx::FromRow)]
struct EventRow {
    id: Uuid,
    kind: String,
    payload: Value,
    due_at: DateTime<Utc>,
    attempts: i16,
}

impl From<EventRow> for Event {
    fn from(row: EventRow) -> Self {
        Self {
            id: ParticipantEventId(row.id),
            kind: row.kind,
            payload: row.payload,
            due_at: row.due_at,
            attempts: row.attempts,
        }
    }
}

/// Adds events that have just happened, in their order, behind everything that has happened before; the last of them is
/// due at `now`, unless something before it is due later. The participant is locked by the caller.
pub async fn append(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    events: &[NewEvent],
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO participant_event (client_id, id, lane_id, kind, payload, due_at)
         SELECT $1, given.id, $2, given.kind, given.payload,
                GREATEST($6::timestamptz - (cardinality($3::uuid[]) - 1) * interval '1 microsecond',
                         (SELECT max(due_at) + interval '1 microsecond' FROM participant_event
                          WHERE client_id = $1 AND lane_id = $2 AND kind <> 'TIMER'))
                + (given.place - 1) * interval '1 microsecond'
         FROM unnest($3::uuid[], $4::text[], $5::jsonb[]) WITH ORDINALITY AS given (id, kind, payload, place)",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(events.iter().map(|event| event.id.0).collect::<Vec<_>>())
    .bind(events.iter().map(|event| event.kind).collect::<Vec<_>>())
    .bind(events.iter().map(|event| &event.payload).collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Starts a timer, or moves the one of the same name.
pub async fn start_timer(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    (id, name): (ParticipantEventId, &str),
    due_at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "DELETE FROM participant_event
         WHERE client_id = $1 AND lane_id = $2 AND kind = 'TIMER' AND payload->>'name' = $3",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(name)
    .execute(&mut *db)
    .await?;
    sqlx::query(
        "INSERT INTO participant_event (client_id, id, lane_id, kind, payload, due_at)
         VALUES ($1, $2, $3, 'TIMER', jsonb_build_object('name', $4::text), $5)",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(participant.0)
    .bind(name)
    .bind(due_at)
    .execute(db)
    .await?;
    Ok(())
}

/// The event that comes next, whether it is due or not.
pub async fn head(db: &mut PgConnection, client: ClientId, participant: ParticipantId) -> Result<Option<Event>> {
    let row: Option<EventRow> = sqlx::query_as(
        "SELECT id, kind, payload, due_at, attempts FROM participant_event WHERE client_id = $1 AND lane_id = $2
         ORDER BY attempts > 0 DESC, due_at, id LIMIT 1",
    )
    .bind(client.0)
    .bind(participant.0)
    .fetch_optional(db)
    .await?;
    Ok(row.map(Event::from))
}

/// The first waiting event that is no timer, leaving out `except`.
pub async fn next_happening(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    except: ParticipantEventId,
) -> Result<Option<Event>> {
    let row: Option<EventRow> = sqlx::query_as(
        "SELECT id, kind, payload, due_at, attempts FROM participant_event
         WHERE client_id = $1 AND lane_id = $2 AND kind <> 'TIMER' AND id <> $3 ORDER BY due_at, id LIMIT 1",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(except.0)
    .fetch_optional(db)
    .await?;
    Ok(row.map(Event::from))
}

/// Puts an event directly before another one.
pub async fn insert_before(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    event: &NewEvent,
    next: &Event,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO participant_event (client_id, id, lane_id, kind, payload, due_at)
         VALUES ($1, $2, $3, $4, $5, $6::timestamptz - interval '1 microsecond')",
    )
    .bind(client.0)
    .bind(event.id.0)
    .bind(participant.0)
    .bind(event.kind)
    .bind(&event.payload)
    .bind(next.due_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Says something else about an event.
pub async fn set_payload(
    db: &mut PgConnection,
    client: ClientId,
    event: ParticipantEventId,
    payload: &Value,
) -> Result<()> {
    sqlx::query("UPDATE participant_event SET payload = $3 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(event.0)
        .bind(payload)
        .execute(db)
        .await?;
    Ok(())
}

/// Forgets an event that is dealt with; `false` when it was gone already.
pub async fn remove(db: &mut PgConnection, client: ClientId, event: ParticipantEventId) -> Result<bool> {
    let done = sqlx::query("DELETE FROM participant_event WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(event.0)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Forgets all events of a participant, timers included: the chat is no longer the chatbot's.
pub async fn remove_all(db: &mut PgConnection, client: ClientId, participant: ParticipantId) -> Result<u64> {
    let done = sqlx::query("DELETE FROM participant_event WHERE client_id = $1 AND lane_id = $2")
        .bind(client.0)
        .bind(participant.0)
        .execute(db)
        .await?;
    Ok(done.rows_affected())
}

/// Forgets the timers of a participant: the conversation that they belong to is over.
pub async fn remove_timers(db: &mut PgConnection, client: ClientId, participant: ParticipantId) -> Result<u64> {
    let done = sqlx::query("DELETE FROM participant_event WHERE client_id = $1 AND lane_id = $2 AND kind = 'TIMER'")
        .bind(client.0)
        .bind(participant.0)
        .execute(db)
        .await?;
    Ok(done.rows_affected())
}

/// Tries an event again at `due_at`, and the others that would be due before then after it, in their order. `failed`
/// counts the attempt and so keeps the event first; without it nothing went wrong with the event itself.
pub async fn put_off(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    (event, failed): (ParticipantEventId, bool),
    due_at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "WITH ordered AS (
             SELECT id, row_number() OVER (ORDER BY id = $3 DESC, due_at, id) - 1 AS place FROM participant_event
             WHERE client_id = $1 AND lane_id = $2 AND (due_at < $4 OR id = $3)
         )
         UPDATE participant_event event SET due_at = $4::timestamptz + ordered.place * interval '1 microsecond',
             attempts = CASE WHEN event.id = $3 AND $5 THEN event.attempts + 1 ELSE event.attempts END
         FROM ordered WHERE event.client_id = $1 AND event.id = ordered.id",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(event.0)
    .bind(due_at)
    .bind(failed)
    .execute(db)
    .await?;
    Ok(())
}
