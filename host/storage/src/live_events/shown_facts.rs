//! The shown facts of chats and people when events are sent, read for many at once.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    chat::ParticipantState,
    ids::{ClientId, CustomerId, ParticipantId, TeamId, UserId},
};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    chat::lists::{self, ShownCustomer},
    column_values::read_value,
};

#[derive(Debug, Clone, PartialEq)]
pub struct ShownChat {
    pub id: ParticipantId,
    pub channel: Channel,
    pub inbox_address: Option<String>,
    pub state: ParticipantState,
    pub missed: bool,
    pub after_hours: bool,
    pub send_rating: bool,
    pub agent: Option<UserId>,
    pub last_agent: Option<UserId>,
    pub team: Option<(TeamId, String)>,
    pub unread: i32,
    pub tags: Vec<String>,
    pub last_message_at: DateTime<Utc>,
    pub customer: Option<ShownCustomer>,
    /// True in a sandbox.
    pub is_test: bool,
}

#[derive(sqlx::FromRow)]
struct ChatRow {
    id: Uuid,
    channel: String,
    inbox_address: Option<String>,
    state: String,
    missed: bool,
    after_hours: bool,
    send_rating: bool,
    assigned_agent_id: Option<Uuid>,
    last_assigned_agent_id: Option<Uuid>,
    team_id: Option<Uuid>,
    team_name: Option<String>,
    unread: i32,
    tags: Vec<String>,
    last_message_at: DateTime<Utc>,
    customer_id: Uuid,
    is_test: bool,
}

impl ChatRow {
    fn into_shown(self, customers: &HashMap<CustomerId, ShownCustomer>) -> Result<ShownChat> {
        let row = self;
        Ok(ShownChat {
            id: ParticipantId(row.id),
            channel: read_value("participant", "channel", &row.channel, |name| name.parse().ok())?,
            inbox_address: row.inbox_address,
            state: read_value("participant", "state", &row.state, ParticipantState::from_name)?,
            missed: row.missed,
            after_hours: row.after_hours,
            send_rating: row.send_rating,
            agent: row.assigned_agent_id.map(UserId),
            last_agent: row.last_assigned_agent_id.map(UserId),
            team: row.team_id.map(TeamId).zip(row.team_name),
            unread: row.unread,
            tags: row.tags,
            last_message_at: row.last_message_at,
            customer: customers.get(&CustomerId(row.customer_id)).cloned(),
            is_test: row.is_test,
        })
    }
}

pub async fn chats(db: &mut PgConnection, client: ClientId, ids: &[ParticipantId]) -> Result<Vec<ShownChat>> {
    let rows: Vec<ChatRow> = sqlx::query_as(
        "SELECT chat.id, chat.channel, inbox.address AS inbox_address, chat.state, chat.missed, chat.after_hours,
                chat.send_rating, chat.assigned_agent_id, chat.last_assigned_agent_id, chat.team_id, team.name AS team_name,
                chat.unread, chat.tags, chat.last_message_at, chat.customer_id,
                EXISTS (SELECT FROM client WHERE id = $1 AND sandbox_of IS NOT NULL) AS is_test
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT * FROM participant WHERE client_id = given.client_id AND id = given.id OFFSET 0) chat
         CROSS JOIN LATERAL (
             SELECT address FROM inbox WHERE client_id = given.client_id AND id = chat.inbox_id OFFSET 0) inbox
         LEFT JOIN LATERAL (
             SELECT name FROM team WHERE client_id = given.client_id AND id = chat.team_id OFFSET 0) team ON true",
    )
    .bind(client.0)
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(&mut *db)
    .await?;
    let customers: Vec<CustomerId> = rows.iter().map(|row| CustomerId(row.customer_id)).collect();
    let customers = lists::customers(db, client, &customers).await?;
    rows.into_iter().map(|row| row.into_shown(&customers)).collect()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownUser {
    pub name: String,
    pub team: Option<TeamId>,
}

pub async fn users(db: &mut PgConnection, client: ClientId, ids: &[UserId]) -> Result<HashMap<UserId, ShownUser>> {
    let rows: Vec<(Uuid, String, Option<Uuid>)> = sqlx::query_as(
        "SELECT member.id, member.name, member.team_id
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT id, name, team_id FROM client_user
             WHERE client_id = given.client_id AND id = given.id OFFSET 0) member",
    )
    .bind(client.0)
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let user =
        |(id, name, team): (Uuid, String, Option<Uuid>)| (UserId(id), ShownUser { name, team: team.map(TeamId) });
    Ok(rows.into_iter().map(user).collect())
}
