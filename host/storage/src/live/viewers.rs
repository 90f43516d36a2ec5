//! Who reads a stream, as what they may see depends on it.

use domain::ids::{ClientId, TeamId, UserId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    Result,
    tenancy::users::{Role, stored_role},
};

/// A user's role and team; `None` when the user is gone, or has no key any more.
pub async fn find(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<Option<(Role, Option<TeamId>)>> {
    let row: Option<(String, Option<Uuid>)> = sqlx::query_as(
        "SELECT role, team_id FROM client_user WHERE client_id = $1 AND id = $2 AND deleted_at IS NULL
           AND EXISTS (SELECT 1 FROM api_key WHERE client_id = $1 AND user_id = $2)",
    )
    .bind(client.0)
    .bind(user.0)
    .fetch_optional(db)
    .await?;
    row.map(|(role, team)| Ok((stored_role(&role)?, team.map(TeamId)))).transpose()
}
