//! Live events: written without a number in the transaction of their cause, and numbered afterwards.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ChatMessageId, ClientId, ParticipantId},
    live_events::LiveEvent,
};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    column_values::{self, UnreadJson},
};

#[derive(Debug, Clone, PartialEq)]
pub struct NewLiveEvent {
    /// Its id, which determines the week of its partition.
    pub id: Uuid,
    pub at: DateTime<Utc>,
    pub event: LiveEvent,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NumberedEvent {
    pub sequence: i64,
    pub at: DateTime<Utc>,
    pub event: LiveEvent,
}

pub async fn insert(db: &mut PgConnection, client: ClientId, events: &[NewLiveEvent]) -> Result<()> {
    let texts: Vec<String> = events.iter().map(|new| column_values::write_text(&new.event)).collect::<Result<_>>()?;
    sqlx::query(
        "INSERT INTO live_event_new (client_id, id, at, event)
         SELECT $1, one.id, one.at, one.event::json
         FROM unnest($2::uuid[], $3::timestamptz[], $4::text[]) WITH ORDINALITY AS one (id, at, event, place)
         ORDER BY one.place",
    )
    .bind(client.0)
    .bind(events.iter().map(|new| new.id).collect::<Vec<_>>())
    .bind(events.iter().map(|new| new.at).collect::<Vec<_>>())
    .bind(texts)
    .execute(db)
    .await?;
    Ok(())
}

/// Numbers at most `limit` of the oldest events after `last`. The caller has taken
/// [`lock_numbers`](super::streams::lock_numbers) in an earlier statement, so later commits get later numbers.
pub async fn number(db: &mut PgConnection, client: ClientId, last: i64, limit: i64) -> Result<i64> {
    let numbered = sqlx::query_scalar(
        "WITH page AS (
             DELETE FROM live_event_new
             WHERE client_id = $1 AND arrival = ANY (ARRAY(
                 SELECT arrival FROM live_event_new WHERE client_id = $1 ORDER BY client_id, arrival LIMIT $3))
             RETURNING arrival, id, at, event
         ), numbered AS (
             INSERT INTO live_event (client_id, sequence, id, at, event)
             SELECT $1, $2 + row_number() OVER (ORDER BY arrival), id, at, event FROM page
             RETURNING 1
         ), moved AS (
             UPDATE live_stream SET last_sequence = $2 + (SELECT count(*) FROM page) WHERE client_id = $1
         )
         SELECT count(*) FROM numbered",
    )
    .bind(client.0)
    .bind(last)
    .bind(limit)
    .fetch_one(db)
    .await?;
    Ok(numbered)
}

/// A stored event, which keeps its number if this version cannot read it.
#[derive(Debug)]
pub struct LiveEventRow {
    pub sequence: i64,
    pub event: Result<NumberedEvent>,
}

pub async fn after(db: &mut PgConnection, client: ClientId, sequence: i64, limit: i64) -> Result<Vec<LiveEventRow>> {
    let rows: Vec<(i64, DateTime<Utc>, UnreadJson)> = sqlx::query_as(
        "SELECT sequence, at, event FROM live_event WHERE client_id = $1 AND sequence > $2
         ORDER BY client_id, sequence LIMIT $3",
    )
    .bind(client.0)
    .bind(sequence)
    .bind(limit)
    .fetch_all(db)
    .await?;
    let read = |(sequence, at, event): (i64, DateTime<Utc>, UnreadJson)| {
        let event = column_values::read("live_event", "event", &event);
        LiveEventRow { sequence, event: event.map(|event| NumberedEvent { sequence, at, event }) }
    };
    Ok(rows.into_iter().map(read).collect())
}

pub async fn chats_of(
    db: &mut PgConnection,
    client: ClientId,
    messages: &[ChatMessageId],
) -> Result<Vec<(ChatMessageId, ParticipantId)>> {
    let rows: Vec<(Uuid, Uuid)> = sqlx::query_as(
        "SELECT message.id, message.participant_id
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT id, participant_id FROM chat_message
             WHERE client_id = given.client_id AND id = given.id OFFSET 0) message",
    )
    .bind(client.0)
    .bind(messages.iter().map(|message| message.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(message, chat)| (ChatMessageId(message), ParticipantId(chat))).collect())
}
