//! Internal notes of chats.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, NoteId, ParticipantId, UserId},
    page::{Page, PageRequest},
};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatNote {
    pub id: NoteId,
    pub participant: ParticipantId,
    pub author: UserId,
    pub text: String,
    /// Of a whisper: at most its agent.
    pub mentions: Vec<UserId>,
    /// The agent to whom the note is a whisper. Of the users with the role AGENT, only this agent and the author find it
    /// in the list of notes. `None`: a note for all users.
    pub whisper_to: Option<UserId>,
    pub created_at: DateTime<Utc>,
}

impl ChatNote {
    /// All users that the note names.
    pub fn users(&self) -> impl Iterator<Item = UserId> + '_ {
        self.mentions.iter().copied().chain([self.author]).chain(self.whisper_to)
    }
}

#[derive(sqlx::FromRow)]
struct NoteRow {
    id: Uuid,
    participant_id: Uuid,
    author_id: Uuid,
    body: String,
    mentions: Vec<Uuid>,
    whisper_to: Option<Uuid>,
    created_at: DateTime<Utc>,
}

impl From<NoteRow> for ChatNote {
    fn from(row: NoteRow) -> Self {
        Self {
            id: NoteId(row.id),
            participant: ParticipantId(row.participant_id),
            author: UserId(row.author_id),
            text: row.body,
            mentions: row.mentions.into_iter().map(UserId).collect(),
            whisper_to: row.whisper_to.map(UserId),
            created_at: row.created_at,
        }
    }
}

pub async fn insert(db: &mut PgConnection, client: ClientId, note: &ChatNote) -> Result<()> {
    let mentions: Vec<Uuid> = note.mentions.iter().map(|user| user.0).collect();
    sqlx::query(
        "INSERT INTO chat_note (client_id, id, participant_id, author_id, body, mentions, whisper_to, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(client.0)
    .bind(note.id.0)
    .bind(note.participant.0)
    .bind(note.author.0)
    .bind(&note.text)
    .bind(&mentions)
    .bind(note.whisper_to.map(|user| user.0))
    .bind(note.created_at)
    .execute(&mut *db)
    .await?;
    if !mentions.is_empty() {
        sqlx::query(
            "INSERT INTO chat_note_mention (client_id, user_id, note_id) SELECT $1, one, $3 FROM unnest($2::uuid[]) one",
        )
        .bind(client.0)
        .bind(&mentions)
        .bind(note.id.0)
        .execute(db)
        .await?;
    }
    Ok(())
}

/// The notes of a chat, newest first. `only_for`: a user who sees no whispers to others.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    only_for: Option<UserId>,
    page: PageRequest,
) -> Result<Page<ChatNote>> {
    let only_for = only_for.map(|user| user.0);
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM chat_note WHERE client_id = $1 AND participant_id = $2
             AND ($3::uuid IS NULL OR whisper_to IS NULL OR whisper_to = $3 OR author_id = $3)",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(only_for)
    .fetch_one(&mut *db)
    .await?;
    let rows: Vec<NoteRow> = sqlx::query_as(
        "SELECT id, participant_id, author_id, body, mentions, whisper_to, created_at FROM chat_note
         WHERE client_id = $1 AND participant_id = $2
             AND ($3::uuid IS NULL OR whisper_to IS NULL OR whisper_to = $3 OR author_id = $3)
         ORDER BY id DESC LIMIT $4 OFFSET $5",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(only_for)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    Ok(Page::of(rows.into_iter().map(ChatNote::from).collect(), total))
}

/// The notes that mention a user, newest first. A whisper mentions only its agent.
pub async fn mentions(
    db: &mut PgConnection,
    client: ClientId,
    user: UserId,
    page: PageRequest,
) -> Result<Page<ChatNote>> {
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM chat_note_mention named
         CROSS JOIN LATERAL (
             SELECT 1 FROM chat_note
             WHERE client_id = named.client_id AND id = named.note_id
                 AND (whisper_to IS NULL OR whisper_to = $2) OFFSET 0) note
         WHERE named.client_id = $1 AND named.user_id = $2",
    )
    .bind(client.0)
    .bind(user.0)
    .fetch_one(&mut *db)
    .await?;
    let rows: Vec<NoteRow> = sqlx::query_as(
        "SELECT note.id, note.participant_id, note.author_id, note.body, note.mentions, note.whisper_to,
                note.created_at
         FROM chat_note_mention named
         CROSS JOIN LATERAL (
             SELECT id, participant_id, author_id, body, mentions, whisper_to, created_at FROM chat_note
             WHERE client_id = named.client_id AND id = named.note_id
                 AND (whisper_to IS NULL OR whisper_to = $2) OFFSET 0) note
         WHERE named.client_id = $1 AND named.user_id = $2
         ORDER BY named.client_id, named.user_id, named.note_id DESC LIMIT $3 OFFSET $4",
    )
    .bind(client.0)
    .bind(user.0)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    Ok(Page::of(rows.into_iter().map(ChatNote::from).collect(), total))
}

pub async fn of_ids(db: &mut PgConnection, client: ClientId, ids: &[NoteId]) -> Result<Vec<ChatNote>> {
    let rows: Vec<NoteRow> = sqlx::query_as(
        "SELECT note.id, note.participant_id, note.author_id, note.body, note.mentions, note.whisper_to,
                note.created_at
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT id, participant_id, author_id, body, mentions, whisper_to, created_at FROM chat_note
             WHERE client_id = given.client_id AND id = given.id OFFSET 0) note",
    )
    .bind(client.0)
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(ChatNote::from).collect())
}

/// Moves the notes of a merged chat.
pub async fn give_to(db: &mut PgConnection, client: ClientId, kept: ParticipantId, gone: ParticipantId) -> Result<()> {
    sqlx::query("UPDATE chat_note SET participant_id = $2 WHERE client_id = $1 AND participant_id = $3")
        .bind(client.0)
        .bind(kept.0)
        .bind(gone.0)
        .execute(db)
        .await?;
    Ok(())
}

/// Returns those of the ids that are users of the client.
pub async fn known_users(db: &mut PgConnection, client: ClientId, users: &[UserId]) -> Result<Vec<UserId>> {
    let rows: Vec<Uuid> = sqlx::query_scalar(
        "SELECT member.id FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         JOIN client_user member ON member.client_id = given.client_id AND member.id = given.id
         WHERE member.deleted_at IS NULL",
    )
    .bind(client.0)
    .bind(users.iter().map(|user| user.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(UserId).collect())
}
