use domain::{
    ids::{ClientId, InboxId, ParticipantId},
    page::PageRequest,
};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoutingDecision {
    pub id: Uuid,
    pub participant: ParticipantId,
    pub inbox: InboxId,
    pub plugin: String,
    pub version: Option<u32>,
    /// Kind of the target: `bot`, `team`, `agent` or `queue`.
    pub target: String,
    /// Name of the chatbot or team, or id of the agent; `None` for the queue and the default chatbot.
    pub target_name: Option<String>,
    pub reason: String,
    pub fallback: bool,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    participant_id: Uuid,
    inbox_id: Uuid,
    plugin: String,
    version: Option<i32>,
    target: String,
    target_name: Option<String>,
    reason: String,
    fallback: bool,
}

impl From<Row> for RoutingDecision {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            participant: ParticipantId(row.participant_id),
            inbox: InboxId(row.inbox_id),
            plugin: row.plugin,
            version: row.version.map(i32::unsigned_abs),
            target: row.target,
            target_name: row.target_name,
            reason: row.reason,
            fallback: row.fallback,
        }
    }
}

pub async fn insert(db: &mut PgConnection, client: ClientId, decision: &RoutingDecision) -> Result<()> {
    sqlx::query(
        "INSERT INTO routing_decision (client_id, id, participant_id, inbox_id, plugin, version, target, target_name,
                                       reason, fallback)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(client.0)
    .bind(decision.id)
    .bind(decision.participant.0)
    .bind(decision.inbox.0)
    .bind(&decision.plugin)
    .bind(decision.version.and_then(|version| i32::try_from(version).ok()))
    .bind(&decision.target)
    .bind(decision.target_name.as_deref())
    .bind(&decision.reason)
    .bind(decision.fallback)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn list(
    db: &mut PgConnection,
    client: ClientId,
    participant: Option<ParticipantId>,
    page: PageRequest,
) -> Result<(Vec<RoutingDecision>, i64)> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT id, participant_id, inbox_id, plugin, version, target, target_name, reason, fallback
         FROM routing_decision WHERE client_id = $1 AND ($2::uuid IS NULL OR participant_id = $2)
         ORDER BY id DESC OFFSET $3 LIMIT $4",
    )
    .bind(client.0)
    .bind(participant.map(|participant| participant.0))
    .bind(page.offset())
    .bind(page.limit())
    .fetch_all(&mut *db)
    .await?;
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM routing_decision WHERE client_id = $1 AND ($2::uuid IS NULL OR participant_id = $2)",
    )
    .bind(client.0)
    .bind(participant.map(|participant| participant.0))
    .fetch_one(db)
    .await?;
    Ok((rows.into_iter().map(RoutingDecision::from).collect(), total))
}
