//! Episodes of chats: one row from the first message to the end, for figures. Each step changes the open episode; a chat
//! without one is not changed.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    chat::Rating,
    ids::{ClientId, InboxId, ParticipantId, TeamId, UserId},
};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, Copy)]
pub struct NewEpisode {
    pub id: Uuid,
    pub chat: ParticipantId,
    pub inbox: InboxId,
    /// True if it waits for an agent from the beginning.
    pub queued: bool,
}

/// Begins an episode, unless one is open.
pub async fn open(db: &mut PgConnection, client: ClientId, new: NewEpisode, at: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO chat_episode (client_id, id, participant_id, channel, opened_at, queued_at, waits_since)
         SELECT $1, $2, $3, channel, $5::timestamptz, CASE WHEN $6 THEN $5::timestamptz END,
                CASE WHEN $6 THEN $5::timestamptz END
         FROM inbox WHERE client_id = $1 AND id = $4
         ON CONFLICT (client_id, participant_id) WHERE closed_at IS NULL DO NOTHING",
    )
    .bind(client.0)
    .bind(new.id)
    .bind(new.chat.0)
    .bind(new.inbox.0)
    .bind(at)
    .bind(new.queued)
    .execute(db)
    .await?;
    Ok(())
}

/// The new owner of a chat. Without an agent and not queued, it is a chatbot.
#[derive(Debug, Clone, Copy)]
pub struct EpisodeOwner {
    pub agent: Option<UserId>,
    pub team: Option<TeamId>,
    pub queued: bool,
}

pub async fn give(
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    owner: EpisodeOwner,
    at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "UPDATE chat_episode SET
             queued_at = CASE WHEN $5 THEN COALESCE(queued_at, $6::timestamptz) ELSE queued_at END,
             waits_since = CASE WHEN $5 THEN COALESCE(waits_since, $6::timestamptz)
                                WHEN $3::uuid IS NULL THEN NULL ELSE waits_since END,
             assigned_at = CASE WHEN $3::uuid IS NOT NULL THEN COALESCE(assigned_at, $6::timestamptz) ELSE assigned_at END,
             agent_id = COALESCE($3, agent_id), team_id = COALESCE($4, team_id)
         WHERE client_id = $1 AND participant_id = $2 AND closed_at IS NULL",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(owner.agent.map(|agent| agent.0))
    .bind(owner.team.map(|team| team.0))
    .bind(owner.queued)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// An agent wrote: the first time counts.
pub async fn answer(db: &mut PgConnection, client: ClientId, chat: ParticipantId, at: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "UPDATE chat_episode SET answered_at = $3
         WHERE client_id = $1 AND participant_id = $2 AND closed_at IS NULL AND answered_at IS NULL",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn miss(db: &mut PgConnection, client: ClientId, chat: ParticipantId) -> Result<()> {
    sqlx::query(
        "UPDATE chat_episode SET missed = true WHERE client_id = $1 AND participant_id = $2 AND closed_at IS NULL",
    )
    .bind(client.0)
    .bind(chat.0)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn flag_after_hours(db: &mut PgConnection, client: ClientId, chat: ParticipantId) -> Result<()> {
    sqlx::query(
        "UPDATE chat_episode SET after_hours = true
         WHERE client_id = $1 AND participant_id = $2 AND closed_at IS NULL",
    )
    .bind(client.0)
    .bind(chat.0)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn close(
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    missed: bool,
    at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "UPDATE chat_episode SET closed_at = $4, missed = missed OR $3
         WHERE client_id = $1 AND participant_id = $2 AND closed_at IS NULL",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(missed)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// Since when customers wait for the first answer of an agent in the open episode, without the time before a chatbot
/// had the chat. Other chats are absent.
pub async fn waiting(
    db: &mut PgConnection,
    client: ClientId,
    chats: &[ParticipantId],
) -> Result<HashMap<ParticipantId, DateTime<Utc>>> {
    let rows: Vec<(Uuid, DateTime<Utc>)> = sqlx::query_as(
        "SELECT episode.participant_id, episode.waits_since
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS one (id) OFFSET 0) wanted
         JOIN chat_episode episode ON episode.client_id = wanted.client_id AND episode.participant_id = wanted.id
         WHERE episode.closed_at IS NULL AND episode.answered_at IS NULL AND episode.waits_since IS NOT NULL",
    )
    .bind(client.0)
    .bind(chats.iter().map(|chat| chat.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(chat, since)| (ParticipantId(chat), since)).collect())
}

/// The rating of the last episode: it comes after the end.
pub async fn rate(db: &mut PgConnection, client: ClientId, chat: ParticipantId, rating: Rating) -> Result<()> {
    sqlx::query(
        "UPDATE chat_episode SET rating = $3
         WHERE client_id = $1 AND id = (SELECT id FROM chat_episode WHERE client_id = $1 AND participant_id = $2
                                        ORDER BY id DESC LIMIT 1)",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(rating.as_str())
    .execute(db)
    .await?;
    Ok(())
}
