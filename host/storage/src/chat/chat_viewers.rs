//! Users who look at a chat. A row counts until its time; later it is deleted.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, ParticipantId, UserId};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatViewer {
    pub user: UserId,
    pub writes: bool,
}

/// A look of a user at a chat: until when the user counts as a viewer and as a writer.
#[derive(Debug, Clone, Copy)]
pub struct ChatViewing {
    pub chat: ParticipantId,
    pub user: UserId,
    pub seen_until: DateTime<Utc>,
    /// `None`: the user does not write.
    pub writing_until: Option<DateTime<Utc>>,
}

/// Records that a user looks at a chat. Returns the viewer as it was at `now`.
pub async fn look(
    db: &mut PgConnection,
    client: ClientId,
    viewing: ChatViewing,
    now: DateTime<Utc>,
) -> Result<Option<ChatViewer>> {
    let ChatViewing { chat, user, seen_until, writing_until } = viewing;
    let before: Option<bool> = sqlx::query_scalar(
        "SELECT COALESCE(writing_until > $4, false) FROM chat_viewer
         WHERE client_id = $1 AND participant_id = $2 AND user_id = $3 AND seen_until > $4",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(user.0)
    .bind(now)
    .fetch_optional(&mut *db)
    .await?;
    sqlx::query(
        "INSERT INTO chat_viewer (client_id, participant_id, user_id, seen_until, writing_until)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (client_id, participant_id, user_id) DO UPDATE
         SET seen_until = excluded.seen_until, writing_until = excluded.writing_until",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(user.0)
    .bind(seen_until)
    .bind(writing_until)
    .execute(db)
    .await?;
    Ok(before.map(|writes| ChatViewer { user, writes }))
}

/// Returns false if the user was no viewer.
pub async fn leave(db: &mut PgConnection, client: ClientId, chat: ParticipantId, user: UserId) -> Result<bool> {
    let done = sqlx::query("DELETE FROM chat_viewer WHERE client_id = $1 AND participant_id = $2 AND user_id = $3")
        .bind(client.0)
        .bind(chat.0)
        .bind(user.0)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// The viewers of chats at `now`, by their ids.
pub async fn of_chats(
    db: &mut PgConnection,
    client: ClientId,
    chats: &[ParticipantId],
    now: DateTime<Utc>,
) -> Result<HashMap<ParticipantId, Vec<ChatViewer>>> {
    let rows: Vec<(Uuid, Uuid, bool)> = sqlx::query_as(
        "SELECT viewer.participant_id, viewer.user_id, COALESCE(viewer.writing_until > $3, false)
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT participant_id, user_id, seen_until, writing_until FROM chat_viewer
             WHERE client_id = given.client_id AND participant_id = given.id OFFSET 0) viewer
         WHERE viewer.seen_until > $3 ORDER BY viewer.user_id",
    )
    .bind(client.0)
    .bind(chats.iter().map(|chat| chat.0).collect::<Vec<_>>())
    .bind(now)
    .fetch_all(db)
    .await?;
    let mut viewers: HashMap<ParticipantId, Vec<ChatViewer>> = HashMap::new();
    for (chat, user, writes) in rows {
        viewers.entry(ParticipantId(chat)).or_default().push(ChatViewer { user: UserId(user), writes });
    }
    Ok(viewers)
}
